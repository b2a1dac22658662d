import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permissionRequest, updateEvents } from '../../src/acp/v1';
import { TranscriptView } from '../../src/render/view';
import { newTranscript } from '../../src/session/model';
import { Reducer } from '../../src/session/reduce';
import { Screen } from './render-screen';
import { chunk, other, tool } from './updates';

/** From what an agent sends to what Neovim is told, without any process. */
class Pipeline {
  readonly transcript = newTranscript('/project');
  readonly reducer = new Reducer(this.transcript);
  readonly view = new TranscriptView(this.transcript, {
    columns: 80,
    toolRows: 6,
    icons: 'unicode',
  });
  readonly screen = new Screen();
  now = 0;

  update(update: unknown): void {
    for (const event of updateEvents(update)) this.reducer.apply(event, (this.now += 500));
  }

  startQueued(): void {
    const blocks = [...this.transcript.blocks.values()];
    const first = blocks.find((block) => block.kind === 'user' && block.queued);
    if (first) this.reducer.turnStarted(first.id, this.now);
  }

  /** Sets the prompts that wait in another order, and has one changed and one taken into the turn. */
  editQueue(order: number[]): void {
    const waiting = [...this.transcript.blocks.values()].filter(
      (block) => block.kind === 'user' && block.queued,
    );
    const ids = waiting.map(({ id }) => id);
    const place = (id: string): number => order[ids.indexOf(id) % order.length]!;
    const sorted = ids.toSorted((a, b) => place(a) - place(b));
    this.reducer.waiting(sorted);
    const [first, second] = sorted;
    if (first !== undefined) this.reducer.prompt(first, { text: 'changed', steered: true });
    if (second !== undefined) this.reducer.promptTaken(second, true, this.now);
  }

  /** Sends operations, as a flush does; `budget` small enough to split them. */
  flush(budget = { bytes: 64, lines: 4 }): void {
    for (const id of this.reducer.take()) this.view.touch(id);
    this.screen.apply(this.view.take(budget));
  }

  settle(): void {
    do this.flush({ bytes: Infinity, lines: Infinity });
    while (this.view.pending);
  }

  expectWhole(): void {
    this.settle();
    expect(this.screen.blocks).toEqual(new Screen().apply(this.view.full()).blocks);
  }
}

type Action = (pipeline: Pipeline) => void;
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.oneof(chunk, chunk, tool, other).map(
      (update): Action =>
        (p) =>
          p.update(update),
    ),
  },
  { weight: 3, arbitrary: fc.constant<Action>((p) => p.flush()) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Action>(
      (p) => p.reducer.turnStarted(p.reducer.user('do it', [], p.now, false), p.now),
      (p) => void p.reducer.user('do that later', [], p.now, true),
      (p) => p.startQueued(),
      (p) => p.reducer.turnEnded('end_turn', p.now),
      (p) => p.reducer.turnEnded('cancelled', p.now),
      (p) => p.reducer.notice('error', 'it died', 'badly\nindeed', p.now),
      (p) => p.view.resize(40),
      (p) => p.view.resize(120),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.nat(9), { minLength: 1, maxLength: 5 }).map(
      (order): Action =>
        (p) =>
          p.editQueue(order),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(tool, fc.boolean()).map(([toolCall, allow]): Action => (p) => {
      const { patch, options } = permissionRequest({
        toolCall,
        options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
      });
      const call = p.reducer.toolOfQuestion('q', patch, p.now);
      p.reducer.questionAsked('q', call, options, 0);
      p.flush();
      if (allow) p.reducer.questionAnswered(call.id, options[0]!, p.now);
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(), fc.boolean()).map(([n, remove]): Action => (p) => {
      const id = p.transcript.order[n % Math.max(1, p.transcript.order.length)];
      if (id === undefined) return;
      if (!remove) p.reducer.fold(id);
      else if (p.transcript.blocks.get(id)?.kind === 'user') {
        p.reducer.remove(id);
        p.view.remove(id);
      }
    }),
  },
);

describe('from the wire to the screen', () => {
  it('a prompt that waits stands behind the message that goes on, and does not cut it', () => {
    const pipeline = new Pipeline();
    const say = (text: string) =>
      pipeline.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    say('```js\nlet a');
    pipeline.reducer.user('next', [], 0, true);
    pipeline.reducer.user('last', [], 0, true);
    pipeline.flush();
    say(' = 1;\n```');
    pipeline.reducer.turnEnded('end_turn', 1);
    pipeline.startQueued();
    say('the answer');
    pipeline.expectWhole();
    expect(
      [...pipeline.transcript.order].map((id) => pipeline.transcript.blocks.get(id)!.kind),
    ).toEqual(['message', 'turn', 'user', 'message', 'user']);
    expect(pipeline.screen.blocks[0]!.lines.join('\n')).toContain('let a = 1;');
  });

  it('all increments together make what a full render makes, and nothing throws', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const pipeline = new Pipeline();
        for (const act of actions) act(pipeline);
        pipeline.expectWhole();
      }),
      { numRuns: 500 },
    );
  });

  it('every recorded session is shown whole', () => {
    const logs = resolve(import.meta.dirname, '../fixtures/logs');
    const files = (readdirSync(logs, { recursive: true }) as string[])
      .map((name) => join(logs, name))
      .filter((path) => path.endsWith('.jsonl') && statSync(path).isFile());
    expect(files.length).toBeGreaterThan(10);
    for (const path of files) {
      const pipeline = new Pipeline();
      for (const line of readFileSync(path, 'utf8').trim().split('\n')) {
        const { dir, frame } = JSON.parse(line) as {
          dir: string;
          frame?: { method?: string; params?: { update?: unknown } };
        };
        if (dir !== 'a2c' || frame?.method === undefined) continue;
        if (frame.method === 'session/update') pipeline.update(frame.params?.update);
        if (frame.method === 'session/request_permission') {
          const { patch, options } = permissionRequest(frame.params);
          const call = pipeline.reducer.toolOfQuestion('q', patch, pipeline.now);
          pipeline.reducer.questionAsked('q', call, options, 0);
          pipeline.flush();
          pipeline.reducer.questionAnswered(call.id, options[0] ?? null, pipeline.now);
        }
        pipeline.flush();
      }
      pipeline.reducer.turnEnded('end_turn', pipeline.now);
      pipeline.expectWhole();
      const unknown = [...pipeline.transcript.blocks.values()].filter((b) => b.kind === 'unknown');
      expect(unknown, path).toEqual([]);
    }
  });
});
