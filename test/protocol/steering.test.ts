import { describe, expect, it } from 'vitest';
import { Store } from '../../src/store/store';
import { transcriptOf } from '../../src/store/transcript';
import { eventually, scriptedAgent, tempDir, type ScriptedAgent, type Step } from '../harness';
import { chunk, openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
/** Between the word of an agent and what it says next, as it is with real ones. */
const LATER: Step = { delay: 50 };
const STEERED: Step = { expect: '_session/steering', as: 'steering' };

function steeringAgent(...steps: Step[]): ScriptedAgent {
  return scriptedAgent([
    { expect: 'initialize' },
    {
      reply: {
        protocolVersion: 1,
        agentInfo: { name: 'scripted', title: 'Scripted' },
        _meta: { steering: { supported: true } },
      },
    },
    PROMPT,
    chunk('working'),
    ...steps,
  ]);
}

function outcome(outcome: string): Step {
  return { reply: { outcome }, to: 'steering' };
}

function prompts(agent: ScriptedAgent): string[] {
  return agent
    .received('session/prompt')
    .map(({ params }) => (params!.prompt as { text: string }[])[0]!.text);
}

async function working(agent: ScriptedAgent, options?: Parameters<typeof openChat>[1]) {
  const chat = openChat(agent, options);
  chat.send('first');
  await eventually(() => expect(chat.editor.text).toContain('working'));
  return chat;
}

function facts(chat: ReturnType<typeof openChat>): string[] {
  const ops = JSON.stringify(chat.editor.sent('frame'));
  return [...ops.matchAll(/\["(steering|steered|queued)"/g)].map(([, fact]) => fact!);
}

describe('steering', () => {
  it('puts a prompt into the turn, where it stands in the transcript', async () => {
    const agent = steeringAgent(STEERED, outcome('injected'), LATER, chunk('now so'), END);
    const chat = await working(agent);
    chat.send('rather so', [{ type: 'text', name: 'diff', text: '+x\n' }], 'steer');
    await eventually(() => expect(chat.editor.text).toContain('now so'));
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    expect(agent.received('_session/steering')[0]!.params).toMatchObject({
      prompt: [
        { type: 'text', text: 'rather so' },
        { type: 'text', text: 'diff:\n```\n+x\n```' },
      ],
      _meta: { steering: { idleBehavior: 'promptRequired' } },
    });
    expect(prompts(agent)).toEqual(['first']);
    expect(chat.editor.kinds()).toEqual(['user', 'message', 'user', 'message', 'turn']);
    expect(facts(chat).at(-1)).toBe('steered');
    expect(chat.editor.status.queue).toEqual([]);
    expect(chat.editor.faults).toEqual([]);
  });

  it('is not sent a second time after a crash: the agent may have it', async () => {
    const agent = steeringAgent(STEERED);
    const where = { cwd: tempDir(), stateDir: tempDir() };
    const chat = await working(agent, where);
    chat.send('rather so', [], 'steer');
    chat.send('and then', [], 'queue');
    await eventually(() => expect(agent.received('_session/steering')).toHaveLength(1));
    const limits = { maxAgeMs: 1e9, maxBytes: 1e9 };
    const store = new Store({
      stateDir: where.stateDir,
      limits,
      now: Date.now,
      onFault: (_what, error) => expect.fail(String(error)),
    });
    const stored = await store.read(chat.editor.status.key!);
    expect(stored?.queue.map(({ text }) => text)).toEqual(['and then']);
    const blocks = [...transcriptOf(stored!).blocks.values()];
    expect(
      blocks.find((block) => block.kind === 'user' && block.text === 'rather so'),
    ).toMatchObject({ queued: false, steered: true });
    await chat.sessions.end();
  });

  it('waits visibly for the word of the agent, and is not overtaken by those that wait', async () => {
    const agent = steeringAgent(
      {
        request: {
          method: 'session/request_permission',
          params: {
            toolCall: { toolCallId: 't', title: 'wait', kind: 'other' },
            options: [{ optionId: 'go', name: 'Go', kind: 'allow_once' }],
          },
        },
        as: 'question',
      },
      STEERED,
      { answer: 'question' },
      outcome('injected'),
      END,
    );
    const chat = await working(agent);
    chat.send('later');
    chat.send('rather so', [], 'steer');
    await eventually(() => expect(agent.received('_session/steering')).toHaveLength(1));
    await eventually(() => expect(facts(chat).at(-1)).toBe('steering'));
    // The editor's list does not touch what is on its way.
    chat.tell('queue.set', { entries: [{ id: chat.editor.status.queue![0]!.id, text: 'later' }] });
    chat.answer(chat.editor.opened[0]!.id, 'go');
    await eventually(() => expect(prompts(agent)).toEqual(['first', 'later']));
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    expect(chat.editor.text).toMatch(/working[^]*rather so[^]*──[^]*later/);
  });

  it.each([
    ['finds no turn', outcome('promptRequired'), null],
    [
      'fails',
      { error: { code: -32603, message: 'not steerable' }, to: 'steering' },
      'not steerable',
    ],
    ['is answered with nothing', { reply: {}, to: 'steering' }, 'what became of it'],
  ])('is sent as an ordinary prompt, once, when it %s', async (_, answer, why) => {
    const agent = steeringAgent(STEERED, answer, { delay: 50 }, END, PROMPT, chunk('second'), END);
    const chat = await working(agent);
    chat.send('rather so', [], 'steer');
    await eventually(() => expect(chat.editor.text).toContain('second'));
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    expect(prompts(agent)).toEqual(['first', 'rather so']);
    expect(chat.editor.kinds()).toEqual(['user', 'message', 'turn', 'user', 'message', 'turn']);
    const messages = chat.editor.messages();
    if (why === null) expect(messages).toEqual([]);
    else expect(messages.join()).toContain(why);
  });

  it('takes the word of an agent that has begun a turn of its own', async () => {
    const agent = steeringAgent(
      STEERED,
      END,
      outcome('startedNewTurn'),
      LATER,
      chunk('in my own turn'),
    );
    const chat = await working(agent);
    chat.send('rather so', [], 'steer');
    await eventually(() => expect(chat.editor.text).toContain('in my own turn'));
    expect(prompts(agent)).toEqual(['first']);
    expect(chat.editor.kinds()).toEqual(['user', 'message', 'turn', 'user', 'message']);
    expect(facts(chat)).not.toContain('steered');
  });

  it('is queued where the agent can not, with a word', async () => {
    const agent = scriptedAgent([PROMPT, chunk('working'), { delay: 100 }, END, PROMPT, END]);
    const chat = await working(agent);
    chat.send('rather so', [], 'steer');
    await eventually(() => expect(prompts(agent)).toEqual(['first', 'rather so']));
    expect(agent.received('_session/steering')).toEqual([]);
    expect(chat.editor.messages()).toEqual([
      'Scripted takes no prompt into a running turn: it is queued',
    ]);
  });

  it('is an ordinary prompt when nothing runs', async () => {
    const agent = scriptedAgent([]);
    const { editor, send } = openChat(agent);
    send('go', [], 'steer');
    await eventually(() => expect(editor.kinds()).toEqual(['user', 'turn']));
    expect(editor.messages()).toEqual([]);
  });

  it.each([
    ['takes it nevertheless', 'injected', []],
    ['does not take it', 'promptRequired', ['rather so']],
  ])('when the turn is cancelled meanwhile and the agent %s', async (_, word, restored) => {
    const agent = steeringAgent(STEERED, { expect: 'session/cancel' }, outcome(word), {
      reply: { stopReason: 'cancelled' },
      to: 'prompt',
    });
    const chat = await working(agent);
    chat.send('rather so', [], 'steer');
    await eventually(() => expect(agent.received('_session/steering')).toHaveLength(1));
    chat.cancel();
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    await eventually(() => expect(chat.editor.restored).toEqual(restored));
    await eventually(() =>
      expect(chat.editor.text.includes('rather so')).toBe(restored.length === 0),
    );
    expect(prompts(agent)).toEqual(['first']);
  });

  it('goes back to where it was typed when the agent says nothing more', async () => {
    const agent = steeringAgent(STEERED, { expect: 'session/cancel' });
    const chat = await working(agent, { cancelTimeoutMs: 100 });
    chat.send('rather so', [], 'steer');
    await eventually(() => expect(agent.received('_session/steering')).toHaveLength(1));
    chat.cancel();
    await eventually(() => expect(chat.editor.restored).toEqual(['rather so']));
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
  });

  it('goes back to where it was typed when the turn ends and the agent never says a word', async () => {
    const agent = steeringAgent(STEERED, END);
    const chat = await working(agent, { cancelTimeoutMs: 100 });
    chat.send('rather so', [], 'steer');
    await eventually(() => expect(chat.editor.restored).toEqual(['rather so']));
    expect(chat.editor.messages()).toEqual([
      'Scripted did not say whether it took the prompt into its turn: it is where you typed it',
    ]);
    await eventually(() => expect(chat.editor.status.queue).toEqual([]));
    expect(prompts(agent)).toEqual(['first']);
  });

  it('goes back at once when it is cancelled after the turn', async () => {
    const agent = steeringAgent(STEERED, END);
    const chat = await working(agent, { cancelTimeoutMs: 60_000 });
    chat.send('rather so', [], 'steer');
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    chat.cancel();
    await eventually(() => expect(chat.editor.restored).toEqual(['rather so']));
  });

  it('goes back to where it was typed when the agent dies', async () => {
    const agent = steeringAgent(STEERED, { exit: 3 });
    const chat = await working(agent);
    chat.send('rather so', [], 'steer');
    await eventually(() => expect(chat.editor.restored).toEqual(['rather so']));
    await eventually(() => expect(chat.editor.text).not.toContain('rather so'));
    expect(chat.editor.messages()).toEqual([]);
  });
});
