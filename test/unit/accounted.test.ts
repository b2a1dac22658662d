/** No frame of a recorded session is lost: each says something that is shown or applied, or is quiet for a reason. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loss } from '../harness/accounted';

const LOGS = resolve(import.meta.dirname, '../fixtures/logs');

describe.each(readdirSync(LOGS))('frames of %s', (agent) => {
  it('are all accounted for', () => {
    const lost = new Set<string>();
    for (const name of readdirSync(join(LOGS, agent))) {
      for (const line of readFileSync(join(LOGS, agent, name), 'utf8').split('\n')) {
        if (!line.includes('"dir":"a2c"')) continue;
        const { frame } = JSON.parse(line) as { frame?: Parameters<typeof loss>[0] };
        const why = frame ? loss(frame) : 'no JSON';
        if (why !== null) lost.add(`${name}: ${why}`);
      }
    }
    expect([...lost].slice(0, 20)).toEqual([]);
  });
});
