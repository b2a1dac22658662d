import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { anthropic } from './anthropic';
import type { Json, Send } from './api';
import { chat } from './chat';
import { responses } from './responses';
import { reply } from './script';

const APIS = [anthropic, chat, responses];

/** A scripted model on loopback; `faults` are requests that it could not answer. */
export interface Model {
  url: string;
  faults: string[];
  close(): void;
}

export async function startModel(): Promise<Model> {
  const faults: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      // The client may go away at any time: a cancelled turn does.
      if (response.destroyed) return;
      faults.push(`${request.url}: ${String(error)}`);
      if (!response.headersSent) response.writeHead(400, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: { type: 'invalid_request_error', message: String(error) } }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const body = await bodyOf(request);
  const api = request.method === 'POST' && APIS.find(({ path: pattern }) => pattern.test(path));
  if (!api) return sideAnswer(path, response);
  const scripted = reply(api.read(body));
  if (!body.stream) return json(response, api.whole(body, scripted));

  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send: Send = (data, event) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${event ? `event: ${event}\n` : ''}data: ${text}\n\n`);
  };
  const pause = async () => {
    await delay(scripted.pauseMs);
    if (response.destroyed) throw new Error('the agent went away');
  };
  await api.stream(body, scripted, send, pause);
  response.end();
}

/** What agents ask beside the conversation. */
function sideAnswer(path: string, response: ServerResponse): void {
  if (/count_tokens$/.test(path)) return json(response, { input_tokens: 1000 });
  if (/\/models\/?$/.test(path)) return json(response, { object: 'list', data: [], models: [] });
  json(response, { error: { type: 'not_found_error', message: `no ${path} here` } }, 404);
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  if (raw.length === 0) return {};
  const encoding = request.headers['content-encoding'];
  const plain =
    encoding === 'gzip' ? gunzipSync(raw) : encoding === 'br' ? brotliDecompressSync(raw) : raw;
  return JSON.parse(plain.toString('utf8')) as Json;
}

function json(response: ServerResponse, body: Json, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
