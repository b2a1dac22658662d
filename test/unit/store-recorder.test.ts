import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permissionRequest } from '../../src/acp/v1';
import { blockChanges, terminalChanges, textEdit, written } from '../../src/store/changes';
import { tempDir } from '../harness';
import { comparable, Life, readBack, recordsOf, storeIn, terminal, type Line } from './store-life';

/** A session and its file. */
function begun() {
  const at = storeIn(tempDir());
  const life = new Life(at.store.create({ agent: 'demo', cwd: '/project' }));
  life.prompt('hello');
  life.flush();
  const path = join(at.sessions, readdirSync(at.sessions)[0]!, `${life.journal.key}.jsonl`);
  return {
    ...at,
    life,
    path,
    size: () => statSync(path).size,
    /** What the next flush writes, and its length. */
    writes: (): { records: Line[]; bytes: number } => {
      const before = recordsOf(path).length;
      const size = statSync(path).size;
      life.flush();
      return { records: recordsOf(path).slice(before), bytes: statSync(path).size - size };
    },
    sound: () => expect(comparable(readBack(readFileSync(path))!)).toEqual(life.kept),
  };
}

const content = (...texts: string[]): object[] =>
  texts.map((text) => ({ type: 'content', content: { type: 'text', text } }));
const call = (fields: object): object => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 'c',
  status: 'in_progress',
  ...fields,
});

describe('what is written', () => {
  it('is nothing when nothing has changed', () => {
    const { life, writes } = begun();
    expect(writes().bytes).toBe(0);
    life.recorder.touch('b1');
    life.recorder.draft({ text: '', attachments: [] });
    life.recorder.settings({});
    life.recorder.title(null);
    expect(writes().bytes).toBe(0);
  });

  it('is of a draft some 30 bytes for each letter, in a short one as in a long one', () => {
    const { life, writes, sound } = begun();
    life.type('x'.repeat(100_000));
    life.flush();
    life.type(`${'x'.repeat(50_000)}y${'x'.repeat(50_000)}`);
    expect(writes()).toMatchObject({ records: [{ k: 'draft', at: 50_000, ins: 'y' }] });
    life.type('x'.repeat(100_000));
    expect(writes().bytes).toBeLessThan(40);
    sound();
  });

  it('is of what was sent and what stays in the prompt one line, though nobody told of the block yet', () => {
    const { life, path, sound } = begun();
    life.prompt('waits');
    life.says('yes');
    life.end();
    life.type('what now?');
    life.flush();
    const lines = readFileSync(path, 'utf8').split('\n').length;
    life.prompt('what now?');
    life.type('');
    life.recorder.flush();
    sound();
    const [line] = readFileSync(path, 'utf8')
      .split('\n')
      .slice(lines - 1);
    const kinds = (JSON.parse(line!) as Line[]).map(({ k }) => k);
    expect(kinds).toEqual(['block', 'turn', 'draft']);
  });

  it('is of an attachment once, whatever is typed beside it', () => {
    const { life, writes, sound } = begun();
    const attachment = { type: 'text' as const, text: 'y'.repeat(10_000) };
    life.type('a', [attachment]);
    life.flush();
    life.type('ab', [{ ...attachment }]);
    expect(writes().bytes).toBeLessThan(40);
    sound();
  });

  it('is of a message what is new, and of a prompt in a replay too', () => {
    const { life, writes, sound } = begun();
    life.says('one');
    life.flush();
    life.says(' two');
    life.says(' three');
    expect(writes().records).toEqual([{ k: 'text', id: 'b2', text: ' two three' }]);
    life.end();
    const chunk = { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'again' } };
    life.update(chunk);
    life.flush();
    life.update({ ...chunk, content: { type: 'text', text: ' and' } });
    expect(writes().records).toContainEqual({ k: 'text', id: 'b4', text: ' and' });
    sound();
  });

  it('is of a tool call what has changed: an agent that sends all of its output again costs no more', () => {
    const { life, writes, sound } = begun();
    const rawInput = { command: 'make', more: 'x'.repeat(1000) };
    const long = 'y'.repeat(10_000);
    life.update(call({ rawInput, content: content(long) }));
    life.flush();
    life.update(call({ rawInput, content: content(`${long}more`) }));
    expect(writes().records).toEqual([{ k: 'text', id: 'b2', text: 'more', at: 0 }]);
    life.update(
      call({ content: [...content(`${long}more`), { type: 'terminal', terminalId: 't' }] }),
    );
    expect(writes().records).toMatchObject([
      { k: 'content', from: 1, items: [{ type: 'terminal' }] },
    ]);
    life.update(call({ status: 'completed' }));
    expect(writes().records).toEqual([
      { k: 'set', id: 'b2', set: { status: 'completed', endedAt: life.now } },
    ]);
    life.reducer.fold('b2');
    expect(writes().bytes).toBeLessThan(60);
    sound();
  });

  it('is of a command its new output, also when its beginning goes', () => {
    const { life, writes, sound } = begun();
    const line = (n: number): string => `line ${n} of the output\n`;
    const from = (a: number, b: number): string =>
      Array.from({ length: b - a }, (_, i) => line(a + i)).join('');
    life.update(call({ content: [{ type: 'terminal', terminalId: 't' }] }));
    life.reducer.terminalChanged(terminal('t', from(0, 100)), '', 0);
    life.flush();
    life.reducer.terminalChanged(terminal('t', from(10, 102)), '', 0);
    const { records } = writes();
    expect(records).toEqual([
      { k: 'output', id: 't', cut: from(0, 10).length, text: from(100, 102) },
    ]);
    life.reducer.terminalChanged(
      terminal('t', from(10, 102), { exitCode: 0, signal: null }),
      '',
      0,
    );
    expect(writes().bytes).toBeLessThan(80);
    sound();
  });

  it('is of a command that floods not all that it says, but how it ends', () => {
    const { life, size, writes, clock, sound } = begun();
    const flood = (n: number): string => `${n}`.repeat(256 * 1024).slice(0, 256 * 1024);
    life.update(call({ content: [{ type: 'terminal', terminalId: 't' }] }));
    for (let n = 1; n < 200; n++) {
      life.reducer.terminalChanged(terminal('t', flood(n)), '', 0);
      life.flush();
    }
    expect(size()).toBeLessThan(2 * 1024 * 1024);
    clock.now += 31_000;
    expect(writes().bytes).toBeGreaterThan(200 * 1024);
    sound();
    life.reducer.terminalChanged(terminal('t', flood(200)), '', 0);
    life.reducer.terminalChanged(terminal('t', flood(201), { exitCode: 0, signal: null }), '', 0);
    life.flush();
    sound();
  });

  it('is of a tool that shows another text each time not all of them, but the last of the turn', () => {
    const { life, size, sound } = begun();
    for (let n = 0; n < 400; n++) {
      life.update(call({ content: content(`${n}${'z'.repeat(20_000)}`) }));
      life.flush();
    }
    expect(size()).toBeLessThan(1.2 * 1024 * 1024);
    life.end();
    life.flush();
    sound();
  });
});

describe('changes', () => {
  const part = fc.constantFrom('a', 'b', 'line\n', '\ud83d', 'é', 'ab'.repeat(40));
  const some = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));

  it('of a draft make the new one of the old', () => {
    fc.assert(
      fc.property(some, some, some, (a, b, c) => {
        for (const [was, now] of [
          [a, b],
          [a + b, a + c],
          [a + b + c, a + c],
        ] as const) {
          const { at, del = 0, ins = '' } = textEdit(was, now) ?? { at: 0 };
          expect(was.slice(0, at) + ins + was.slice(at + del)).toBe(now);
        }
      }),
    );
  });

  it('of an output make the new one of the old', () => {
    fc.assert(
      fc.property(some, fc.nat(), some, (was, cut, more) => {
        const now = was.slice(cut % (was.length + 1)) + more;
        const [record] = terminalChanges(terminal('t', was), terminal('t', now));
        const made =
          record?.k === 'output'
            ? was.slice(record.cut ?? 0) + (record.text ?? '')
            : record?.k === 'terminal'
              ? record.terminal.output
              : was;
        expect(made).toBe(now);
      }),
    );
  });

  it('of a block that has not changed are none', () => {
    const { life } = begun();
    life.asks({ toolCallId: 'c', content: content('a'), rawInput: { a: [1] } });
    for (const block of life.transcript.blocks.values()) {
      expect(blockChanges(written(block), block)).toEqual([]);
    }
  });
});

describe('a recorded session of a real agent', () => {
  const logs = resolve(import.meta.dirname, '../fixtures/logs');
  const names = (readdirSync(logs, { recursive: true }) as string[]).filter((name) =>
    name.endsWith('.jsonl'),
  );

  it.each(names)('%s is kept whole, and in less than was said', (name) => {
    const { life, size, sound } = begun();
    let said = 0;
    for (const line of readFileSync(join(logs, name), 'utf8').trim().split('\n')) {
      const { dir, frame } = JSON.parse(line) as {
        dir: string;
        frame?: { method?: string; params?: { update?: unknown } };
      };
      if (dir !== 'a2c' || frame?.method === undefined) continue;
      said += line.length;
      if (frame.method === 'session/update') life.update(frame.params?.update);
      if (frame.method === 'session/request_permission') {
        const { patch, options } = permissionRequest(frame.params);
        const card = life.reducer.toolOfQuestion('q', patch, life.now);
        life.reducer.questionAsked('q', card, options, life.now);
        life.flush();
        life.reducer.questionAnswered(card.id, options[0] ?? null, life.now);
      }
      life.flush();
    }
    life.end();
    life.flush();
    sound();
    expect(size()).toBeLessThan(said + 4000);
  });
});
