import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MarkdownStream } from '../../src/render/markdown';
import type { Fence } from '../../src/render/ops';
import { Screen } from './render-screen';

/** Pushes pieces and shows what a screen makes of them. */
function written(pieces: string[]): { screen: Screen; fences: Fence[] } {
  const stream = new MarkdownStream();
  const screen = new Screen();
  let shown = false;
  for (const [i, piece] of pieces.entries()) {
    const { text, marks, fences } = stream.push(piece, i === pieces.length - 1);
    if (shown) screen.apply([{ op: 'append', id: 'm', text, marks, fences }]);
    else if (text) {
      screen.apply([
        { op: 'put', id: 'm', kind: 'message', lines: text.split('\n'), marks, fences },
      ]);
      shown = true;
    }
  }
  return { screen, fences: (screen.blocks[0]?.fences ?? []) as Fence[] };
}

function marked(text: string, group: string): string[] {
  return written([text]).screen.marked(group);
}

describe('inline marks', () => {
  test.each([
    ['a **bold** word', 'AcpBold', ['**bold**']],
    ['an *italic* and _another_', 'AcpItalic', ['*italic*', '_another_']],
    ['***both***', 'AcpBold', ['**both**']],
    ['***both***', 'AcpItalic', ['***both***']],
    ['**a *b* c**', 'AcpItalic', ['*b*']],
    ['snake_case_name and 2 * 3 * 4', 'AcpItalic', []],
    ['\\*not\\* this', 'AcpItalic', []],
    ['`a *b* c` d', 'AcpItalic', []],
    ['`a *b* c` d', 'AcpCode', ['`a *b* c`']],
    ['``a ` b`` c', 'AcpCode', ['``a ` b``']],
    ['an unclosed ` tick', 'AcpCode', []],
    ['~~gone~~ and ~kept~', 'AcpStrike', ['~~gone~~']],
    ['see [the *docs*](https://a.b/c_d_e) now', 'AcpLink', ['the *docs*']],
    ['at https://a.b/c_d_e. And', 'AcpLink', ['https://a.b/c_d_e']],
    ['<https://a.b> x', 'AcpLink', ['<https://a.b>']],
    ['日本**太字**語', 'AcpBold', ['**太字**']],
    ['👩‍👩‍👧 é **b**', 'AcpBold', ['**b**']],
  ])('%s', (text, group, expected) => {
    expect(marked(text, group)).toEqual(expected);
  });
});

describe('marks of lines', () => {
  test.each([
    ['## A heading', 'AcpHeading', ['## A heading']],
    ['#hashtag', 'AcpHeading', []],
    ['- one\n  1. two', 'AcpListMarker', ['-', '1.']],
    ['- [ ] open\n- [x] done', 'AcpListMarker', ['-', '[ ]', '-']],
    ['- [ ] open\n- [x] done', 'AcpPlanDone', ['[x]']],
    ['> quoted', 'AcpQuote', ['> quoted']],
    ['---', 'AcpRule', ['---']],
    ['| a | b |\n|---|:-:|', 'AcpTableBorder', ['|', '|', '|', '|---|:-:|']],
  ])('%s', (text, group, expected) => {
    expect(marked(text, group)).toEqual(expected);
  });

  test('lines that are too long to be marked again and again have no marks', () => {
    const { screen } = written(['**b** ', 'x'.repeat(5000)]);
    expect(screen.blocks[0]!.marks).toEqual([]);
  });
});

describe('fences', () => {
  test('are reported once, with language and content rows', () => {
    const { fences, screen } = written([
      'text\n```js title=x\nconst a = `**b**`;\n``',
      '`\nmore **b**',
    ]);
    expect(fences).toEqual([{ first: 2, last: 2, lang: 'js', indent: 0 }]);
    expect(screen.marked('AcpBold')).toEqual(['**b**']);
    expect(screen.marked('AcpFence')).toEqual(['```js title=x', '```']);
  });
  test('are reported as soon as the closing line is complete', () => {
    const stream = new MarkdownStream();
    expect(stream.push('```js\na\n```').fences).toEqual([]);
    expect(stream.push('\n')).toMatchObject({ text: '', fences: [{ first: 1, last: 1 }] });
  });
  test('of tildes, longer ones and indented ones hold shorter ones', () => {
    const text = '~~~py\n```\n~~~\n````md\n```\n````\n1. x\n   ```sh\n   ls\n   ```\n';
    expect(written([text]).fences).toEqual([
      { first: 1, last: 1, lang: 'py', indent: 0 },
      { first: 4, last: 4, lang: 'md', indent: 0 },
      { first: 8, last: 8, lang: 'sh', indent: 3 },
    ]);
  });
  test('that are never closed end with the text', () => {
    expect(written(['```c\nint a;\nint b;\n\n']).fences).toEqual([
      { first: 1, last: 2, lang: 'c', indent: 0 },
    ]);
    expect(written(['```c\n```']).fences).toEqual([]);
    expect(written(['```c']).fences).toEqual([]);
  });
});

describe('text', () => {
  test('is what the agent wrote, without line breaks around it', () => {
    expect(written(['\n', '\na\n\n', '\n\n  b', '\n\n']).screen.text).toBe('a\n\n\n\n  b');
  });
  test('shows control characters and mends broken pairs, also when cut between chunks', () => {
    const pieces = ['a\r', '\nb\rc\0', '\u001b[31m \ud83d', '\ude00 \ud83d', 'x \udc00 \ud83d'];
    expect(written(pieces).screen.text).toBe('a\nb^Mc^@^[[31m 😀 \ufffdx \ufffd \ufffd');
  });

  const fragments = fc.constantFrom(
    ...[
      '**',
      '*',
      '_',
      '`',
      '```',
      '```js',
      '~~~',
      '\n',
      '\r\n',
      '\r',
      '\n\n',
      '# ',
      '- [x] ',
      '> ',
      '|',
      '|--|',
    ],
    ...[
      '[a](b)',
      'https://x.y',
      'word',
      ' ',
      '日本',
      '😀',
      '\ud83d',
      '\ude00',
      '\0',
      '\u001b[1m',
      '\\',
      '~~',
    ],
  );
  const text = fc.array(fragments, { maxLength: 40 }).map((parts) => parts.join(''));

  test('in pieces gives what the whole gives, wherever it is cut', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(60), { maxLength: 12 }), (whole, cuts) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b)];
        const pieces = at.map((from, i) => whole.slice(from, at[i + 1]));
        expect(written(pieces).screen).toEqual(written([whole]).screen);
      }),
      { numRuns: 1000 },
    );
  });
});
