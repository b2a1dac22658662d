/**
 * Message chunks that follow each other and differ in nothing but their text are one chunk: their texts joined. Models
 * stream tokens, so nearly all that an agent sends are such runs; reading them as text, without parsing the same
 * envelope again for each token, makes a flood several times cheaper.
 */
import { object, string, type Json } from './coerce';
import { isWhole } from './extensions/index';

const TEXT = '"text":"';
/** What ends a JSON string, or needs a look before it can be taken as it stands. */
// eslint-disable-next-line no-control-regex
const SPECIAL = /["\\\u0000-\u001f]/;

/** The envelope that the last chunk came in: its line is `before` + the text + `after`. */
interface Envelope {
  params: Json;
  update: Json;
  content: Json;
  before: string;
  after: string;
}

export interface ChunkRunOptions {
  onUpdate: (params: unknown) => void;
  /** The lines that were taken. */
  onLines: (lines: string[]) => void;
}

export class ChunkRun {
  readonly #options: ChunkRunOptions;
  #envelope: Envelope | null = null;
  #lines: string[] = [];
  #texts: string[] = [];

  constructor(options: ChunkRunOptions) {
    this.#options = options;
  }

  /** Takes a line that goes on with the run; false: the line is something else. */
  take(line: string): boolean {
    if (!this.#envelope) return false;
    const { before, after } = this.#envelope;
    const end = line.length - after.length;
    if (end < before.length) return false;
    // Comparing slices is ten times as fast as `startsWith` and `endsWith`, which look at one character after another.
    if (line.slice(0, before.length) !== before || line.slice(end) !== after) return false;
    const text = unquoted(line.slice(before.length, end));
    if (text === undefined) return false;
    this.#lines.push(line);
    this.#texts.push(text);
    return true;
  }

  /** Hands over a `session/update` that was parsed, and begins a run with it if it is a message chunk. */
  begin(line: string, params: unknown): void {
    this.#options.onUpdate(params);
    this.#envelope = envelope(line, object(params));
  }

  /** Hands over what has gathered. To be called at the end of each read, and before anything else is handed over. */
  end(): void {
    if (this.#texts.length === 0 || !this.#envelope) return;
    const { params, update, content } = this.#envelope;
    const [lines, texts] = [this.#lines, this.#texts];
    this.#lines = [];
    this.#texts = [];
    this.#options.onLines(lines);
    const text = texts.join('');
    this.#options.onUpdate({ ...params, update: { ...update, content: { ...content, text } } });
  }
}

/** The string that stands between its quotes as `body`; undefined where that is no whole JSON string. */
function unquoted(body: string): string | undefined {
  if (!SPECIAL.test(body)) return body;
  try {
    const text: unknown = JSON.parse(`"${body}"`);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

function envelope(line: string, params: Json | undefined): Envelope | null {
  const update = object(params?.update);
  const content = object(update?.content);
  if (!params || !update || !content || content.type !== 'text') return null;
  if (!string(update.sessionUpdate)?.endsWith('_chunk')) return null;
  if (isWhole(update, params._meta)) return null;
  // Inside of a string its quotes would be escaped: where it stands once, it is the text's name.
  const name = line.indexOf(TEXT);
  if (name < 0 || line.indexOf(TEXT, name + 1) >= 0) return null;
  const start = name + TEXT.length;
  const end = closingQuote(line, start);
  if (end < 0) return null;
  return { params, update, content, before: line.slice(0, start), after: line.slice(end) };
}

function closingQuote(line: string, from: number): number {
  for (let i = from; i < line.length; i++) {
    if (line[i] === '"') return i;
    if (line[i] === '\\') i++;
  }
  return -1;
}
