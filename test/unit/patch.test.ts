import { describe, expect, test } from 'vitest';
import { parsePatch } from '../../src/proposal/patch';

const names = (text: string) =>
  parsePatch(text)?.map(({ action, path, from }) => [action, path, ...(from ? [from] : [])]);

describe('a unified diff', () => {
  test('names its files in every common way', () => {
    const hunk = '@@ -1 +1 @@\n-a\n+b\n';
    expect(names(`--- a/x\n+++ b/x\n${hunk}`)).toEqual([['update', 'x']]);
    expect(names(`--- /p/x\t2026-01-02\n+++ /p/x\t2026-01-03\n${hunk}`)).toEqual([
      ['update', '/p/x'],
    ]);
    expect(
      names(`Index: x\n=====\n--- x\n+++ x\n${hunk}Index: y\n=====\n--- y\n+++ y\n${hunk}`),
    ).toEqual([
      ['update', 'x'],
      ['update', 'y'],
    ]);
    expect(names(`--- a/x\n+++ b/x\n${hunk}--- a/y\n+++ b/y\n${hunk}`)).toEqual([
      ['update', 'x'],
      ['update', 'y'],
    ]);
    expect(names(hunk)).toEqual([['update', '']]);
  });

  test('adds, deletes and renames, also without hunks', () => {
    const git = (...lines: string[]) => names(`diff --git a/x b/x\n${lines.join('\n')}\n`);
    expect(git('new file mode 100644', 'index 0000000..e69de29')).toEqual([['add', 'x']]);
    expect(git('deleted file mode 100644', 'index e69de29..0000000')).toEqual([['delete', 'x']]);
    expect(names('--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n')).toEqual([['add', 'x']]);
    expect(names('--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n')).toEqual([['delete', 'x']]);
    expect(names('diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n')).toEqual(
      [['update', 'y', 'x']],
    );
  });

  test('keeps lines that look like its own', () => {
    const [file] = parsePatch('--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f()\n--- a\n+++ b\n @@ -1 @@\n')!;
    expect(file!.hunks).toMatchObject([
      { before: ['-- a', '@@ -1 @@'], after: ['++ b', '@@ -1 @@'], at: 0 },
    ]);
  });

  test('says which side has no newline at its end', () => {
    const newline = (...lines: string[]) =>
      parsePatch(`@@ -1 +1 @@\n${lines.join('\n')}\n`)![0]!.hunks[0]!.newline;
    const bare = '\\ No newline at end of file';
    expect(newline('-a', '+b')).toEqual([true, true]);
    expect(newline('-a', bare, '+b')).toEqual([false, true]);
    expect(newline('-a', '+b', bare)).toEqual([true, false]);
    expect(newline('-a', bare, '+b', bare)).toEqual([false, false]);
  });

  test('is none when its lines are not what it says', () => {
    for (const text of [
      '',
      'words',
      '--- a/x\n+++ b/x\n',
      '@@ -1,2 +1 @@\n-a\n+b\n',
      '@@ -1 +1 @@\n-a\n+b\n+c\n',
      '@@ ... @@\n-a\n+b\n',
      'diff --git a/x b/x\nold mode 100644\nnew mode 100755\n',
      'diff --git a/x b/x\nGIT binary patch\nliteral 0\n',
    ]) {
      expect(parsePatch(text), text).toBeNull();
    }
  });
});

describe('a patch between *** Begin Patch and *** End Patch', () => {
  const patch = (...lines: string[]) =>
    parsePatch(['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));

  test('adds, changes, moves and deletes files', () => {
    const text = [
      '*** Begin Patch',
      '*** Add File: a',
      '+x',
      '*** Update File: b',
      '*** Move to: c',
      '@@',
      '-x',
      '+y',
      '*** Delete File: d',
      '*** End Patch',
    ];
    expect(names(text.join('\n'))).toEqual([
      ['add', 'a'],
      ['update', 'c', 'b'],
      ['delete', 'd'],
    ]);
  });

  test('names the lines that its hunks stand behind, and the end of the file', () => {
    const [file] = patch(
      '*** Update File: a',
      '@@ class A',
      '@@   def f',
      ' x',
      '-y',
      '',
      '@@',
      '+z',
      '*** End of File',
    )!;
    expect(file!.hunks).toMatchObject([
      { anchors: ['class A', '  def f'], before: ['x', 'y', ''], after: ['x', ''], atEnd: false },
      { anchors: [], before: [], after: ['z'], atEnd: true },
    ]);
  });

  test('is none when it is cut or says something else', () => {
    expect(parsePatch('*** Begin Patch\n*** Delete File: a\n')).toBeNull();
    expect(patch()).toBeNull();
    expect(patch('+x')).toBeNull();
    expect(patch('*** Add File: a', 'x')).toBeNull();
    expect(patch('*** Delete File: a', '-x')).toBeNull();
    expect(patch('*** Update File: a', '@@ f')).toBeNull();
    expect(patch('*** Update File: a', '!x')).toBeNull();
    expect(patch('*** Update File: a')).toBeNull();
  });
});
