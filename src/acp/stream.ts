/**
 * The transport under the SDK. It is ours because the SDK's answers every line that is no JSON-RPC (an endless loop
 * with agents that log to stdout), ends the connection at 32 MiB, and validates away updates that it doesn't know.
 *
 * `session/update` never reaches the SDK: it is handed over as it is read, in wire order, so that every update comes
 * before the response that follows it.
 */
import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { ChunkRun } from './chunk-run';
import { object, type Json } from './coerce';
import { LineSplitter } from './lines';
import type { Translation } from './translation';

/** Where frames are recorded; see `wire/log.ts`. */
export interface WireRecorder {
  /** `json`: the frame as it stands on the wire. */
  frame(dir: 'c2a' | 'a2c', frame: unknown, json: string): void;
  /** Message chunks from the agent, a line each. */
  chunks(lines: string[]): void;
  /** A line that is no frame; `bytes`: its whole size, `text` may be its beginning. */
  raw(dir: 'c2a' | 'a2c', text: string, bytes: number): void;
}

export interface TapOptions {
  stdin: Writable;
  stdout: Readable;
  wire: WireRecorder;
  onUpdate: (params: unknown) => void;
  /** A request of ours is on its way. */
  onRequest?: (id: unknown, params: unknown) => void;
  /** Whether what we answer to that request is to be kept out of the log. Asked once. */
  isSecret?: (id: unknown) => boolean;
  /** A line that is no JSON-RPC message. It is logged and counted, never answered. */
  onNoise: () => void;
  /** For an agent that has other names for our folders. The wire log has what is on the wire. */
  translation?: Translation | undefined;
}

const NOISE_SHOWN = 2000;

export function tappedStream({
  stdin,
  stdout,
  wire,
  onUpdate,
  onRequest,
  isSecret,
  onNoise,
  translation,
}: TapOptions): Stream {
  const noise = (line: string) => {
    wire.raw('a2c', line.slice(0, NOISE_SHOWN), Buffer.byteLength(line));
    onNoise();
  };

  let cancelled = false;
  const run = new ChunkRun({
    onUpdate,
    onLines: (taken) => wire.chunks(taken),
  });
  const readable = new ReadableStream<AnyMessage>({
    cancel() {
      cancelled = true;
    },
    start(controller) {
      const lines = new LineSplitter((line) => {
        if (run.take(line)) return;
        run.end();
        if (isBlank(line)) return;
        const frame = parse(line);
        if (!frame) return noise(line);
        wire.frame('a2c', frame, line);
        const message = translation?.incoming(frame) ?? frame;
        if (message.method === 'session/update') {
          run.begin(line, message.params);
          // With an id it is a request, which wants an answer.
          if (message.id == null) return;
        }
        const clean = normalize(message);
        if (clean && !cancelled) controller.enqueue(clean);
      });
      stdout.on('data', (chunk: Buffer) => {
        lines.push(chunk);
        run.end();
      });
      stdout.once('end', () => {
        lines.end();
        run.end();
        if (!cancelled) controller.close();
      });
      stdout.once('error', (error) => {
        if (!cancelled) controller.error(error);
      });
    },
  });

  const writable = new WritableStream<AnyMessage>({
    write(ours) {
      const message = translation?.outgoing(ours) ?? ours;
      const line = JSON.stringify(message);
      if ('method' in ours && 'id' in ours) onRequest?.(ours.id, ours.params);
      if ('result' in ours && isSecret?.(ours.id)) {
        const hidden = { ...message, result: '[redacted]' };
        wire.frame('c2a', hidden, JSON.stringify(hidden));
      } else {
        wire.frame('c2a', message, line);
      }
      return new Promise<void>((resolve, reject) => {
        stdin.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
      });
    },
  });

  return { readable, writable };
}

function isBlank(line: string): boolean {
  return line.length < 8 && line.trim() === '';
}

function parse(line: string): Json | undefined {
  try {
    const frame = object(JSON.parse(line.charCodeAt(0) === 0xfeff ? line.slice(1) : line));
    if (frame && line.length > DEEPEST) cutBelow(frame);
    return frame;
  } catch {
    return undefined;
  }
}

/** Levels of a message. What is read, logged and kept goes down by calling itself: nobody nests so deep, but by mistake or malice. */
const DEEPEST = 500;

/** Takes away what is nested too deep; the message goes on without it, so that it is answered. */
function cutBelow(frame: Json): void {
  let level = [frame];
  for (let depth = 1; depth < DEEPEST && level.length > 0; depth++) level = level.flatMap(within);
  for (const item of level) {
    for (const [key, value] of Object.entries(item)) {
      if (typeof value === 'object' && value !== null) item[key] = '[nested too deep]';
    }
  }
}

/** The objects and lists in one. */
function within(item: Json): Json[] {
  return Object.values(item).filter((it): it is Json => typeof it === 'object' && it !== null);
}

/** Mends what agents get wrong in the envelope; undefined: nobody can be meant by it. */
function normalize(message: Json): AnyMessage | undefined {
  message.jsonrpc = '2.0';
  if (typeof message.method === 'string') return message as unknown as AnyMessage;
  if (message.id === undefined || message.id === null) return undefined;
  // Our ids are numbers; some JSON-RPC libraries answer with them as strings.
  if (typeof message.id === 'string' && /^\d+$/.test(message.id)) message.id = Number(message.id);
  // A result next to `error: null` is a result.
  if (message.error === null || ('result' in message && message.error === undefined)) {
    delete message.error;
    if (!('result' in message)) message.result = null;
  }
  if ('error' in message) {
    delete message.result;
    const error = object(message.error);
    message.error = {
      ...error,
      code: typeof error?.code === 'number' ? Math.trunc(error.code) : -32603,
      message: typeof error?.message === 'string' ? error.message : JSON.stringify(message.error),
    };
  } else if (!('result' in message)) {
    return undefined;
  }
  return message as unknown as AnyMessage;
}
