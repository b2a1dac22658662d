import fc from 'fast-check';
import { expect, test } from 'vitest';
import { carry } from '../../src/review/carry';
import { edits } from '../../src/diff/edits';
import { splitLines } from '../../src/diff/lines';

const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');

test('where the agent changed nothing, the base is what the user made', () => {
  expect(carry('a\n', 'a\n', 'b')).toBe('b');
  expect(carry('a\n', 'b\n', 'b\n')).toBe('a\n');
});

test('an edit away from the agent’s hunks is done to the base too', () => {
  const base = lines('a', 'b', 'c', 'd');
  const text = lines('A', 'b', 'c', 'd');
  expect(carry(base, text, lines('A', 'b', 'user', 'd'))).toBe(lines('a', 'b', 'user', 'd'));
});

test('lines that the user deletes vanish from the base, those of the agent were never in it', () => {
  const base = lines('a', 'b', 'c');
  const text = lines('a', 'agent 1', 'agent 2', 'b', 'c');
  expect(carry(base, text, lines('a', 'agent 2', 'c'))).toBe(lines('a', 'c'));
});

test('what the user writes between the agent’s lines is the user’s', () => {
  const base = lines('a', 'b');
  const text = lines('a', 'agent 1', 'agent 2', 'b');
  expect(carry(base, text, lines('a', 'agent 1', 'user', 'agent 2', 'b'))).toBe(
    lines('a', 'user', 'b'),
  );
});

test('a line of the agent’s that the user rewrites is the user’s; what it replaced comes back with a rejection', () => {
  expect(carry(lines('a', 'old', 'b'), lines('a', 'agent', 'b'), lines('a', 'user', 'b'))).toBe(
    lines('a', 'old', 'user', 'b'),
  );
});

test('what the user puts before or behind an agent’s hunk stays there', () => {
  const base = lines('a', 'old', 'b');
  const text = lines('a', 'agent', 'b');
  expect(carry(base, text, lines('a', 'user', 'agent', 'b'))).toBe(lines('a', 'user', 'old', 'b'));
  expect(carry(base, text, lines('a', 'agent', 'user', 'b'))).toBe(lines('a', 'old', 'user', 'b'));
});

test('lines that the agent deleted stay in the base', () => {
  expect(carry(lines('a', 'b', 'c', 'd'), lines('a', 'd'), lines('a', 'user', 'd'))).toBe(
    lines('a', 'user', 'b', 'c', 'd'),
  );
  expect(carry(lines('a', 'b'), '', 'user\n')).toBe(lines('user', 'a', 'b'));
});

test('the agent’s change taken back by hand is no change any more', () => {
  const base = lines('a', 'one', 'two', 'b');
  const text = lines('a', 'ONE', 'TWO', 'b');
  expect(carry(base, text, base)).toBe(base);
  expect(carry(base, text, lines('a', 'ONE', 'two', 'b'))).toBe(base);
  const half = carry(base, text, lines('a', 'one', 'TWO', 'b'));
  expect(half).toBe(base);
  expect(carry(lines('a', '}', 'b'), lines('a', 'b'), lines('a', '}', 'b'))).toBe(
    lines('a', '}', 'b'),
  );
});

test('a bracket in what the user wrote is not taken for one that the agent deleted', () => {
  const base = lines('if (a) {', '  b();', '}', 'end');
  expect(carry(base, lines('end'), lines('for (;;) {', '  c();', '}', 'end'))).toBe(
    lines('for (;;) {', '  c();', '}', 'if (a) {', '  b();', '}', 'end'),
  );
});

test('line ends are carried without the lines', () => {
  // Only the last line lacked its end; the user, who adds a line, did not write that one.
  expect(carry('a\nb', 'a\nb\nagent', 'a\nb\nagent\nuser')).toBe('a\nb\nuser');
  expect(carry('a\nold\n', 'a\nagent\n', 'a\r\nagent\r\n')).toBe('a\r\nold\n');
  expect(carry('a\nb\n', 'A\nb', 'A\nb\nc\n')).toBe('a\nb\nc\n');
  expect(carry('a\r\nb\r\n', 'A\r\nb\r\n', 'A\r\nb\r\nuser')).toBe('a\r\nb\r\nuser');
});

test('comparisons that were cut short lose nothing', () => {
  const many = (name: string) =>
    Array.from({ length: 8000 }, (_, i) => `${name} ${i % 7} ${i % 11}`);
  const base = lines(...many('base'));
  const text = lines(...many('agent'));
  const after = lines(...many('agent').slice(0, 4000), 'user', ...many('agent').slice(4000));
  const carried = splitLines(carry(base, text, after));
  expect(carried).toContain('user\n');
  expect(carried.filter((line) => line.startsWith('base'))).toHaveLength(8000);
});

/** A line with its author, and the texts that hold it. */
interface Cell {
  line: string;
  base: boolean;
  text: boolean;
  after: boolean;
  user: boolean;
}

/** A file that first the agent and then the user changed, line by line. */
const history = fc
  .record({
    length: fc.nat(12),
    agent: fc.array(fc.tuple(fc.nat(30), fc.nat(3)), { maxLength: 8 }),
    user: fc.array(fc.tuple(fc.nat(30), fc.nat(3)), { maxLength: 8 }),
  })
  .map(({ length, agent, user }) => {
    const cells: Cell[] = Array.from({ length }, (_, i) => ({
      line: `base ${i}`,
      base: true,
      text: true,
      after: true,
      user: false,
    }));
    agent.forEach(([place, count], i) => {
      const at = place % (cells.length + 1);
      if (count === 0 && cells[at]) Object.assign(cells[at], { text: false, after: false });
      const line = { base: false, text: true, after: true, user: false };
      for (let n = 0; n < count; n++) cells.splice(at, 0, { ...line, line: `agent ${i}.${n}` });
    });
    user.forEach(([place, count], i) => {
      const at = place % (cells.length + 1);
      if (count === 0 && cells[at]) cells[at].after = false;
      const line = { base: false, text: false, after: true, user: true };
      for (let n = 0; n < count; n++) cells.splice(at, 0, { ...line, line: `user ${i}.${n}` });
    });
    return cells.filter(({ base, text, after }) => base || text || after);
  });

test('for every history: the base gets exactly what the user did, and nothing of the user’s is the agent’s', () => {
  fc.assert(
    fc.property(history, fc.boolean(), (cells, final) => {
      const texts = (['base', 'text', 'after'] as const).map((name) => {
        const all = lines(...cells.filter((cell) => cell[name]).map(({ line }) => line));
        return final ? all : all.slice(0, -1);
      });
      const [base, text, after] = texts as [string, string, string];
      const carried = splitLines(carry(base, text, after)).map((line) => line.trimEnd());
      const expected = cells.filter((cell) => (cell.user ? cell.after : cell.base && !gone(cell)));
      expect([...carried].sort()).toEqual(expected.map(({ line }) => line).sort());
      // In the order of both texts.
      for (const name of ['base', 'after'] as const) {
        const order = cells.filter((cell) => cell[name]).map(({ line }) => line);
        const shared = carried.filter((line) => order.includes(line));
        expect(shared).toEqual(order.filter((line) => carried.includes(line)));
      }
      const left = after.split('\n').filter((line) => line !== '');
      for (const edit of edits(carried, left)) {
        const agents = [
          ...carried.slice(edit.oldFrom, edit.oldTo),
          ...left.slice(edit.newFrom, edit.newTo),
        ];
        expect(agents.filter((line) => line.startsWith('user'))).toEqual([]);
      }
    }),
    { numRuns: 1000 },
  );
});

/** Whether the user deleted it. */
function gone(cell: Cell): boolean {
  return cell.text && !cell.after;
}
