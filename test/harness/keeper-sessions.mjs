// The sessions of session-keeper.mjs: those in its file, and those that are open in its process.
//
// The file gets one line for each thing that happens in a session: {id, t, at, …}. `at`: `new` (cwd), `prompt` (text,
// content), `update` (update), `title` (title), `set` (option, value), `gone`.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { send, settings as options } from './player.mjs';

export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

// ---- what is kept

export const keep = (id, entry) =>
  appendFileSync(options.file, `${JSON.stringify({ id, t: Date.now(), ...entry })}\n`);

export function entries() {
  if (!existsSync(options.file)) return [];
  const lines = readFileSync(options.file, 'utf8').split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

/** All sessions by id, with what is to be replayed. */
export function kept() {
  const all = new Map();
  for (const { id, t, at, ...entry } of entries()) {
    if (at === 'new') all.set(id, { id, cwd: entry.cwd, title: null, history: [], values: {} });
    const session = all.get(id);
    if (!session) continue;
    session.updated = t;
    if (at === 'gone') all.delete(id);
    else if (at === 'title') session.title = entry.title;
    else if (at === 'set') session.values[entry.option] = entry.value;
    else if (at === 'update') session.history.push(entry.update);
    else if (at === 'prompt') session.history.push(...said(entry));
  }
  return all;
}

const said = ({ content, messageId }) =>
  content.map((block) => ({ sessionUpdate: 'user_message_chunk', content: block, messageId }));

export function newId() {
  return `kept-${entries().filter(({ at }) => at === 'new').length + 1}`;
}

// ---- open sessions

/** Those of this process, by id: { id, cwd, values, turns, running, cancelled, messageId }. */
export const active = new Map();

export function activate(id, cwd, values = {}) {
  const session = { id, cwd, values, turns: Promise.resolve(), running: false, cancelled: false };
  active.set(id, session);
  return session;
}

export function opened({ sessionId }) {
  const session = active.get(sessionId);
  if (!session) throw new Refusal(-32002, `no session ${sessionId} is open`);
  return session;
}

export function known({ sessionId }) {
  const session = kept().get(sessionId);
  if (session) return session;
  if (!options.opensUnknown) throw new Refusal(-32002, `no session ${sessionId}`);
  return { id: sessionId, history: [], values: {} };
}

export const update = (session, it) =>
  send({ method: 'session/update', params: { sessionId: session.id, update: it } });

/** An update that a replay shows again. */
export function tell(session, it) {
  keep(session.id, { at: 'update', update: it });
  update(session, it);
}

/** The next chunk begins a message of its own. */
export const newMessage = (session) => {
  session.messageId = options.messageIds === false ? undefined : randomUUID();
};

export function chunk(session, text, kind = 'agent_message_chunk') {
  const { messageId } = session;
  tell(session, { sessionUpdate: kind, content: { type: 'text', text }, messageId });
}
