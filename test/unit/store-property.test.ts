import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attachment } from '../../src/nvim/protocol';
import type { Block } from '../../src/session/model';
import { isFinal } from '../../src/session/turn-summary';
import { transcriptOf } from '../../src/store/transcript';
import { tempDir } from '../harness';
import { comparable, Life, plain, readBack, storeIn, terminal } from './store-life';
import { chunk, other, tool } from './updates';

type Action = (life: Life) => void;

const typed = fc.string({ unit: 'binary', maxLength: 8 });
const attachments: fc.Arbitrary<Attachment[]> = fc.constantFrom<Attachment[]>(
  [],
  [],
  [{ type: 'text', path: '/project/a.ts', startLine: 1, endLine: 2, text: 'let a;\n' }],
  [{ type: 'file', path: '/project/b.ts' }, { type: 'conversation' }],
  [{ type: 'media', path: '/tmp/x.png', mime: 'image/png', name: 'x.png' }],
);

const nth = (ids: readonly string[], n: number): string | undefined => ids[n % ids.length];

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.oneof(chunk, chunk, tool, other).map(
      (update): Action =>
        (life) =>
          life.update(update),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.oneof(chunk, tool, other), fc.constantFrom('s1', 's2', 't1')).map(
      ([update, session]): Action =>
        (life) =>
          life.update(update, session),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('s1', 's2'), fc.constantFrom('running', 'idle', 'odd'))
      .map(([sessionId, state]): Action => (life) => {
        life.update({ sessionUpdate: 'subagent_update', sessionId, state: { state } });
        const content = [{ type: 'text', text: state }];
        const letter = { messageId: state, recipientSessionId: sessionId, content };
        life.update({ sessionUpdate: 'session_message', ...letter });
      }),
  },
  { weight: 4, arbitrary: fc.constant<Action>((life) => life.flush()) },
  {
    weight: 2,
    arbitrary: fc.tuple(typed, attachments).map(
      ([text, more]): Action =>
        (life) =>
          life.prompt(text, more),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(typed, fc.nat(), fc.nat(), attachments)
      .map(([text, at, del, more]): Action => (life) => {
        const was = life.draft.text;
        const from = at % (was.length + 1);
        life.type(was.slice(0, from) + text + was.slice(from + (del % 3)), more);
      }),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Action>(
      (life) => life.end(),
      (life) => life.end('cancelled'),
      (life) => life.reducer.notice('error', 'it died', 'badly\nindeed', life.now),
      (life) => void (!life.running && life.waiting[0] && life.start(life.waiting[0])),
      (life) => life.reducer.waiting(life.waiting.reverse()),
      (life) => life.taken(),
      (life) => {
        // The prompt of a turn that was lost waits again; what went into the turn does not.
        const { order, blocks } = life.transcript;
        const last = order.findLast((id) => {
          const block = blocks.get(id);
          return block?.kind === 'user' && !block.steered;
        });
        life.end('lost');
        if (last === undefined || life.waiting.includes(last)) return;
        life.recorder.queued(last, []);
        life.reducer.waiting([last, ...life.waiting]);
      },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(tool, fc.constantFrom(0, 1, 2)).map(([toolCall, how]): Action => (life) => {
      life.asks(toolCall);
      if (how === 2) life.flush();
      const asked = [...life.transcript.blocks.values()].findLast(
        (block) => block.kind === 'tool' && block.question !== null,
      );
      const option = { id: 'y', name: 'Yes', kind: 'allow_once' };
      if (how > 0 && asked) life.reducer.questionAnswered(asked.id, option, life.now);
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(), typed).map(([n, text]): Action => (life) => {
      const { order, blocks } = life.transcript;
      const id = nth(order, n);
      const block = id === undefined ? undefined : blocks.get(id);
      if (block?.kind !== 'user' || id === undefined || block.text === 'begin') return;
      // Taken out of the queue; sometimes it is wanted again.
      life.remove(id);
      if (n % 2 && block.queued) {
        life.reducer.user(text, [], life.now, true, id);
        life.attachments.set(id, []);
        life.recorder.queued(id, []);
      }
    }),
  },
  {
    weight: 1,
    arbitrary: fc.nat().map((n): Action => (life) => {
      const id = nth(life.transcript.order, n);
      if (id !== undefined) life.reducer.fold(id);
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(typed, fc.nat(20), fc.boolean())
      .map(([text, cut, ended]): Action => (life) => {
        const was = life.transcript.terminals.get('t1')?.output ?? '';
        const exit = ended ? { exitCode: 0, signal: null } : null;
        life.reducer.terminalChanged(terminal('t1', was.slice(cut) + text, exit), '', 0);
      }),
  },
);

/** Blocks of which more is to be expected. */
function open(blocks: Iterable<Block>): Block[] {
  return [...blocks].filter((block) => {
    if (block.kind === 'tool') return block.question !== null || !isFinal(block.status);
    return block.kind === 'message'
      ? !block.done
      : block.kind === 'thought' && block.endedAt === null;
  });
}

/** Without the time that it takes to notice an end, what only counts, and what can be done as long as its prompt is held. */
function timeless(block: Block): object {
  const { startedAt, endedAt, ...rest } = plain({
    ...block,
    ...('text' in block && { text: String(block.text) }),
  }) as Record<string, unknown>;
  delete rest.actions;
  const times = { startedAt: typeof startedAt, endedAt: typeof endedAt };
  return block.kind === 'turn'
    ? { kind: 'turn', stopReason: block.stopReason }
    : { ...rest, ...times };
}

const life = (): { life: Life; file: () => Buffer; reopen: () => Promise<Life> } => {
  const { store, sessions } = storeIn(tempDir());
  const journal = store.create({ agent: 'demo', cwd: '/project' });
  const file = (): Buffer => {
    const [folder] = readdirSync(sessions);
    return readFileSync(join(sessions, folder!, `${journal.key}.jsonl`));
  };
  const reopen = async (): Promise<Life> => {
    const { journal: again, stored } = await store.open(journal.key);
    return new Life(again, stored);
  };
  return { life: new Life(journal), file, reopen };
};

describe('whatever happens in a session', () => {
  it('is read back as it was, after each flush', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 50 }), (actions) => {
        const { life: it, file } = life();
        it.prompt('begin');
        it.flush();
        for (const act of actions) act(it);
        it.flush();
        expect(comparable(readBack(file())!)).toEqual(it.kept);
        it.journal.close();
      }),
      { numRuns: 300 },
    );
  });

  it('goes on after a crash as if its agent had gone, and is read back so', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 30 }),
        fc.array(action, { maxLength: 20 }),
        async (before, after) => {
          const { life: dead, file, reopen } = life();
          dead.prompt('begin');
          for (const act of before) act(dead);
          dead.flush();
          const bytes = file();
          dead.journal.close();
          const stored = readBack(bytes)!;
          // The same, as the live reducer does it.
          for (const block of dead.transcript.blocks.values()) {
            if (block.kind === 'tool') dead.reducer.questionAnswered(block.id, null, dead.now);
            if (block.kind === 'message') block.done = true;
            if (block.kind === 'thought') block.endedAt ??= dead.now;
            if (block.kind === 'user' && block.queued && block.steered) block.queued = false;
          }
          if (dead.running) dead.end('interrupted');
          else dead.reducer.settleTools('ended', dead.now);
          dead.reducer.agentAnew();
          const closed = transcriptOf(stored);
          expect(open(closed.blocks.values())).toEqual([]);
          expect(closed.order.map((id) => timeless(closed.blocks.get(id)!))).toEqual(
            dead.transcript.order.map((id) => timeless(dead.transcript.blocks.get(id)!)),
          );
          const alive = await reopen();
          for (const { block, attachments: more } of stored.queue)
            alive.attachments.set(block, more);
          alive.flush();
          for (const act of after) act(alive);
          alive.flush();
          expect(comparable(readBack(file())!)).toEqual(alive.kept);
          alive.journal.close();
        },
      ),
      { numRuns: 200 },
    );
  });
});
