/** Cells of a table: files, and what a model wants with them. */
import { decode, encode } from '../../../src/diff/encoding';
import type { Act, Edit, Project } from './shape';

/** A file before a turn; a text is one in UTF-8. */
export type Before = string | Buffer | { text: string; mode: number } | { link: string };

/** Files and what happens to them. Names are unique in a table. */
export interface Cell {
  files: Record<string, Before>;
  acts: Act[];
  /** No buffer holds them. */
  closed?: true;
}

export const TEXT = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n';
export const CHANGED = TEXT.replace('two', 'TWO');

/** The wish that makes one of the other. */
export const change = (edit: string): Edit => ({ edit, from: 'two', to: 'TWO' });

export const lines = (text: string): string[] => text.replace(/\n$/, '').split('\n');

export function bytesOf(before: Before): Buffer {
  if (Buffer.isBuffer(before)) return before;
  if (typeof before === 'string') return Buffer.from(before);
  return Buffer.from('text' in before ? before.text : '');
}

export function projectOf({ files, closed }: Cell): Project {
  const real = (name: string): string => {
    const before = files[name];
    return typeof before === 'object' && 'link' in before ? before.link : name;
  };
  const bytes = (name: string): Buffer => bytesOf(files[real(name)] ?? '');
  const text = (name: string): string => decode(bytes(name))!.text;
  return {
    bytes,
    text,
    closed: closed ?? false,
    real,
    careful: ({ edit, from, to }) => encode(text(edit).replace(from, to), decode(bytes(edit))!)!,
    isReadOnly: (name) => {
      const before = files[real(name)];
      return typeof before === 'object' && 'mode' in before && before.mode === 0o444;
    },
  };
}
