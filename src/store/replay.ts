/** The lines of a journal → the session that they tell of. Total: what can't be understood is counted. */
import { createReadStream } from 'node:fs';
import { number, object, string, type Json } from '../acp/coerce';
import { LineSplitter } from '../acp/lines';
import type { Attachment, Draft } from '../nvim/protocol';
import type { Block, TerminalState } from '../session/model';
import {
  readAttachments,
  readBlock,
  readDirs,
  readFields,
  readSettings,
  readSummary,
  readTerminal,
  readTerminalFields,
  readToolContent,
} from './fields';
import { TORN, type Head, type Settings, type Summary } from './records';

/** A session as it is kept. Nothing in it is closed: a message may have been cut off. */
export interface StoredSession {
  key: string;
  agent: string;
  cwd: string;
  /** The agent's own id of it. */
  agentSession: string | null;
  title: string | null;
  blocks: Block[];
  terminals: TerminalState[];
  /** The prompts that wait, the next one first. */
  queue: { block: string; text: string; attachments: Attachment[] }[];
  draft: Draft;
  settings: Settings;
  /** Further folders that the user has added. */
  dirs: string[];
  /** When something was last done in it, milliseconds since the epoch. */
  updated: number;
  /** The last turn never ended. */
  interrupted: boolean;
}

/** What a line says; null where it says nothing that can be read. */
export function parseLine(line: string): Json[] | null {
  try {
    const value: unknown = JSON.parse(line);
    const records = (Array.isArray(value) ? value : [value]).map(object);
    return records.every((record) => record !== undefined) ? records : null;
  } catch {
    return null;
  }
}

/** Head of a file, from its first record. */
export function readHead(record: Json | undefined): Head | null {
  if (record?.k !== 'head') return null;
  const { v, agent, cwd, time } = record;
  if (typeof v !== 'number' || typeof time !== 'number') return null;
  return typeof agent === 'string' && typeof cwd === 'string' ? { v, agent, cwd, time } : null;
}

/** Bytes that are read at a time: others of the process have their turn in between. */
const READ_BYTES = 128 * 1024;

/** Reads a whole journal. */
export async function replayFile(path: string): Promise<Replay> {
  const replay = new Replay();
  const bytes: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: READ_BYTES });
  for await (const part of bytes) replay.push(part);
  return replay;
}

export class Replay {
  head: Head | null = null;
  /** Lines, and records of a known kind, that could not be understood. */
  bad = 0;
  /** The last record, where it is a summary: nothing has happened since. */
  summary: Summary | null = null;
  #agentSession: string | null = null;
  #title: string | null = null;
  #settings: Settings = {};
  #dirs: string[] = [];
  #text = '';
  #attachments: Attachment[] = [];
  #running = false;
  readonly #order: string[] = [];
  readonly #blocks = new Map<string, Block>();
  readonly #terminals = new Map<string, TerminalState>();
  readonly #waiting = new Map<string, Attachment[]>();

  /** The end of a line that was never finished is not looked at. */
  readonly #lines = new LineSplitter((line) => this.#line(line));

  /** A part of the file. */
  push(bytes: Buffer): void {
    this.#lines.push(bytes);
  }

  #line(line: string): void {
    if (line.endsWith(TORN)) return;
    const records = parseLine(line);
    if (!records) this.bad++;
    for (const record of records ?? []) if (!this.#apply(record)) this.bad++;
  }

  /** `written`: when the file was last written to. Null: the file has no head. */
  session(key: string, written: number): StoredSession | null {
    if (!this.head) return null;
    const { agent, cwd } = this.head;
    const blocks = this.#order.map((id) => this.#blocks.get(id)!);
    const queue = blocks.flatMap((block) => {
      if (block.kind !== 'user') return [];
      const attachments = this.#waiting.get(block.id);
      if (!block.queued && !attachments) return [];
      // The agent was asked to take it into its turn, and may have it.
      if (block.queued && block.steered) return [];
      return { block: block.id, text: block.text, attachments: attachments ?? [] };
    });
    return {
      key,
      agent,
      cwd,
      agentSession: this.#agentSession,
      title: this.#title,
      blocks,
      terminals: [...this.#terminals.values()],
      queue,
      draft: { text: this.#text, attachments: this.#attachments },
      settings: this.#settings,
      dirs: this.#dirs,
      updated: this.summary?.updated ?? written,
      interrupted: this.#running,
    };
  }

  /** False where it can't be understood; what is of another kind than those that we know is none of ours. */
  #apply(record: Json): boolean {
    this.summary = null;
    switch (record.k) {
      case 'head':
        this.head ??= readHead(record);
        return this.head !== null;
      case 'title':
        return this.#name(record.title, (title) => (this.#title = title));
      case 'agent':
        return this.#name(record.id, (id) => (this.#agentSession = id));
      case 'settings':
        return this.#taken(readSettings(record.values), (values) => (this.#settings = values));
      case 'dirs':
        return this.#taken(readDirs(record.dirs), (dirs) => (this.#dirs = dirs));
      case 'block':
        return this.#taken(readBlock(record.block), (block) => this.#block(block, record.after));
      case 'set':
        return this.#set(record);
      case 'text':
        return this.#grow(record);
      case 'content':
        return this.#content(record);
      case 'move':
        return this.#move(record);
      case 'del':
        return this.#remove(record.id);
      case 'terminal':
        return this.#taken(readTerminal(record.terminal), (terminal) => {
          this.#terminals.set(terminal.id, terminal);
        });
      case 'output':
        return this.#output(record);
      case 'queued':
        return this.#taken(readAttachments(record.attachments), (attachments) => {
          if (typeof record.id === 'string') this.#waiting.set(record.id, attachments);
        });
      case 'turn':
        return this.#turned(record);
      case 'draft':
        return this.#edit(record);
      case 'attached':
        return this.#taken(readAttachments(record.attachments), (attachments) => {
          this.#attachments = attachments;
        });
      case 'summary':
        return this.#taken(readSummary(record), (summary) => (this.summary = summary));
      default:
        return true;
    }
  }

  #taken<T>(value: T | null, take: (value: T) => void): boolean {
    if (value !== null) take(value);
    return value !== null;
  }

  #name(value: unknown, take: (name: string | null) => void): boolean {
    if (value !== null && typeof value !== 'string') return false;
    take(value);
    return true;
  }

  #known(id: unknown): Block | undefined {
    return typeof id === 'string' ? this.#blocks.get(id) : undefined;
  }

  #block(block: Block, after: unknown): void {
    if (!this.#blocks.has(block.id)) this.#insert(block.id, after);
    this.#blocks.set(block.id, block);
  }

  #insert(id: string, after: unknown): void {
    const place = typeof after === 'string' ? this.#order.lastIndexOf(after) + 1 : 0;
    if (place === 0 && after !== null) this.#order.push(id);
    else this.#order.splice(place, 0, id);
  }

  #takeOut(id: string): void {
    this.#order.splice(this.#order.lastIndexOf(id), 1);
  }

  #move({ id, after }: Json): boolean {
    const block = this.#known(id);
    if (!block) return false;
    this.#takeOut(block.id);
    this.#insert(block.id, after);
    return true;
  }

  #set({ id, set }: Json): boolean {
    const block = this.#known(id);
    const fields = block && readFields(block.kind, set);
    if (!fields) return false;
    Object.assign(block, fields);
    // It was sent: what goes along is the turn's now.
    const sent = 'queued' in fields || 'time' in fields;
    if (block.kind === 'user' && sent && !block.queued) this.#waiting.delete(block.id);
    return true;
  }

  #grow({ id, text, at }: Json): boolean {
    const block = this.#known(id);
    if (typeof text !== 'string') return false;
    if (block?.kind === 'user' || block?.kind === 'letter') block.text += text;
    else if (block && 'text' in block && block.text) block.text.push(text);
    else {
      const item = block?.kind === 'tool' ? block.content[number(at) ?? -1] : undefined;
      if (item?.type !== 'text') return false;
      item.text += text;
    }
    return true;
  }

  #content({ id, from, items }: Json): boolean {
    const block = this.#known(id);
    const content = readToolContent(items);
    if (block?.kind !== 'tool' || typeof from !== 'number' || !content) return false;
    block.content = [...block.content.slice(0, from), ...content];
    return true;
  }

  #remove(id: unknown): boolean {
    if (typeof id !== 'string' || !this.#blocks.delete(id)) return false;
    this.#takeOut(id);
    this.#waiting.delete(id);
    return true;
  }

  #output({ id, cut, text, set }: Json): boolean {
    const terminal = typeof id === 'string' ? this.#terminals.get(id) : undefined;
    const fields = readTerminalFields(set ?? {});
    if (!terminal || !fields) return false;
    terminal.output = terminal.output.slice(number(cut) ?? 0) + (string(text) ?? '');
    Object.assign(terminal, fields);
    return true;
  }

  #turned({ running }: Json): boolean {
    if (typeof running !== 'boolean') return false;
    this.#running = running;
    for (const id of running ? [...this.#waiting.keys()] : []) {
      const block = this.#blocks.get(id);
      if (block?.kind !== 'user' || !block.queued) this.#waiting.delete(id);
    }
    return true;
  }

  #edit({ at, del, ins }: Json): boolean {
    if (typeof at !== 'number') return false;
    const rest = this.#text.slice(at + (number(del) ?? 0));
    this.#text = this.#text.slice(0, at) + (string(ins) ?? '') + rest;
    return true;
  }
}
