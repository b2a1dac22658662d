// A turn of session-keeper.mjs: the echo of the prompt, and what its markers bid.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { chunk, keep, newMessage, tell, update } from './keeper-sessions.mjs';
import { change, tellSetting } from './keeper-settings.mjs';
import { send, settings as options } from './player.mjs';

/** Settles when `check` holds, or the turn is cancelled. */
async function until(session, check) {
  while (!session.cancelled && !check()) await delay(10);
}

export const answers = new Map();
let asked = 0;

function ask(session, params) {
  const id = `ask-${++asked}`;
  send({ id, method: 'session/request_permission', params: { sessionId: session.id, ...params } });
  return new Promise((resolve) => answers.set(id, resolve));
}

const toolCall = (title, kind, more = {}) => ({
  sessionUpdate: 'tool_call',
  toolCallId: randomUUID(),
  title,
  kind,
  status: 'pending',
  ...more,
});
const toolUpdate = ({ toolCallId }, status, more = {}) => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  status,
  ...more,
});

const MARKERS = {
  wait: (session, name) => {
    const file = isAbsolute(name) ? name : join(session.cwd, name);
    return until(session, () => existsSync(file));
  },
  say: chunk,
  async many(session, rest) {
    const [count, name] = rest.split(/\s+/);
    for (let n = 1; n <= Number(count) && !session.cancelled; n++) {
      chunk(session, name ? `${name}#${n} ` : `${n} `);
      // A cancel must be heard.
      if (options.paceMs || n % 100 === 0) await delay(options.paceMs ?? 0);
    }
  },
  think: (session) => {
    newMessage(session);
    chunk(session, 'a thought', 'agent_thought_chunk');
    newMessage(session);
  },
  plan: (session) =>
    tell(session, {
      sessionUpdate: 'plan',
      entries: [
        { content: 'the first thing', priority: 'high', status: 'completed' },
        { content: 'the second thing', priority: 'low', status: 'pending' },
      ],
    }),
  tool: (session) => {
    const call = toolCall('Look around', 'search');
    tell(session, call);
    tell(session, toolUpdate(call, 'in_progress'));
    const content = [{ type: 'content', content: { type: 'text', text: 'found it' } }];
    tell(session, toolUpdate(call, 'completed', { content }));
  },
  async ask(session) {
    const call = toolCall('Do something', 'execute');
    tell(session, call);
    const { outcome } = await ask(session, {
      toolCall: { toolCallId: call.toolCallId },
      options: [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' },
      ],
    });
    tell(session, toolUpdate(call, outcome?.optionId === 'yes' ? 'completed' : 'failed'));
    if (!session.cancelled) chunk(session, `chosen: ${outcome?.optionId ?? 'nothing'}`);
  },
  edit: (session, rest) => {
    const [, name, text] = /^(\S+)\s?([^]*)$/.exec(rest);
    const path = join(session.cwd, name);
    const oldText = existsSync(path) ? readFileSync(path, 'utf8') : null;
    const newText = `${text}\n`;
    const call = toolCall(`Edit ${name}`, 'edit', { locations: [{ path }] });
    tell(session, call);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, newText);
    tell(
      session,
      toolUpdate(call, 'completed', { content: [{ type: 'diff', path, oldText, newText }] }),
    );
  },
  title: (session, title) => {
    keep(session.id, { at: 'title', title });
    update(session, { sessionUpdate: 'session_info_update', title });
  },
  usage: (session, rest) => {
    const [used, size, amount] = rest.split(/\s+/).map(Number);
    const cost = amount === undefined ? undefined : { amount, currency: 'USD' };
    update(session, { sessionUpdate: 'usage_update', used, size, cost });
  },
  config: (session, rest) => {
    const [option, value] = rest.split(/\s+/);
    change(session, option, value);
    tellSetting(session, option);
  },
  update: (session, json) => update(session, JSON.parse(json)),
  exit: () => process.exit(0),
  crash: () => process.kill(process.pid, 'SIGKILL'),
};

const MARKER = /\[\[(\w+)(?:\s([^]*?))?\]\]/g;

function named(block) {
  const uri = block.uri ?? block.resource?.uri;
  return `[${[block.type, block.mimeType, uri].filter(Boolean).join(' ')}]`;
}

export function keepPrompt(session, content) {
  const text = content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('');
  newMessage(session);
  keep(session.id, { at: 'prompt', text, content, messageId: session.messageId });
  newMessage(session);
  return text;
}

async function turn(session, content) {
  session.running = true;
  session.cancelled = false;
  const text = keepPrompt(session, content);
  const others = content.filter((block) => block.type !== 'text').map(named);
  const echo = [text.replace(MARKER, '').trim(), ...others].filter(Boolean).join(' ');
  if (!options.quiet) chunk(session, `echo: ${echo}`);
  for (const [, marker, rest] of text.matchAll(MARKER)) {
    if (session.cancelled) break;
    await MARKERS[marker]?.(session, rest);
  }
  session.running = false;
  return { stopReason: session.cancelled ? 'cancelled' : 'end_turn' };
}

/** One turn after the other. */
export function enqueue(session, content) {
  const done = session.turns.then(() => turn(session, content));
  session.turns = done.catch(() => {});
  return done;
}
