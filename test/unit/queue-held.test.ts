import { expect, it } from 'vitest';
import type { Agent } from '../../src/agent/agent';
import { newTranscript } from '../../src/session/model';
import { Reducer } from '../../src/session/reduce';
import type { Session } from '../../src/session/session';
import { Turns } from '../../src/session/turns';
import type { Voice } from '../../src/session/voice';
import { eventually } from '../harness';

/** A session that was opened again after a crash, with two prompts that waited. */
function reopened() {
  const transcript = newTranscript('/project');
  const former = new Reducer(transcript);
  const block = (text: string) => former.user(text, [], 0, true);
  const stored = ['one', 'two'].map((text) => ({ block: block(text), text, attachments: [] }));
  const sent: string[] = [];
  const agent = {
    request: async (_: string, { prompt }: { prompt: { text: string }[] }) => {
      sent.push(prompt[0]!.text);
      return {};
    },
    notify: async () => {},
  } as unknown as Agent;
  const reducer = new Reducer(transcript);
  const flush = { taken: async () => {} };
  const session = {
    transcript,
    reducer,
    cwd: '/project',
    context: { now: () => 0, flush, config: { embedBytes: 0 } },
    changed: () => {},
    onEvents: () => {},
    keeping: { recorder: null, flush: () => {} },
    removeBlock: (id: string) => reducer.remove(id),
  } as unknown as Session;
  const restored: string[] = [];
  const turns = new Turns({
    session,
    voice: {
      restore: (prompts: { text: string }[]) => restored.push(...prompts.map(({ text }) => text)),
    } as unknown as Voice,
    cancelTimeoutMs: 100,
    target: () => ({
      agent,
      sessionId: 's',
      takes: { image: false, audio: false, embedded: false, steering: false },
    }),
    agent: () => 'agent',
    cancelQuestions: () => {},
    prepare: async () => {},
    onEnded: () => {},
    replays: () => false,
    onRefused: () => {},
  });
  turns.hold();
  turns.restoreQueue(stored);
  turns.run();
  return { turns, sent, stored, restored, transcript, flush };
}

it('what waited before a crash is not sent by itself', async () => {
  const { turns, sent, stored } = reopened();
  await new Promise(setImmediate);
  expect(turns.held).toBe(true);
  expect(turns.waiting.map(({ id }) => id)).toEqual(stored.map(({ block }) => block));
  expect(sent).toEqual([]);
});

it('it goes on when the user sends something, each prompt once', async () => {
  const { turns, sent, transcript } = reopened();
  turns.send({ text: 'three', attachments: [] }, undefined);
  expect(turns.held).toBe(false);
  turns.run();
  await eventually(() => expect(sent).toEqual(['one', 'two', 'three']));
  await eventually(() => expect(turns.state).toBe('idle'));
  const kinds = transcript.order.map((id) => transcript.blocks.get(id)!.kind);
  expect(kinds).toEqual(['user', 'turn', 'user', 'turn', 'user', 'turn']);
});

it('it goes on as the user has edited it', async () => {
  const { turns, sent, stored } = reopened();
  await new Promise(setImmediate);
  turns.setQueue([{ id: stored[1]!.block, text: 'two, after all' }]);
  expect(turns.held).toBe(false);
  await eventually(() => expect(sent).toEqual(['two, after all']));
});

it('one that had begun and waits again is not left out by who could not know', async () => {
  const { turns, sent, stored, flush } = reopened();
  await new Promise(setImmediate);
  turns.send({ text: 'three', attachments: [] }, undefined);
  turns.run();
  flush.taken = () => new Promise(() => {});
  turns.send({ text: 'now', attachments: [] }, 'now');
  turns.setQueue([{ id: stored[1]!.block, text: 'two' }]);
  await eventually(() => expect(turns.state).toBe('idle'));
  expect([...sent].sort()).toEqual(['now', 'one', 'three', 'two']);
});

it('it goes back to where it is typed when the user cancels', () => {
  const { turns, sent, restored, transcript } = reopened();
  turns.cancel();
  expect(turns.held).toBe(false);
  expect(restored).toEqual(['one', 'two']);
  expect(transcript.order).toEqual([]);
  expect(sent).toEqual([]);
});
