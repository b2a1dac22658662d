import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinLines, splitLines } from '../../src/diff/lines';
import { merge } from '../../src/diff/merge';

const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');

test('lines keep their ends, so that joining them gives the text again', () => {
  expect(splitLines('a\r\nb\n\nc')).toEqual(['a\r\n', 'b\n', '\n', 'c']);
  expect(splitLines('')).toEqual([]);
  fc.assert(
    fc.property(fc.stringMatching(/^[ab\r\n]*$/), (text) => {
      expect(joinLines(splitLines(text))).toBe(text);
    }),
  );
});

test('hunks that do not touch are both applied', () => {
  const base = lines('a', 'b', 'c', 'd', 'e');
  expect(merge(base, lines('A', 'b', 'c', 'd', 'e'), lines('a', 'b', 'c', 'd', 'E', 'f'))).toEqual({
    text: lines('A', 'b', 'c', 'd', 'E', 'f'),
    conflicts: [],
  });
});

test('neighbouring lines may be changed from both sides, and lines put between them', () => {
  const base = lines('a', 'b', 'c');
  expect(merge(base, lines('a', 'B', 'c'), lines('a', 'b', 'C')).text).toBe(lines('a', 'B', 'C'));
  expect(merge(base, lines('a', 'new', 'b', 'c'), lines('a', 'B', 'c')).text).toBe(
    lines('a', 'new', 'B', 'c'),
  );
  expect(merge(base, lines('a', 'B', 'c'), lines('a', 'b', 'new', 'c')).text).toBe(
    lines('a', 'B', 'new', 'c'),
  );
});

test('the same change on both sides is one', () => {
  const both = lines('a', 'X', 'Y', 'c');
  expect(merge(lines('a', 'b', 'c'), both, both)).toEqual({ text: both, conflicts: [] });
  const merged = merge(
    lines('a', 'b', 'c', 'd', 'e'),
    lines('a', 'X', 'c', 'd', 'E'),
    lines('Z', 'a', 'X', 'c', 'd', 'e'),
  );
  expect(merged).toEqual({ text: lines('Z', 'a', 'X', 'c', 'd', 'E'), conflicts: [] });
});

test('the same line changed otherwise is a conflict with both sides marked', () => {
  expect(
    merge(lines('a', 'b', 'c'), lines('0', 'a', 'mine', 'c'), lines('a', 'other', 'c')),
  ).toEqual({
    text: lines('0', 'a', '<<<<<<< yours', 'mine', '=======', 'other', '>>>>>>> theirs', 'c'),
    conflicts: [{ line: 3, count: 1 }],
  });
});

test('insertions at the same place conflict; what is the same in them does not', () => {
  const merged = merge(lines('a'), lines('a', 'same', 'x', 'end'), lines('a', 'same', 'y', 'end'), {
    ours: 'the buffer',
    theirs: 'nanocoder',
  });
  expect(merged.text).toBe(
    lines('a', 'same', '<<<<<<< the buffer', 'x', '=======', 'y', '>>>>>>> nanocoder', 'end'),
  );
  expect(merged.conflicts).toEqual([{ line: 3, count: 1 }]);
});

test('a line that one side deletes and the other changes is a conflict', () => {
  expect(merge(lines('a', 'b', 'c'), lines('a', 'c'), lines('a', 'B', 'c'))).toEqual({
    text: lines('a', '<<<<<<< yours', '=======', 'B', '>>>>>>> theirs', 'c'),
    conflicts: [{ line: 2, count: 0 }],
  });
});

test('marks have the line ends of the file', () => {
  expect(merge('a\r\n', 'b\r\n', 'c\r\n').text).toBe(
    '<<<<<<< yours\r\nb\r\n=======\r\nc\r\n>>>>>>> theirs\r\n',
  );
});

test('a missing final newline never joins two lines', () => {
  expect(merge('a\nb\n', 'a\nb', 'a\nb\nc\n').text).toBe('a\nb\nc\n');
  expect(merge('a', 'b', 'c').text).toBe('<<<<<<< yours\nb\n=======\nc\n>>>>>>> theirs\n');
  expect(merge('a\nb', 'A\nb', 'a\nb').text).toBe('A\nb');
});

test('one side without a change gives the other', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ab\n]*$/), fc.stringMatching(/^[ab\n]*$/), (base, other) => {
      expect(merge(base, base, other)).toEqual({ text: other, conflicts: [] });
      expect(merge(base, other, base)).toEqual({ text: other, conflicts: [] });
      expect(merge(base, other, other)).toEqual({ text: other, conflicts: [] });
    }),
  );
});

/** What one side makes of ten lines: each is kept, changed or deleted, with lines before it. */
const side = (name: string) =>
  fc
    .array(
      fc.record({ keep: fc.constantFrom('keep', 'keep', 'change', 'delete'), before: fc.nat(1) }),
      {
        minLength: 10,
        maxLength: 10,
      },
    )
    .map((steps) =>
      steps.flatMap(({ keep, before }, i) => [
        ...Array.from({ length: before }, () => `${name} new ${i}`),
        ...(keep === 'keep' ? [`base ${i}`] : keep === 'change' ? [`${name} ${i}`] : []),
      ]),
    );

test('whatever both sides do, each line that one of them wrote is in the result', () => {
  const base = lines(...Array.from({ length: 10 }, (_, i) => `base ${i}`));
  fc.assert(
    fc.property(side('ours'), side('theirs'), (ours, theirs) => {
      const merged = merge(base, lines(...ours), lines(...theirs));
      const result = splitLines(merged.text);
      for (const line of [...ours, ...theirs]) {
        if (!line.startsWith('base')) expect(result).toContain(`${line}\n`);
      }
      for (const { line, count } of merged.conflicts) {
        expect(line).toBeGreaterThan(0);
        expect(line + count).toBeLessThanOrEqual(ours.length + 1);
      }
      if (merged.conflicts.length === 0) {
        expect(result.filter((line) => ours.includes(line.trim()))).toEqual(
          splitLines(lines(...ours)).filter((line) => result.includes(line)),
        );
      }
    }),
  );
});
