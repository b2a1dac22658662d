/**
 * What real agents sent, played again by a process through the real sidecar into a real Neovim: the transcript of each
 * recorded session is as `test/transcripts` has it, which was read and found good. `UPDATE_SCREENS=1` writes those files.
 */
import { describe, expect, it } from 'vitest';
import { eventually, replayAgent, startNvim, type Nvim, type ScriptedAgent } from '../harness';
import { init, state } from './e2e';
import { scenarios, type Act, type Scenario } from './recorded';
import { ended, expectTranscript, sendIn, transcript, TURNS } from './transcripts';

/** Each may have waited in vain for seconds. */
const MOST_WRONG = 8;

async function act(nvim: Nvim, chats: string[], agent: ScriptedAgent, what: Act): Promise<void> {
  const session = chats['chat' in what ? what.chat : 0]!;
  const open = async () => ((await state(nvim, session)).questions ?? []) as { id: string }[];
  const answer = async (option: string, values?: object) => {
    const question = await eventually(async () => {
      const [first] = await open();
      expect(first).toBeDefined();
      return first!.id;
    });
    await nvim.lua(`require('acp.rpc').notify('question.answer', ...)`, {
      session,
      question,
      option,
      ...(values && { values }),
    });
    await eventually(async () =>
      expect((await open()).map(({ id }) => id)).not.toContain(question),
    );
  };
  switch (what.act) {
    case 'prompt': {
      const { length } = agent.received('session/prompt');
      if (chats.length === 1) await ended(nvim, length);
      await sendIn(nvim, session, what.text || '(only attachments)');
      return eventually(() => expect(agent.received('session/prompt')).toHaveLength(length + 1));
    }
    case 'cancel':
      await eventually(() => expect(agent.awaits()).toBe('session/cancel'));
      return nvim.lua(`require('acp.chat').cancel(require('acp.chat').get(...))`, session);
    case 'permission':
      return what.option === null ? undefined : answer(what.option);
    case 'form':
      return answer(what.action, what.values);
  }
}

function openChat(nvim: Nvim, agent: string): Promise<string> {
  return nvim.lua(
    `require('acp').open({ agent = ..., new = true })
    return require('acp.chat').current().session`,
    agent,
  );
}

async function play(nvim: Nvim, agent: ScriptedAgent, scenario: Scenario): Promise<string> {
  const { acts, turns, sessions } = scenario;
  await nvim.lua('vim.g.turns = 0');
  const chats: string[] = [];
  for (let n = 0; n < sessions; n++) {
    chats.push(await openChat(nvim, scenario.name));
    // One after the other: the recorded answers have an order.
    if (n + 1 === sessions) break;
    await eventually(() => expect(agent.received('session/new')).toHaveLength(n + 1));
  }
  for (const [i, what] of acts.entries()) {
    // Who gives up while something is asked has seen that it is.
    if (what.act === 'cancel' && acts[i + 1]?.act === 'permission') {
      await eventually(async () => expect((await state(nvim, chats[0])).state).toBe('waiting'));
    }
    await act(nvim, chats, agent, what);
  }
  await ended(nvim, turns);
  await eventually(async () => {
    const whole = turns === agent.received('session/prompt').length;
    for (const session of chats) {
      expect((await state(nvim, session)).state).toBe(whole ? 'idle' : 'working');
    }
    // The recorder went on with what ours has not done.
    expect([null, 'session/set_mode', 'session/set_config_option', 'session/list']).toContain(
      agent.awaits(),
    );
  });
  const shown: string[] = [];
  for (const session of chats) shown.push(await transcript(nvim, session));
  const answered = agent.received().flatMap(({ id, method }) => (method === undefined ? [id] : []));
  expect(answered, 'requests that were answered').toEqual(
    expect.arrayContaining(scenario.requests),
  );
  expect(agent.faults()).toEqual([]);
  for (const session of chats) {
    await nvim.lua(`require('acp.chat').close(require('acp.chat').get(...))`, session);
  }
  return shown.join('\n\n════\n\n');
}

describe.each(['claude', 'codex', 'nanocoder', 'opencode'])('recorded sessions of %s', (name) => {
  it('are shown as they were found good', { timeout: 240_000 }, async () => {
    const all = scenarios(name);
    const agents = Object.fromEntries(all.map((it) => [it.name, replayAgent(it.name)]));
    const nvim = await startNvim({ init: init(agents), columns: 160 });
    await nvim.lua(TURNS);
    const wrong: string[] = [];
    for (const scenario of all) {
      try {
        expectTranscript(scenario.name, await play(nvim, agents[scenario.name]!, scenario));
      } catch (error) {
        wrong.push(`${scenario.name}: ${(error as Error).message}`);
        if (wrong.length === MOST_WRONG) break;
      }
    }
    expect(wrong.join('\n\n')).toBe('');
    expect(await nvim.messages()).not.toMatch(/E\d+:|traceback/);
  });
});
