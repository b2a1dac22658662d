import { describe, expect, test } from 'vitest';
import { combine, inShapeOf, mergeMarked, refusal } from '../../src/client/merging';
import { MAX_TEXT, Versions } from '../../src/client/versions';

describe('the texts that agents saw', () => {
  test('are kept for each session, and go with it', () => {
    const [a, b] = [new Versions(), new Versions()];
    a.set('/x', 'one');
    b.set('/x', 'two');
    expect([a.get('/x'), b.get('/x')]).toEqual(['one', 'two']);
    a.clear();
    expect([a.get('/x'), b.get('/x')]).toEqual([undefined, 'two']);
    b.set('/x', null);
    expect(b.get('/x')).toBeUndefined();
  });

  test('are not kept where they are too long; an older one goes then, too', () => {
    const versions = new Versions();
    versions.set('/x', 'é'.repeat(MAX_TEXT / 2));
    expect(versions.get('/x')).toBeDefined();
    versions.set('/x', 'é'.repeat(MAX_TEXT / 2 + 1));
    expect(versions.get('/x')).toBeUndefined();
  });

  test('take bounded memory: those that nobody asked for longest go first', () => {
    const versions = new Versions();
    const other = new Versions();
    const text = 'x'.repeat(MAX_TEXT);
    versions.set('/first', text);
    versions.set('/second', text);
    for (let i = 0; i < 30; i++) other.set(`/${i}`, text);
    versions.get('/first');
    other.set('/more', text);
    expect(versions.get('/first')).toBe(text);
    expect(versions.get('/second')).toBeUndefined();
    versions.clear();
    other.clear();
  });
});

describe('an agent’s text beside the user’s', () => {
  const TEN = Array.from({ length: 10 }, (_, i) => `${i}\n`);

  test('is as the agent sent it where nothing was changed but line ends or a byte order mark', () => {
    expect(combine('a\n', 'a\r\n', 'b\n')).toEqual({ text: 'b\n', conflicts: [] });
    expect(combine('a\r\n', 'a\n', '\uFEFFb\r\n')).toEqual({ text: '\uFEFFb\r\n', conflicts: [] });
  });

  test('is the user’s where the agent changed nothing', () => {
    expect(combine('a\nb\n', 'a\nB\n', 'a\r\nb\r\n').text).toBe('a\nB\n');
  });

  test('of CRLF keeps them for the lines that come in', () => {
    expect(combine('a\nb\nc\n', 'A\r\nb\r\nc\r\n', 'a\nb\nC\nd\n').text).toBe(
      'A\r\nb\r\nC\r\nd\r\n',
    );
  });

  test('is refused by naming the first places, and how many more there are', () => {
    const every = (mark: string): string => TEN.map((line, i) => (i % 2 ? line : mark)).join('');
    const { conflicts } = combine(TEN.join(''), every('mine\n'), every('agents\n'));
    expect(refusal('/x', conflicts).message).toContain('(line 1, line 3, line 5, line 7, line 9)');
    const insert = combine('', 'a\n', 'b\n').conflicts;
    expect(refusal('/x', [...conflicts, ...insert]).message).toContain('line 9, 1 more place)');
  });

  test('is named as a place before a line where the user has deleted it', () => {
    const { conflicts } = combine('a\nb\nc\n', 'a\nc\n', 'a\nB\nc\n');
    expect(refusal('/x', conflicts).message).toContain('(before line 2)');
  });
});

test('what the user makes of a text keeps its byte order mark and the line ends of what stays', () => {
  expect(inShapeOf('\uFEFFa\r\nb\nc\r\n', 'a\nb\nnew\n')).toBe('\uFEFFa\r\nb\nnew\r\n');
  expect(inShapeOf('a\nb', 'a\nc')).toBe('a\nc');
  expect(inShapeOf('a\n', '')).toBe('');
  expect(inShapeOf('', 'a\n')).toBe('a\n');
});

describe('both sides in one text', () => {
  const labels = { ours: 'yours', theirs: 'on disk' };

  test('have marks only where both differ from what was there', () => {
    const merged = mergeMarked(
      'a\n-\nb\n-\nc\n',
      'A\n-\nb\n-\nmine\n',
      'a\n-\nB\n-\ntheirs\n',
      labels,
    );
    expect(merged).toBe('A\n-\nB\n-\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> on disk\n');
  });

  test('have marks wherever they differ, where nobody knows what was there', () => {
    const merged = mergeMarked(null, 'a\nmine\nc', 'a\nc\nd\n', labels);
    expect(merged).toBe('a\n<<<<<<< yours\nmine\nc\n=======\nc\nd\n>>>>>>> on disk\n');
  });
});
