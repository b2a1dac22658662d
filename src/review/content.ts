/** What is at a path, as the review compares and carries it. */
import type { Entry } from '../baseline/baseline';
import { decode, encode, type Decoded } from '../diff/encoding';
import { carry } from './carry';

export type FileMode = '100644' | '100755';

export interface TextContent extends Decoded {
  kind: 'text';
  mode: FileMode;
}

export type Content =
  | { kind: 'none' }
  | TextContent
  /** No text, or too much of it. */
  | { kind: 'binary'; mode: FileMode; bytes: Buffer }
  | { kind: 'link'; target: Buffer }
  /** Known to be there, but not what it is: it can't be restored. `why` is for people. */
  | { kind: 'locked'; entry: Entry; why: string };

/** Larger files are not compared by lines: that takes long, and much memory. */
export const MAX_TEXT = 16 * 1024 * 1024;

export const NONE: Content = { kind: 'none' };

/** Whether two entries are the same file: the same mode and content. */
export function same(a: Entry | null, b: Entry | null): boolean {
  return a === b || (a !== null && b !== null && a.mode === b.mode && a.id === b.id);
}

/** Whether a text is in an encoding that only Neovim may know: here, each byte counts as a character. */
export function isByBytes(content: Content): boolean {
  return content.kind === 'text' && content.encoding === 'latin1';
}

/** The content of an entry; `bytes` is null where it was not kept. */
export function contentOf(entry: Entry, bytes: Buffer | null): Content {
  if (entry.mode === '160000') {
    return { kind: 'locked', entry, why: 'a submodule: its files are not recorded' };
  }
  if (bytes === null) {
    return { kind: 'locked', entry, why: 'its content was not recorded' };
  }
  if (entry.mode === '120000') return { kind: 'link', target: bytes };
  const { mode } = entry;
  const decoded = bytes.length > MAX_TEXT ? null : decode(bytes);
  return decoded ? { kind: 'text', mode, ...decoded } : { kind: 'binary', mode, bytes };
}

/** The bytes of a content. Text that its encoding can't hold becomes UTF-8: nothing is lost. */
export function bytesOf(content: Exclude<Content, { kind: 'none' | 'locked' }>): Buffer {
  switch (content.kind) {
    case 'text':
      return (
        encode(content.text, content) ?? Buffer.from(content.text) // Lone surrogates become U+FFFD.
      );
    case 'binary':
      return content.bytes;
    case 'link':
      return content.target;
  }
}

/** Whether two contents make the same file. */
export function equal(a: Content, b: Content): boolean {
  if (a.kind === 'none' || b.kind === 'none') return a.kind === b.kind;
  if (a.kind === 'locked' || b.kind === 'locked' || a.kind !== b.kind) return false;
  const modes = a.kind === 'link' || b.kind === 'link' || a.mode === b.mode;
  return modes && bytesOf(a).equals(bytesOf(b));
}

/** The content with another text; what a file that isn't there would be is taken from `like`. */
export function withText(content: Content, text: string, like: TextContent): TextContent {
  return { ...(content.kind === 'text' ? content : like), text };
}

/** The text of what can be compared by lines; null for all else. What isn't there has none. */
export function textOf(content: Content): string | null {
  if (content.kind === 'none') return '';
  return content.kind === 'text' ? content.text : null;
}

/** Of three, the one that differs from `known`: mine where the user changed it. */
function changed<T>(base: T, known: T, mine: T): T {
  return mine === known ? base : mine;
}

/**
 * `carry` for whole files: `base` after the user made `after` of `known`. What isn't text can't be carried by lines: then what
 * the user made of it counts whole, so that rejecting never takes it away.
 */
export function carryContent(base: Content, known: Content, after: Content): Content {
  if (after.kind === 'none' || base.kind === 'locked') {
    return after.kind === 'none' ? NONE : base;
  }
  const [old, now] = [textOf(base), textOf(known)];
  if (after.kind !== 'text' || old === null || now === null) return after;
  const text = carry(old, now, after.text);
  // What the agent made, and where nothing of the user's is, has no base.
  if (base.kind === 'none' && known.kind !== 'none' && text === '') return NONE;
  if (base.kind !== 'text') return { ...after, text };
  if (known.kind !== 'text') return { ...base, text };
  return {
    kind: 'text',
    mode: changed(base.mode, known.mode, after.mode),
    text,
    encoding: changed(base.encoding, known.encoding, after.encoding),
    bom: changed(base.bom, known.bom, after.bom),
  };
}
