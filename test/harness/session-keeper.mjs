// An ACP agent on its stdio that keeps its sessions in a file. Started by `sessionAgent` of session-agent.ts, which describes
// its options and the markers of its prompts: node session-keeper.mjs OPTIONS.json RECORD.jsonl
import { realpathSync } from 'node:fs';
import process from 'node:process';
import {
  activate,
  active,
  chunk,
  entries,
  keep,
  kept,
  known,
  newId,
  opened,
  Refusal,
  update,
} from './keeper-sessions.mjs';
import {
  change,
  configOptions,
  offers,
  state,
  tellCommands,
  tellSetting,
} from './keeper-settings.mjs';
import { answers, enqueue, keepPrompt } from './keeper-turn.mjs';
import { listen, record, send, settings as options } from './player.mjs';

const can = (what) => options.can?.[what] ?? true;

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
      mcpCapabilities: { http: true, sse: true, ...options.mcp },
      sessionCapabilities: Object.fromEntries(
        ['list', 'resume', 'fork', 'close', 'delete', 'title', 'additionalDirectories']
          .filter(can)
          .map((it) => [it, {}]),
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
      const text = keepPrompt(session, params.prompt);
      if (!options.quiet) chunk(session, `steered: ${text}`);
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
