import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ansiLines } from '../../src/render/ansi';
import { textSection } from '../../src/render/output';

const ESC = '\u001b';
const shown = (text: string): string[] => ansiLines(text).map((line) => line.text);

describe('lines that are written over', () => {
  it('show how several of them stand in the end', () => {
    const frame = (a: string, b: string): string => `${ESC}[2A${ESC}[2K${a}\n${ESC}[2K${b}\n`;
    const text = `Pulling\na: 0%\nb: 0%\n${frame('a: 50%', 'b: 10%')}${frame('a: done', 'b: done')}ready\n`;
    expect(shown(text)).toEqual(['Pulling', 'a: done', 'b: done', 'ready', '']);
  });

  it('are not left where there is nothing above or below', () => {
    expect(shown(`one${ESC}[9Atwo${ESC}[9Bthree`)).toEqual(['onetwothree']);
    expect(shown(`one\ntwo${ESC}[1AX${ESC}[1BY`)).toEqual(['oneX', 'two Y']);
    expect(shown(`one\ntwo\n${ESC}[2F1${ESC}[1E2`)).toEqual(['1ne', '2wo', '']);
  });

  it('are erased below, above and all', () => {
    expect(shown(`a\nb\nc${ESC}[2A${ESC}[J`)).toEqual(['a']);
    expect(shown(`a\nb\ncd${ESC}[D${ESC}[1J`)).toEqual(['', '', ' d']);
    expect(shown(`a\nb${ESC}[2J${ESC}[Hnew`)).toEqual(['a', 'b', 'new']);
  });

  it('of a screen that is drawn anew again and again are those of the last time', () => {
    const frame = (n: number): string => `${ESC}[H${ESC}[2Jround ${n}\nof many\n`;
    const text = `start\n${Array.from({ length: 50 }, (_, i) => frame(i)).join('')}`;
    expect(shown(text)).toEqual(['start', 'round 49', 'of many', '']);
  });

  it('are placed where the screen begins, and only where that is known', () => {
    expect(shown(`a\nb\n${ESC}[2J${ESC}[2;3Hx${ESC}[Hy`)).toEqual(['a', 'b', 'y', '  x']);
    expect(shown(`a\nb${ESC}[1;1Hc`)).toEqual(['a', 'bc']);
    expect(shown(`${ESC}[2J${ESC}[99999999;1Hx`).length).toBeLessThan(1000);
  });

  it('are counted as they stand in the end', () => {
    const frames = Array.from({ length: 100 }, (_, i) => `${ESC}[1A${ESC}[K${i}%\n`).join('');
    const section = textSection(`begin\n0%\n${frames}`, 'tail')!;
    expect(section.total).toBe(2);
    expect(section.take(5).map(({ text }) => text)).toEqual(['begin', '99%']);
  });

  it('are lines whatever comes', () => {
    const piece = fc.oneof(
      fc
        .constantFrom('A', 'B', 'E', 'F', 'H', 'J', 'K', '2J', '3J', '1J', '5;5H', '999B', 'X')
        .map((it) => `${ESC}[${it}`),
      fc.constantFrom('\n', '\r', '\b', 'text', '\t'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        for (const { text } of ansiLines(pieces.join(''))) expect(text).not.toMatch(/\n|undefined/);
      }),
      { numRuns: 500 },
    );
  });
});
