/** Bytes of a file as text and back, without loss. */
import { constants, isUtf8 } from 'node:buffer';

/** Text of a file, without its byte order mark and with its line ends as they are. */
export interface Decoded {
  text: string;
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1';
  /** Whether a byte order mark stood before the text. */
  bom: boolean;
}

const BOM = '\uFEFF';
const UTF8_BOM = Buffer.from(BOM);
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The text of a file; `null` for what is none. UTF-8 where it is valid, UTF-16 where a byte order mark says so, else Latin-1,
 * which takes every byte. `encode` gives exactly the same bytes again.
 */
export function decode(bytes: Buffer): Decoded | null {
  if (bytes.length > constants.MAX_STRING_LENGTH) return null;
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  if (mark === 0xfffe) return decodeUtf16(bytes, 'utf-16le');
  if (mark === 0xfeff) return decodeUtf16(bytes, 'utf-16be');
  if (bytes.includes(0)) return null;
  if (!isUtf8(bytes)) return { text: bytes.toString('latin1'), encoding: 'latin1', bom: false };
  const bom = bytes.subarray(0, UTF8_BOM.length).equals(UTF8_BOM);
  const text = bytes.toString('utf8', bom ? UTF8_BOM.length : 0);
  return { text, encoding: 'utf-8', bom };
}

function decodeUtf16(bytes: Buffer, encoding: 'utf-16le' | 'utf-16be'): Decoded | null {
  if (bytes.length % 2 !== 0) return null;
  const units = encoding === 'utf-16le' ? bytes : Buffer.from(bytes).swap16();
  const text = units.toString('utf16le', 2);
  // What is no character, or NUL, would not survive the way to the editor and back. The mark of UTF-32 ends here, too.
  if (text.includes('\0') || LONE_SURROGATE.test(text)) return null;
  return { text, encoding, bom: true };
}

/** `text` as the bytes of a file that is encoded like another; `null` where the encoding lacks one of its characters. */
export function encode(text: string, like: Omit<Decoded, 'text'>): Buffer | null {
  if (LONE_SURROGATE.test(text)) return null;
  const whole = like.bom ? BOM + text : text;
  switch (like.encoding) {
    case 'utf-8':
      return Buffer.from(whole);
    case 'utf-16le':
      return Buffer.from(whole, 'utf16le');
    case 'utf-16be':
      return Buffer.from(whole, 'utf16le').swap16();
    case 'latin1':
      return /^[\0-\xFF]*$/.test(whole) ? Buffer.from(whole, 'latin1') : null;
  }
}
