import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, encode, type Decoded } from '../../src/diff/encoding';

const hex = (bytes: string): Buffer => Buffer.from(bytes.replaceAll(' ', ''), 'hex');

/** Bytes as files have them: of every encoding, cut, mixed, and noise. */
const files = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc.uint8Array({ min: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(`\uFEFF${text}`)),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(`\uFEFF${text}`, 'utf16le')),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.concat([hex('fffe'), bytes])),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.concat([hex('feff'), bytes])),
);

describe('decoding', () => {
  test('what is taken for text comes back byte for byte', () => {
    fc.assert(
      fc.property(files, (bytes) => {
        const decoded = decode(bytes);
        if (decoded) expect(encode(decoded.text, decoded)).toEqual(bytes);
      }),
      { numRuns: 2000 },
    );
  });

  test('all text without NUL is taken, in each encoding that can carry it', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\r\n', '\n', '\uFEFF') });
    const like = fc.constantFrom<Omit<Decoded, 'text'>>(
      { encoding: 'utf-8', bom: true },
      { encoding: 'utf-16le', bom: true },
      { encoding: 'utf-16be', bom: true },
    );
    fc.assert(
      fc.property(text, like, (text, like) => {
        expect(decode(encode(text, like)!)).toEqual({ text, ...like });
      }),
    );
  });

  test.each<[string, Buffer, Decoded | null]>([
    ['an empty file', hex(''), { text: '', encoding: 'utf-8', bom: false }],
    ['UTF-8', Buffer.from('é\r\nb'), { text: 'é\r\nb', encoding: 'utf-8', bom: false }],
    ['UTF-8 with a mark', hex('efbbbf 61'), { text: 'a', encoding: 'utf-8', bom: true }],
    ['two marks', hex('efbbbf efbbbf'), { text: '\uFEFF', encoding: 'utf-8', bom: true }],
    ['a lone mark', hex('fffe'), { text: '', encoding: 'utf-16le', bom: true }],
    ['UTF-16LE', hex('fffe 6100 ac20'), { text: 'a€', encoding: 'utf-16le', bom: true }],
    ['UTF-16BE', hex('feff 0061 20ac'), { text: 'a€', encoding: 'utf-16be', bom: true }],
    ['Latin-1', hex('61 e9 0a'), { text: 'aé\n', encoding: 'latin1', bom: false }],
    ['UTF-8 cut in a character', hex('e282'), { text: 'â\x82', encoding: 'latin1', bom: false }],
    ['NUL bytes', hex('61 00 62'), null],
    ['UTF-16 without a mark', hex('6100 6200'), null],
    ['UTF-16 of odd length', hex('fffe 6100 62'), null],
    ['half a surrogate pair', hex('fffe 3dd8 6100'), null],
    ['UTF-32', hex('fffe0000 61000000'), null],
  ])('%s', (_, bytes, expected) => {
    expect(decode(bytes)).toEqual(expected);
  });

  test('the bytes that were decoded are left as they are', () => {
    const bytes = hex('feff 0061');
    decode(bytes);
    expect(bytes).toEqual(hex('feff 0061'));
  });
});

describe('encoding', () => {
  test('a character that Latin-1 lacks is refused, not replaced', () => {
    expect(encode('naïve\n', { encoding: 'latin1', bom: false })).toEqual(
      Buffer.from('naïve\n', 'latin1'),
    );
    expect(encode('5 €\n', { encoding: 'latin1', bom: false })).toBeNull();
  });

  test.each(['utf-8', 'utf-16le', 'utf-16be', 'latin1'] as const)(
    'half a surrogate pair is refused in %s',
    (encoding) => {
      expect(encode('a\uD83D', { encoding, bom: false })).toBeNull();
    },
  );
});
