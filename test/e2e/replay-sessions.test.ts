/** Recorded sessions of real agents that are listed, opened again, forked and deleted: the transcripts are as found good. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, replayAgent, startNvim, type Nvim } from '../harness';
import { init, lines, state } from './e2e';
import { ended, expectTranscript, sendIn, transcript, TURNS } from './transcripts';

const LOGS = resolve(import.meta.dirname, '../fixtures/logs');

/** Of whatever is to be chosen it is the first: the newest session, or that it shall be deleted. */
const SELECT = `
  vim.ui.select = function(items, _, on_choice) on_choice(items[1]) end`;

async function send(nvim: Nvim, session: string, text: string, turns: number): Promise<void> {
  await sendIn(nvim, session, text);
  await ended(nvim, turns);
  // The turn is drawn a moment after it has ended.
  await eventually(async () =>
    expect((await lines(nvim, session)).findLast(Boolean)).toMatch(/^── /),
  );
}

async function isIdle(nvim: Nvim, session: string): Promise<void> {
  await eventually(async () => expect((await state(nvim, session)).state).toBe('idle'));
}

const able = (agent: string, part: number) =>
  existsSync(resolve(LOGS, `${agent}/sessions.${part}.jsonl`));

describe.each(['claude', 'codex', 'nanocoder', 'opencode'])('sessions that %s keeps', (name) => {
  it('are listed, opened, forked, resumed and deleted', { timeout: 60_000 }, async () => {
    const log = (part: number) => `${name}/sessions.${part}`;
    const agent = replayAgent(log(2), { later: [3, 4].filter((it) => able(name, it)).map(log) });
    const nvim = await startNvim({ init: init({ [name]: agent }), columns: 160 });
    await nvim.lua(TURNS + SELECT);
    const kill = () => process.kill(agent.pids().at(-1)!, 'SIGKILL');

    // Loaded, since its transcript is with the agent alone.
    await nvim.lua(`require('acp').sessions({})`);
    await isIdle(nvim, 's1');
    expect(agent.received('session/load')).toHaveLength(1);
    await send(nvim, 's1', '[[say 5]]', 1);
    expectTranscript(log(2), await transcript(nvim, 's1'));

    let turns = 1;
    if (((await state(nvim, 's1')).can as { fork: boolean }).fork) {
      await nvim.lua(`require('acp.chat').fork(require('acp.chat').get('s1'))`);
      await isIdle(nvim, 's2');
      await send(nvim, 's2', '[[say 6]]', ++turns);
      expectTranscript(`${log(2)}-fork`, await transcript(nvim, 's2'));
    }

    // Resumed, since its transcript is here.
    kill();
    await eventually(async () => expect((await state(nvim, 's1')).state).toBe('dead'));
    await send(nvim, 's1', '[[say 5]]', turns + 1);
    expect(agent.received('session/resume')).toHaveLength(1);
    expectTranscript(log(3), await transcript(nvim, 's1'));

    if (able(name, 4)) {
      kill();
      await eventually(async () => expect((await state(nvim, 's1')).state).toBe('dead'));
      await nvim.lua(`require('acp.ui.sessions').delete(require('acp.chat').get('s1'))`);
      await eventually(() => expect(agent.received('session/delete')).toHaveLength(1));
    }
    expect(agent.faults()).toEqual([]);
    expect(await nvim.messages()).not.toMatch(/E\d+:|traceback/);
  });
});
