import type { Conversation, Reply } from './script';

/** A JSON object of a request, whose shape is the business of one API. */
export type Json = Record<string, unknown>;

/** One way in which agents talk to models. */
export interface Api {
  /** End of the path of its requests. */
  path: RegExp;
  read(body: Json): Conversation;
  /** The answer in one piece, for a request without `stream`. */
  whole(body: Json, reply: Reply): Json;
  /** The answer as server-sent events; `pause` is awaited after each piece. */
  stream(body: Json, reply: Reply, send: Send, pause: () => Promise<void>): Promise<void>;
}

/** Sends one event; its name is left out where the API has none. */
export type Send = (data: Json | '[DONE]', event?: string) => void;

export function list(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** The text of a message's content, which is a string or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => (typeof part.text === 'string' ? part.text : textOf(part.content)))
    .join('\n');
}

export function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function propertiesOf(schema: unknown): string[] {
  return Object.keys(object(object(schema).properties));
}

let last = 0;

/** An id that no other answer has. */
export function nextId(prefix: string): string {
  return `${prefix}_${process.pid}_${++last}`;
}
