// An ACP agent on its stdio that keeps its sessions in a file. Started by `sessionAgent` of session-agent.ts, which describes
// its options and the markers of its prompts: node session-keeper.mjs OPTIONS.json RECORD.jsonl
//
// The file gets one line for each thing that happens in a session: {id, t, at, …}. `at`: `new` (cwd), `prompt` (text,
// content), `update` (update), `title` (title), `set` (option, value), `gone`.
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { listen, record, send, settings as options } from './player.mjs';

const can = (what) => options.can?.[what] ?? true;

class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

// ---- what is kept

const keep = (id, entry) =>
  appendFileSync(options.file, `${JSON.stringify({ id, t: Date.now(), ...entry })}\n`);

function entries() {
  if (!existsSync(options.file)) return [];
  const lines = readFileSync(options.file, 'utf8').split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

/** All sessions by id, with what is to be replayed. */
function kept() {
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

function newId() {
  return `kept-${entries().filter(({ at }) => at === 'new').length + 1}`;
}

// ---- open sessions

/** Those of this process, by id: { id, cwd, values, turns, running, cancelled, messageId }. */
const active = new Map();

function activate(id, cwd, values = {}) {
  const session = { id, cwd, values, turns: Promise.resolve(), running: false, cancelled: false };
  active.set(id, session);
  return session;
}

function opened({ sessionId }) {
  const session = active.get(sessionId);
  if (!session) throw new Refusal(-32002, `no session ${sessionId} is open`);
  return session;
}

function known({ sessionId }) {
  const session = kept().get(sessionId);
  if (session) return session;
  if (!options.opensUnknown) throw new Refusal(-32002, `no session ${sessionId}`);
  return { id: sessionId, history: [], values: {} };
}

const update = (session, it) =>
  send({ method: 'session/update', params: { sessionId: session.id, update: it } });

/** An update that a replay shows again. */
function tell(session, it) {
  keep(session.id, { at: 'update', update: it });
  update(session, it);
}

/** The next chunk begins a message of its own. */
const newMessage = (session) => {
  session.messageId = options.messageIds === false ? undefined : randomUUID();
};

function chunk(session, text, kind = 'agent_message_chunk') {
  const { messageId } = session;
  tell(session, { sessionUpdate: kind, content: { type: 'text', text }, messageId });
}

// ---- settings

const select = (id, category, values, more = {}) => ({
  id,
  name: id[0].toUpperCase() + id.slice(1),
  category,
  type: 'select',
  currentValue: values[0],
  options: values.map((value) => ({ value, name: value[0].toUpperCase() + value.slice(1) })),
  ...more,
});

const SETTINGS = options.configOptions ?? [
  select('mode', 'mode', ['code', 'ask', 'plan']),
  select('model', 'model', ['small', 'large']),
  select('effort', 'thought_level', ['low', 'high'], { only: { model: 'large' } }),
  { id: 'web', name: 'Web search', category: 'model_config', type: 'boolean', currentValue: false },
];

const choices = (option) => (option.options ?? []).flatMap((it) => it.options ?? [it]);
const offers = (option, value) =>
  option.type === 'boolean'
    ? typeof value === 'boolean'
    : choices(option).some((choice) => choice.value === value);

function configOptions({ values }) {
  const now = SETTINGS.map(({ only, ...option }) => {
    const value = values[option.id];
    return { only, option: offers(option, value) ? { ...option, currentValue: value } : option };
  });
  const valueOf = (id) => now.find(({ option }) => option.id === id)?.option.currentValue;
  return now
    .filter(({ only = {} }) => Object.entries(only).every(([id, value]) => valueOf(id) === value))
    .map(({ option }) => option);
}

/** What the answers to `session/new` and its like have beside the id. */
function state(session) {
  const { modes, models } = options;
  const { mode, model } = session.values;
  const named = (list, key) =>
    list.map((id) => ({ [key]: id, name: id[0].toUpperCase() + id.slice(1) }));
  return {
    ...(modes && {
      modes: { currentModeId: mode ?? modes[0], availableModes: named(modes, 'id') },
    }),
    ...(models && {
      models: { currentModelId: model ?? models[0], availableModels: named(models, 'modelId') },
    }),
    ...(SETTINGS.length > 0 && { configOptions: configOptions(session) }),
  };
}

function change(session, option, value) {
  session.values[option] = value;
  keep(session.id, { at: 'set', option, value });
}

function tellSetting(session, option) {
  if (option === 'mode' && options.modes)
    update(session, { sessionUpdate: 'current_mode_update', currentModeId: session.values.mode });
  if (SETTINGS.length > 0)
    update(session, {
      sessionUpdate: 'config_option_update',
      configOptions: configOptions(session),
    });
}

function tellCommands(session) {
  const availableCommands = options.commands ?? [
    { name: 'review', description: 'Looks at what was changed', input: { hint: 'what' } },
    { name: 'compact', description: 'Shortens the conversation', input: null },
  ];
  update(session, { sessionUpdate: 'available_commands_update', availableCommands });
}

// ---- a turn

/** Settles when `check` holds, or the turn is cancelled. */
async function until(session, check) {
  while (!session.cancelled && !check()) await delay(10);
}

const answers = new Map();
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
  async many(session, count) {
    for (let n = 1; n <= Number(count) && !session.cancelled; n++) {
      chunk(session, `${n} `);
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

function keepPrompt(session, content) {
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
  chunk(session, `echo: ${[text.replace(MARKER, '').trim(), ...others].filter(Boolean).join(' ')}`);
  for (const [, marker, rest] of text.matchAll(MARKER)) {
    if (session.cancelled) break;
    await MARKERS[marker]?.(session, rest);
  }
  session.running = false;
  return { stopReason: session.cancelled ? 'cancelled' : 'end_turn' };
}

/** One turn after the other. */
function enqueue(session, content) {
  const done = session.turns.then(() => turn(session, content));
  session.turns = done.catch(() => {});
  return done;
}

// ---- requests

/** What is sent right after the present answer. */
const afterwards = [];

function replay(session) {
  const it = () => session.history.forEach((one) => update(session, one));
  if (options.replays === 'after') afterwards.push(it);
  else it();
}

function row({ id, cwd, title, updated }) {
  const none = options.nulls ? null : undefined;
  return {
    sessionId: id,
    cwd: options.folders?.[cwd] ?? cwd,
    title: title ?? none,
    updatedAt: options.nulls ? null : new Date(updated).toISOString(),
  };
}

function real(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const METHODS = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'keeper', title: 'Keeper', version: '1.0.0' },
    agentCapabilities: {
      loadSession: can('load'),
      promptCapabilities: { image: true, audio: true, embeddedContext: true, ...options.takes },
      sessionCapabilities: Object.fromEntries(
        ['list', 'resume', 'fork', 'close', 'delete', 'title'].filter(can).map((it) => [it, {}]),
      ),
    },
    authMethods: [],
    ...(options.steering && { _meta: { steering: { supported: true } } }),
  }),

  'session/new': ({ cwd }) => {
    const session = activate(newId(), cwd);
    keep(session.id, { at: 'new', cwd });
    if (options.commandsEarly) tellCommands(session);
    else afterwards.push(() => tellCommands(session));
    return { sessionId: session.id, ...state(session) };
  },

  'session/load': (params) => {
    const session = known(params);
    replay(session);
    const open = activate(session.id, params.cwd, session.values);
    afterwards.push(() => tellCommands(open));
    return state(open);
  },

  'session/resume': (params) => {
    const { id, values } = known(params);
    const open = activate(id, params.cwd, values);
    afterwards.push(() => tellCommands(open));
    return state(open);
  },

  'session/fork': (params) => {
    const { id, values } = known(params);
    const fork = activate(newId(), params.cwd, { ...values });
    keep(fork.id, { at: 'new', cwd: params.cwd });
    const before = entries().filter((entry) => entry.id === id && entry.at !== 'new');
    for (const entry of before) keep(fork.id, { ...entry, id: fork.id });
    if (options.forkReplays)
      kept()
        .get(fork.id)
        .history.forEach((it) => update(fork, it));
    afterwards.push(() => tellCommands(fork));
    return { sessionId: fork.id, ...state(fork) };
  },

  'session/list': ({ cwd, cursor }) => {
    const all = [...kept().values()].sort((a, b) => b.updated - a.updated);
    const wanted = all.filter((it) => options.listsAll || !cwd || real(it.cwd) === real(cwd));
    const rows = [...(options.rows ?? []), ...wanted.map(row)];
    const start = Number(cursor ?? 0);
    const end = start + (options.pageSize ?? rows.length);
    const sessions = rows.slice(start, end);
    if (options.cursors === 'same') return { sessions, nextCursor: cursor ?? '0' };
    if (options.cursors === 'endless') return { sessions, nextCursor: String(end + 1) };
    if (end < rows.length) return { sessions, nextCursor: String(end) };
    return options.nulls ? { sessions, nextCursor: null } : { sessions };
  },

  'session/close': (params) => {
    opened(params).cancelled = true;
    active.delete(params.sessionId);
    return {};
  },

  'session/delete': ({ sessionId }) => {
    const open = active.get(sessionId);
    if (open) open.cancelled = true;
    active.delete(sessionId);
    keep(sessionId, { at: 'gone' });
    return {};
  },

  'session/set_title': (params) => {
    const session = known(params);
    keep(session.id, { at: 'title', title: params.title });
    const it = { sessionUpdate: 'session_info_update', title: params.title };
    if (active.has(session.id)) afterwards.push(() => update(session, it));
    return {};
  },

  'session/set_mode': (params) => {
    const session = opened(params);
    if (options.modes && !options.modes.includes(params.modeId))
      throw new Refusal(-32602, `no mode ${params.modeId}`);
    change(session, 'mode', params.modeId);
    afterwards.push(() => tellSetting(session, 'mode'));
    return {};
  },

  'session/set_model': (params) => {
    const session = opened(params);
    if (!options.models?.includes(params.modelId))
      throw new Refusal(-32602, `no model ${params.modelId}`);
    change(session, 'model', params.modelId);
    return {};
  },

  'session/set_config_option': (params) => {
    const session = opened(params);
    const option = configOptions(session).find(({ id }) => id === params.configId);
    if (!option) throw new Refusal(-32602, `no option ${params.configId}`);
    if (!offers(option, params.value))
      throw new Refusal(-32602, `${params.configId} can't be ${params.value}`);
    change(session, params.configId, params.value);
    return { configOptions: configOptions(session) };
  },

  'session/prompt': (params) => enqueue(opened(params), params.prompt),

  '_session/steering': (params) => {
    const session = opened(params);
    if (session.running) {
      chunk(session, `steered: ${keepPrompt(session, params.prompt)}`);
      return { outcome: 'injected' };
    }
    if (params._meta?.steering?.idleBehavior === 'promptRequired')
      return { outcome: 'promptRequired', reason: 'noRunningTurn' };
    void enqueue(session, params.prompt);
    return { outcome: 'startedNewTurn' };
  },
};

/** What has to be advertised. */
const NEEDS = {
  'session/list': 'list',
  'session/load': 'load',
  'session/resume': 'resume',
  'session/fork': 'fork',
  'session/close': 'close',
  'session/delete': 'delete',
  'session/set_title': 'title',
};

function handler(method) {
  const code = options.fails?.[method];
  if (code !== undefined) throw new Refusal(code, `${method} fails`);
  const refused =
    (method in NEEDS && !can(NEEDS[method])) ||
    (method === '_session/steering' && !options.steering);
  if (refused || !METHODS[method]) throw new Refusal(-32601, `Method not found: ${method}`);
  return METHODS[method];
}

async function receive({ id, method, params, result, error }) {
  if (method === undefined) {
    answers.get(id)?.(result ?? { error });
    return;
  }
  if (method === 'session/cancel') {
    const session = active.get(params.sessionId);
    if (session?.running) session.cancelled = true;
    return;
  }
  if (id === undefined || options.hangs?.includes(method)) return;
  try {
    const answer = handler(method)(params ?? {});
    send({ id, result: answer instanceof Promise ? await answer : answer });
  } catch (failure) {
    if (!(failure instanceof Refusal)) record({ fault: String(failure?.stack ?? failure) });
    send({ id, error: { code: failure.code ?? -32603, message: failure.message } });
  }
  for (const step of afterwards.splice(0)) step();
}

listen(receive, () => process.exit(0));
