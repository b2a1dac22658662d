import type { TextLog } from '../session/model';
import type { Rendered } from './blocks';
import { MarkdownStream } from './markdown';
import { Dimmed, TextStream, type Growth } from './stream';
import { byteLength } from '../text';

/** How much may go to Neovim at once. */
export interface Budget {
  bytes: number;
  lines: number;
}

type Style = NonNullable<Rendered['text']>['style'];

const DIMMED = { thought: 'AcpThought', draft: 'AcpDraft' } as const;

/** Follows a text log: what came since the last time, in pieces of a limited size. */
export class Follower {
  readonly log: TextLog;
  readonly style: Style;
  readonly #stream: TextStream;
  #cursor = 0;
  #rest = '';
  #at = 0;

  constructor({ log, style }: NonNullable<Rendered['text']>) {
    this.log = log;
    this.style = style;
    this.#stream =
      style === 'markdown' ? new MarkdownStream() : new TextStream(new Dimmed(DIMMED[style]));
  }

  /** All that came has been taken. */
  get exhausted(): boolean {
    return this.#at >= this.#rest.length && this.#cursor >= this.log.size;
  }
  /** The end has been taken, and shows: more text needs a new start. */
  get closed(): boolean {
    return this.#stream.closed;
  }

  /** The next piece; with `ended`, the last one closes the text. */
  next(budget: Budget, ended: boolean): Growth {
    if (this.closed) return { text: '', marks: [], fences: [] };
    if (this.#at >= this.#rest.length) {
      this.#rest = this.log.since(this.#cursor);
      this.#cursor = this.log.size;
      this.#at = 0;
    }
    const piece = this.#cut(budget);
    this.#at += piece.length;
    if (this.#at >= this.#rest.length) {
      this.#rest = '';
      this.#at = 0;
    }
    return this.#stream.push(piece, ended && this.exhausted);
  }

  #cut({ bytes, lines }: Budget): string {
    let end = Math.min(this.#rest.length, this.#at + bytes);
    for (let i = 0, at = this.#at; i < lines; i++) {
      at = this.#rest.indexOf('\n', at) + 1;
      if (at === 0 || at >= end) break;
      if (i === lines - 1) end = at;
    }
    const piece = this.#rest.slice(this.#at, end);
    const size = byteLength(piece);
    return size > bytes
      ? piece.slice(0, Math.max(1, Math.floor((piece.length * bytes) / size)))
      : piece;
  }
}
