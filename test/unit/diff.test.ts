import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileDiff } from '../../src/diff/file-diff';
import type { DiffContent } from '../../src/proposal/pieces';
import { fileDiffs } from '../harness/diffs';

type Files = Record<string, string>;

const diffs = (contents: DiffContent[], files: Files = {}): Promise<FileDiff[]> =>
  fileDiffs(contents, { cwd: '/p', readFile: async (path) => files[path] ?? null });

const edit = (oldText: string | null, newText: string, path = '/p/a.txt'): DiffContent => ({
  path,
  oldText,
  newText,
});

async function only(contents: DiffContent[], file?: string): Promise<FileDiff> {
  const all = await diffs(contents, file === undefined ? {} : { '/p/a.txt': file });
  expect(all).toHaveLength(1);
  return all[0]!;
}

/** The rows of a diff, as `git diff` would print them. */
const printed = (diff: FileDiff): string[] =>
  diff.hunks.flatMap(({ oldStart, newStart, rows }) => [
    `@@ -${oldStart} +${newStart}`,
    ...rows.map(({ type, text }) => ({ same: ' ', add: '+', del: '-' })[type] + text),
  ]);

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `line ${i + 1}`);
const file = (lines: string[]): string => lines.map((line) => `${line}\n`).join('');

describe('hunks', () => {
  test('have three lines of context and the line numbers of both sides', async () => {
    const before = numbered(20);
    const after = [...before];
    after.splice(9, 1, 'changed', 'and one more');
    const diff = await only([edit(file(before), file(after))], file(before));
    expect(diff).toMatchObject({ status: 'modified', fragment: false, added: 2, removed: 1 });
    expect(printed(diff)).toEqual([
      '@@ -7 +7',
      ' line 7',
      ' line 8',
      ' line 9',
      '-line 10',
      '+changed',
      '+and one more',
      ' line 11',
      ' line 12',
      ' line 13',
    ]);
    expect(diff.lines).toEqual(after);
  });

  test('are joined where their contexts touch, and apart where they do not', async () => {
    const before = numbered(30);
    const hunks = async (...rows: number[]) => {
      const after = before.map((line, i) => (rows.includes(i + 1) ? `${line}!` : line));
      return (await only([edit(file(before), file(after))], file(before))).hunks;
    };
    expect(await hunks(5, 12)).toHaveLength(1);
    expect(await hunks(5, 13)).toHaveLength(2);
  });

  test('turn the old file into the new one, whatever was changed', async () => {
    const line = fc.constantFrom('', 'a', 'b', '\tc', '}', 'é𝄞', 'x y');
    const text = fc
      .tuple(fc.array(line, { maxLength: 40 }), fc.boolean())
      .map(([lines, newline]) => lines.join('\n') + (newline && lines.length > 0 ? '\n' : ''));
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const [diff] = await diffs([edit(before, after)]);
        // Without a file, a text that is not empty on both sides is a fragment; the hunks are the same.
        const marker = ' ⟨no newline at end of file⟩';
        const split = (side: string, other: string) => {
          const lines = side === '' ? [] : side.replace(/\n$/, '').split('\n');
          const bare = side !== '' && other !== '' && !side.endsWith('\n') && other.endsWith('\n');
          if (bare) lines[lines.length - 1] += marker;
          return lines;
        };
        const old = split(before, after);
        const result: string[] = [];
        let at = 0;
        for (const hunk of diff!.hunks) {
          while (at < hunk.oldStart - 1) result.push(old[at++]!);
          expect(result).toHaveLength(hunk.newStart - 1);
          for (const row of hunk.rows) {
            if (row.type !== 'add') expect(old[at++]).toBe(row.text);
            if (row.type !== 'del') result.push(row.text);
          }
        }
        expect([...result, ...old.slice(at)]).toEqual(split(after, before));
        expect(diff!.added - diff!.removed).toBe(split(after, before).length - old.length);
      }),
      { numRuns: 300 },
    );
  });

  test('of CRLF against LF are only the lines that differ', async () => {
    const diff = await only([edit('one\ntwo', 'one!\ntwo')], 'zero\r\none\r\ntwo\r\n');
    expect(printed(diff)).toEqual(['@@ -1 +1', ' zero', '-one', '+one!', ' two']);
    expect(diff.lines).toEqual(['zero', 'one!', 'two']);
  });

  test('show that the final newline was lost', async () => {
    const diff = await only([edit('a\nb\n', 'a\nb')], 'a\nb\n');
    expect(printed(diff)).toEqual(['@@ -1 +1', ' a', '-b', '+b ⟨no newline at end of file⟩']);
  });

  test('make control characters and direction marks visible, and cut endless lines', async () => {
    const diff = await only([edit(null, `\x1b[31m\u202eevil\0\ttab\n${'x'.repeat(9000)}\n`)]);
    const [first, second] = diff.hunks[0]!.rows;
    expect(first!.text).toBe('^[[31m<U+202E>evil^@\ttab');
    expect(second!.text).toHaveLength(5002);
  });
});

describe('the pieces of an agent', () => {
  const source = file([
    'def greet(name):',
    '    return name',
    '',
    'def add(a, b):',
    '    return a + b',
  ]);

  test('stand at their place in the file when they occur once', async () => {
    const diff = await only([edit('return a + b', 'return b + a')], source);
    expect(diff).toMatchObject({ fragment: false, added: 1, removed: 1 });
    expect(printed(diff).slice(0, 1)).toEqual(['@@ -2 +2']);
    expect(printed(diff).slice(-2)).toEqual(['-    return a + b', '+    return b + a']);
    expect(diff.lines?.[4]).toBe('    return b + a');
  });

  test('are found by their new text when the edit was made already', async () => {
    const piece = edit('def greet(name):', 'def greet(name): # edited');
    const changed = source.replace(piece.oldText!, piece.newText);
    const now = await only([piece], changed);
    expect(now).toEqual(await only([piece], source));
    const replaced = edit('return name', 'yield 1');
    const before = await only([replaced], source);
    expect(before.fragment).toBe(false);
    expect(await only([replaced], source.replace('return name', 'yield 1'))).toEqual(before);
  });

  test('are shown as pieces when they occur twice or nowhere', async () => {
    for (const text of ['def ', 'no such text']) {
      const diff = await only([edit(text, 'x')], source);
      expect(diff).toMatchObject({ fragment: true, status: 'modified', added: 1, removed: 1 });
      expect(diff.lines).toBeUndefined();
    }
  });

  test('of one file are merged into one diff, in their order', async () => {
    const all = await diffs(
      [
        edit('return name', 'return name + "!"'),
        edit(null, 'new\n', '/p/b.txt'),
        edit('return a + b', 'return b + a', 'a.txt'),
      ],
      { '/p/a.txt': source },
    );
    expect(all.map(({ name, added, removed }) => [name, added, removed])).toEqual([
      ['a.txt', 2, 2],
      ['b.txt', 1, 0],
    ]);
  });

  test('that end with a newline are found at the end of a file without one', async () => {
    const diff = await only([edit('two\n', 'three\n')], 'one\ntwo');
    const two = '-two ⟨no newline at end of file⟩';
    expect(printed(diff)).toEqual(['@@ -1 +1', ' one', two, '+three']);
  });

  test('without an old text overwrite the file that is there', async () => {
    const diff = await only([edit(null, 'one\nTWO\n')], 'one\ntwo\n');
    expect(diff.status).toBe('modified');
    expect(printed(diff)).toEqual(['@@ -1 +1', ' one', '-two', '+TWO']);
  });

  test('whose old text is empty are pieces where a file is not', async () => {
    expect(await only([edit('', 'one\n')], 'two\n')).toMatchObject({ fragment: true, removed: 0 });
    expect(await only([edit('', 'one\n')], '')).toMatchObject({ fragment: false });
  });

  test('are hunks in their order, if there is one way for them to stand', async () => {
    const lines = 'a\nx\nb\nx\nc\n';
    const hunks = [edit('x\n', 'X\n'), edit('x\n', 'Y\n')];
    expect((await only(hunks, lines)).lines).toEqual(['a', 'X', 'b', 'Y', 'c']);
    expect((await only(hunks, `x\n${lines}`)).fragment).toBe(true);
    expect((await only(hunks.toReversed(), lines)).lines).toEqual(['a', 'Y', 'b', 'X', 'c']);
    const others = [edit('c\n', 'C\n'), edit('a\n', 'A\n')];
    expect((await only(others, lines)).lines).toEqual(['A', 'x', 'b', 'x', 'C']);
  });

  test('that are the file as it stands were a new file', async () => {
    const diff = await only([edit(null, 'one\ntwo\n')], 'one\ntwo\n');
    expect(diff).toMatchObject({ status: 'new', added: 2, removed: 0, fragment: false });
  });

  test('whose new text is empty delete the file, before and after it is gone', async () => {
    for (const disk of ['one\ntwo\n', undefined]) {
      const diff = await only([edit('one\ntwo\n', '')], disk);
      expect(diff).toMatchObject({ status: 'deleted', added: 0, removed: 2, fragment: false });
    }
  });

  test('of a file outside the folder have its whole path as name', async () => {
    const [diff] = await diffs([edit(null, 'x', '/etc/b')]);
    expect(diff!.name).toBe('/etc/b');
  });
});

describe('words', () => {
  const words = async (before: string, after: string) => {
    const { hunks } = await only([edit(before, after)], before);
    return hunks[0]!.rows.map((row) => row.words);
  };

  test('that changed are marked in byte columns', async () => {
    expect(await words('é = old(1)\n', 'é = newer(1)\n')).toEqual([[[5, 8]], [[5, 10]]]);
  });

  test('are marked in the similar line, not in lines that only stand near', async () => {
    expect(await words('return a < b;\n', '# quite another thing\nreturn a > b;\n')).toEqual([
      [[9, 10]],
      undefined,
      [[9, 10]],
    ]);
  });

  test('are not looked for in very long lines', async () => {
    const line = 'word '.repeat(300);
    expect(await words(`${line}old\n`, `${line}new\n`)).toEqual([undefined, undefined]);
  });
});

describe('large files', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `  v${i % 977} = f(${i}, "x${i % 13}");`);
  const timed = async (after: string[]) => {
    const start = performance.now();
    const diff = await only([edit(file(lines), file(after))], file(lines));
    // The bound to hold is 300 ms; other work on the machine must not fail the test.
    expect(performance.now() - start).toBeLessThan(1500);
    return diff;
  };

  test('of 20,000 lines with a thousand changes have a thousand exact hunks', async () => {
    const diff = await timed(lines.map((line, i) => (i % 20 === 5 ? `${line} // changed` : line)));
    expect(diff).toMatchObject({ added: 1000, removed: 1000 });
    expect(diff.hunks).toHaveLength(1000);
  });

  test('that have nothing in common end in a replacement', async () => {
    const diff = await timed(lines.map((_, i) => (i % 3 ? '}' : '{')));
    expect(diff).toMatchObject({ added: 20_000, removed: 20_000 });
  });

  test('send a bounded number of rows and tell how many are missing', async () => {
    const diff = await only([edit(null, 'x\n'.repeat(60_000))]);
    expect(diff.added).toBe(60_000);
    const { rows } = diff.hunks[0]!;
    expect(rows).toHaveLength(50_001);
    expect(rows.at(-1)!.text).toContain('10000 more lines');
  });
});
