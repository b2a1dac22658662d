import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Drawing } from '../../src/render/drawing';

const ESC = '\u001b';
const drawn = (...texts: string[]): string => {
  const drawing = new Drawing();
  return texts.map((text) => drawing.push(text)).join('');
};

describe('what is drawn of an output', () => {
  it.each([
    ['colours', `${ESC}[1;31mred${ESC}[0m ${ESC}[38;2;1;2;3mrgb${ESC}[38:5:9m`],
    ['lines that rewrite themselves', `10%\r20%${ESC}[K\b\b\t.`],
    ['moves of the cursor', `${ESC}[2A${ESC}[3;4H${ESC}[2J${ESC}7${ESC}8${ESC}M${ESC}[5d${ESC}[2X`],
    ['lines and boxes', `${ESC}(0lqk${ESC}(B`],
    ['links', `${ESC}]8;id=1;https://example.org/a?b=c${ESC}\\text${ESC}]8;;${ESC}\\`],
    ['text of all scripts', 'aé€😀\n漢字'],
  ])('keeps %s', (_, text) => {
    expect(drawn(text)).toBe(text);
  });

  it.each([
    ['writes to the clipboard', `${ESC}]52;c;aGVsbG8=${'\u0007'}`],
    ['reads of the clipboard', `${ESC}]52;c;?${ESC}\\`],
    ['titles', `${ESC}]0;title${'\u0007'}${ESC}]2;title${ESC}\\${ESC}k`],
    [
      'colours of the terminal, and questions for them',
      `${ESC}]11;?${ESC}\\${ESC}]4;1;red${ESC}\\`,
    ],
    [
      'the folder, prompts and messages of a shell',
      `${ESC}]7;file:///x${ESC}\\${ESC}]133;A${ESC}\\${ESC}]9;hi${'\u0007'}`,
    ],
    ['links that no person opens', `${ESC}]8;;javascript:alert(1)${ESC}\\${ESC}]8;;vim:x${ESC}\\`],
    [
      'questions',
      `${ESC}[6n${ESC}[5n${ESC}[c${ESC}[>c${ESC}[=c${ESC}[?6n${ESC}[0x${ESC}[18t${ESC}[?2026$p${ESC}Z${ESC}[>q`,
    ],
    [
      'modes',
      `${ESC}[?1049h${ESC}[?1000h${ESC}[?1006h${ESC}[?2004h${ESC}[?25l${ESC}[4h${ESC}[?1l${ESC}[>1u${ESC}[=5u${ESC}=${ESC}>`,
    ],
    ['resets', `${ESC}c${ESC}[!p${ESC}[ q${ESC}[2 q`],
    ['what takes away that which was scrolled out', `${ESC}[3J${ESC}[03J`],
    [
      'strings for devices, programs and people',
      `${ESC}P+q544e${ESC}\\${ESC}_Gi=1;AAAA${ESC}\\${ESC}^x${ESC}\\${ESC}Xx${ESC}\\`,
    ],
    ['bells', '\u0007'],
    ['repetitions, which never end where nothing stands before', `${ESC}[b${ESC}[3b`],
  ])('leaves out %s', (_, text) => {
    expect(drawn(`before${text}after`).replace('^[k', '')).toBe('beforeafter');
  });

  it('shows other control characters as text', () => {
    expect(drawn('a\u0000b\u009b31mc\u007f\ud800d')).toBe('a^@b<U+009B>31mc^?\ufffdd');
  });

  it('is the same however the output is cut', () => {
    const text =
      `a${ESC}[1;31mb${ESC}]52;c;aGVsbG8=${ESC}\\c${ESC}]8;;https://x.org${ESC}\\l${ESC}]8;;${'\u0007'}` +
      `${ESC}(0q${ESC}(B😀${ESC}P+q${ESC}\\${ESC}[6n${ESC}Mz`;
    const whole = drawn(text);
    for (let at = 0; at <= text.length; at++) {
      expect(drawn(text.slice(0, at), text.slice(at))).toBe(whole);
    }
    expect(drawn(...text)).toBe(whole);
  });

  it('ends a string at the end of its line, where nothing else ends it', () => {
    expect(drawn(`${ESC}]0;never ended\nnext line\n`)).toBe('\nnext line\n');
  });

  it('draws nothing of a string that is too long, wherever it ends', () => {
    const long = `${ESC}]52;c;${'A'.repeat(100_000)}`;
    expect(drawn('a', long, 'AAAA', `${ESC}`, '\\b')).toBe('ab');
    expect(drawn(`a${long}`, `${ESC}`, '\\b')).toBe('ab');
  });

  it('holds nothing but what draws, whatever comes', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ESC,
        '[',
        ']',
        'P',
        '52;c;',
        '8;;',
        '\u0007',
        '\\',
        '?',
        '1049h',
        'm',
        '\n',
        '(',
        '\u009c',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    const SAFE =
      // eslint-disable-next-line no-control-regex
      /^(?:[^\p{Cc}\p{Cs}]|[\n\r\t\b]|\u001b\[[\d;:]*[@-`adefmrsu]|\u001b[78DEMH]|\u001b\([0B]|\u001b\]8;[^;\p{Cc}\p{Cs}]*;[^\p{Cc}\p{Cs}\s]*\u001b\\)*$/u;
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(drawn(...pieces)).toMatch(SAFE);
      }),
      { numRuns: 2000 },
    );
  });
});
