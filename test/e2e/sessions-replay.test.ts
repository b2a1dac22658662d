/** A long replay. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { pinged, quantile } from '../../bench/measure';
import { eventually, sessionAgent, tempDir, type Nvim } from '../harness';
import { startChat } from './e2e';
import { prompt, run, said, seed, times } from './sessions';

const UPDATES = 20_000;
/** Where others share the machine, single answers wait for their turn there; so the longest of all may be longer. */
const LONGEST_MS = 50;
const NEVER_MS = 250;

/** What an agent tells anew of a long session: words, thoughts, tool calls and plans. */
function history(): object[] {
  const text = (words: string) => ({ type: 'text', text: words });
  return Array.from({ length: UPDATES }, (_, i) => {
    const toolCallId = `call-${i - (i % 10)}`;
    switch (i % 10) {
      case 0:
        return {
          sessionUpdate: 'user_message_chunk',
          content: text(`prompt ${i}`),
          messageId: `u${i}`,
        };
      case 1:
        return {
          sessionUpdate: 'agent_thought_chunk',
          content: text(`thought ${i}`),
          messageId: `t${i}`,
        };
      case 2:
        return {
          sessionUpdate: 'tool_call',
          toolCallId,
          title: `call ${i}`,
          kind: 'read',
          status: 'pending',
        };
      case 3: {
        const content = [{ type: 'content', content: text(`output ${i}\n`.repeat(20)) }];
        return { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content };
      }
      default:
        return {
          sessionUpdate: 'agent_message_chunk',
          content: text(`**chunk** ${i} of \`it\`\n`),
          messageId: `m${i - (i % 10)}`,
        };
    }
  });
}

/** Opens the only session there is, and types until all of it is on screen. */
async function opens(nvim: Nvim, session: string): Promise<void> {
  let typed = '';
  const waits = await pinged(nvim, async () => {
    await run(nvim, 'AcpSessions');
    await nvim.waitForScreen('-- INSERT --');
    while (!nvim.find(String(UPDATES - 1))) {
      const key = 'abcdefghij '[typed.length % 11]!;
      typed += key;
      await nvim.input(key);
      await delay(10);
    }
  });
  expect(typed.length).toBeGreaterThan(10);
  await eventually(async () => expect(await prompt(nvim, session)).toBe(typed));
  expect(times(await said(nvim, session), '**chunk** ')).toBe(UPDATES * 0.6);
  expect(quantile(waits, 0.9)).toBeLessThanOrEqual(LONGEST_MS);
  expect(Math.max(...waits)).toBeLessThanOrEqual(NEVER_MS);
}

it(`a replay of ${UPDATES} updates does not freeze typing and comes whole, nor does our own transcript of it`, async () => {
  const [kept, dir] = [join(tempDir(), 'sessions.jsonl'), tempDir()];
  seed(kept, dir, ['Long']);
  const entries = history().map((update) =>
    JSON.stringify({ id: 'kept-of-others-1', t: Date.now() - 1000, at: 'update', update }),
  );
  appendFileSync(kept, `${entries.join('\n')}\n`);
  const agent = sessionAgent({ file: kept });
  const nvim = await startChat(agent, { dir });
  // Neovim's own picker would let the pings wait.
  await nvim.lua(`vim.ui.select = function(items, _, choose) choose(items[1], 1) end`);

  await opens(nvim, 's1');
  expect(agent.received('session/load')).toHaveLength(1);

  await run(nvim, '%d | AcpClose');
  await eventually(() => expect(agent.alive()).toEqual([]));
  await opens(nvim, 's2');
  await eventually(() => expect(agent.received('session/resume')).toHaveLength(1));
});
