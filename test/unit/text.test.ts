import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ansiLines } from '../../src/render/ansi';
import { byteColumns, oneLine, sanitize } from '../../src/text';
import { displayWidth, fit } from '../../src/render/width';

describe('text from outside', () => {
  test('keeps tabs and line breaks and shows every other control character', () => {
    expect(sanitize('a\tb\r\nc\rd\0\u001b]0;x\u0007\u007f\u0085')).toBe(
      'a\tb\nc^Md^@^[]0;x^G^?<U+0085>',
    );
  });
  test('has no lone surrogates', () => {
    expect(sanitize('\ud83d😀\ude00')).toBe('\ufffd😀\ufffd');
  });
  test('is one line as a title, in the order in which it is read', () => {
    expect(oneLine(' rm\n  -rf\u202e x ', ' ↵ ')).toBe('rm ↵ -rf<U+202E> x');
  });
  test('has byte columns where UTF-8 has them', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '日', '😀', '\u0301', 'ש') });
    fc.assert(
      fc.property(text, (line) => {
        const column = byteColumns(line);
        let at = 0;
        for (const char of line) {
          expect(column(at)).toBe(Buffer.byteLength(line.slice(0, at)));
          at += char.length;
        }
        expect(column(at)).toBe(Buffer.byteLength(line));
      }),
    );
  });
});

describe('width', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['😀', 2],
    ['─✓…', 3],
    ['a\tb', 9],
    ['ｶﾅ', 2],
    ['Ｆ', 2],
  ])('of %s', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
  test('is what a text is cut to', () => {
    expect(fit('abcdef', 6, '…')).toBe('abcdef');
    expect(fit('abcdef', 4, '…')).toBe('abc…');
    expect(fit('日本語', 4, '…')).toBe('日…');
    expect(fit('\u0301'.repeat(1e6), 4, '…').length).toBeLessThan(100);
  });
});

describe('output of commands', () => {
  const lines = (text: string): string[] => ansiLines(text).map((line) => line.text);
  const coloured = (text: string): [string, string][] =>
    ansiLines(text).flatMap((line) =>
      line.spans.map(([from, to, group]): [string, string] => [
        Buffer.from(line.text).subarray(from, to).toString(),
        group,
      ]),
    );

  test('has its colours as groups', () => {
    expect(coloured('日\u001b[31mrot\u001b[0m \u001b[1;92mok\u001b[22m!\n\u001b[4mu')).toEqual([
      ['日', 'AcpToolOutput'],
      ['rot', 'AcpAnsiRed'],
      [' ', 'AcpToolOutput'],
      ['ok', 'AcpAnsiBrightGreen'],
      ['ok', 'AcpAnsiBold'],
      ['!', 'AcpAnsiBrightGreen'],
      ['u', 'AcpAnsiBrightGreen'],
      ['u', 'AcpAnsiUnderline'],
    ]);
  });
  test('has the nearest of sixteen for other colours, and no backgrounds', () => {
    expect(
      coloured('\u001b[38;5;196ma\u001b[38;2;0;120;0mb\u001b[0;48;5;21mc\u001b[38:5:33md'),
    ).toEqual([
      ['a', 'AcpAnsiBrightRed'],
      ['b', 'AcpAnsiGreen'],
      ['c', 'AcpToolOutput'],
      ['d', 'AcpAnsiBrightBlue'],
    ]);
  });
  test('rewrites its line as a terminal does', () => {
    expect(
      lines('10%\r100%\rdo\nabc\b\bX\nold text\r\u001b[Knew\na\u001b[3Cb\r\u001b[2Kz\n'),
    ).toEqual(['do0%', 'aXc', 'new', 'z', '']);
  });
  test('drops titles, links and cursor sequences, and shows what is none of them', () => {
    const link = '\u001b]8;;http://x\u001b\\here\u001b]8;;\u001b\\';
    expect(lines(`\u001b]0;title\u0007${link}\u001b[?25l\u001b(B \u001b\u0001 \0`)).toEqual([
      'here ^[^A ^@',
    ]);
  });
  test('shows nothing of a sequence that is cut at the end', () => {
    expect(lines('a\u001b[3')).toEqual(['a']);
    expect(lines('a\u001b')).toEqual(['a']);
  });
  test('is bounded in a line, and never fails', () => {
    expect(lines('x'.repeat(100_000))[0]!.length).toBeLessThan(5000);
    expect(lines('\u001b[999999999Cx')[0]!.length).toBeLessThan(5000);
    const parts = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '3',
      ';',
      'm',
      'K',
      'C',
      '\r',
      '\b',
      '\n',
      '日',
      '\ud83d',
      '\u0007',
    );
    fc.assert(
      fc.property(fc.array(parts), (all) => {
        for (const { text, spans } of ansiLines(all.join(''))) {
          expect(text).not.toMatch(/[^\P{Cc}\t]/u);
          for (const [from, to] of spans)
            expect(from < to && to <= Buffer.byteLength(text)).toBe(true);
        }
      }),
    );
  });
});
