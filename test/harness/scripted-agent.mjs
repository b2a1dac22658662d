// Plays an ACP agent on its stdio, from a script or from a recorded log. Started by `scriptedAgent` and `replayAgent`
// of agent.ts (which describes the steps): node scripted-agent.mjs SCRIPT.json RECORD.jsonl
import { Buffer } from 'node:buffer';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
import process from 'node:process';
import { setInterval } from 'node:timers';
import { setTimeout as delay } from 'node:timers/promises';
import { listen, record, send, settings, starts, write } from './player.mjs';

const { runs, replay } = settings;

// ---- input: messages are kept until a step takes them

const inbox = [];
const waiting = new Set();
const isRequest = (message) => message.method !== undefined && message.id !== undefined;

/** The first message that `wanted` accepts, now or later. */
function take(wanted) {
  const index = inbox.findIndex(wanted);
  if (index >= 0) return Promise.resolve(inbox.splice(index, 1)[0]);
  return new Promise((resolve) => waiting.add({ wanted, resolve }));
}

function receive(message) {
  for (const waiter of waiting) {
    if (!waiter.wanted(message)) continue;
    waiting.delete(waiter);
    waiter.resolve(message);
    return;
  }
  if (isRequest(message) && answerByDefault(message)) return;
  inbox.push(message);
}

// ---- defaults

const scripted = new Set();
let sessions = 0;
let session = 'session-1';
let finished = false;

const defaults = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { promptCapabilities: { image: true, embeddedContext: true } },
    agentInfo: { name: 'scripted', title: 'Scripted', version: '1.0.0' },
    authMethods: [],
  }),
  'session/new': () => ({ sessionId: (session = `session-${++sessions}`) }),
};

/** Answers what the script doesn't speak of. Says whether it did. */
function answerByDefault({ id, method }) {
  if (scripted.has(method) && !finished) return false;
  if (defaults[method]) send({ id, result: defaults[method]() });
  else if (method === 'session/prompt') send({ id, result: { stopReason: 'end_turn' } });
  else send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  return true;
}

const startedBefore = starts();

/** The last one is for all starts that follow. */
const ofThisStart = (all) => all[Math.min(startedBefore, all.length - 1)];

// ---- a script

const names = {};
let request;
let lastId = 0;
const answers = new Map();

function lookUp(path) {
  return path.split('.').reduce((value, key) => value?.[key], names);
}

/** Puts values in for `${name.path}`; a string that is nothing else becomes the value itself. */
function fill(value) {
  if (Array.isArray(value)) return value.map(fill);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item)]));
  if (typeof value !== 'string') return value;
  const whole = /^\$\{([\w.]+)\}$/.exec(value);
  if (whole) return lookUp(whole[1]);
  return value.replace(/\$\{([\w.]+)\}/g, (_, path) => String(lookUp(path)));
}

async function expectMessage({ expect, as }) {
  const message = await take((it) => it.method === expect);
  if (isRequest(message)) request = message;
  if (message.params?.sessionId) session = message.params.sessionId;
  if (as) names[as] = message;
}

function reply(body, to) {
  const { id } = to ? names[to] : request;
  if (body.result?.sessionId) session = body.result.sessionId;
  send({ id, ...body });
}

async function ask({ request: { method, params }, as }) {
  const id = `scripted-${++lastId}`;
  const answer = take((it) => it.method === undefined && it.id === id);
  send({ id, method, params: { sessionId: session, ...params } });
  if (as) answers.set(as, answer);
  else await answer;
}

async function awaitAnswer(name) {
  const { result, error } = await answers.get(name);
  names[name] = error ? { error } : result;
}

function startChild([command, ...args], options) {
  const child = spawn(command, args, options);
  child.unref();
  record({ child: child.pid });
}

let stubborn = false;
function ignoreEnd() {
  stubborn = true;
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1 << 30);
}

async function run(steps) {
  for (const unfilled of steps) {
    if (unfilled.repeat !== undefined) {
      for (names.i = 0; names.i < unfilled.repeat; names.i++) await run(unfilled.steps);
      continue;
    }
    if (unfilled.when) {
      const [value, wanted] = fill(unfilled.when);
      if (value === wanted) await run(unfilled.steps);
      continue;
    }
    const step = fill(unfilled);
    if (step.expect) await expectMessage(step);
    else if ('reply' in step) reply({ result: step.reply }, step.to);
    else if (step.error) reply({ error: step.error }, step.to);
    else if (step.update)
      send({
        method: 'session/update',
        params: { sessionId: step.session ?? session, update: step.update },
      });
    else if (step.notify) send(step.notify);
    else if (step.request) await ask(step);
    else if (step.answer) await awaitAnswer(step.answer);
    else if (step.raw !== undefined) write(Buffer.from(step.raw, step.encoding));
    else if (step.stderr) writeSync(2, step.stderr);
    else if (step.delay !== undefined) await delay(step.delay);
    else if (step.sh) execFileSync('sh', ['-c', step.sh], { stdio: 'ignore' });
    else if (step.spawn) startChild(step.spawn, { stdio: 'ignore' });
    else if (step.daemon) startChild(step.daemon, { stdio: 'inherit', detached: true });
    else if (step.stubborn) ignoreEnd();
    else if (step.exit !== undefined) process.exit(step.exit);
    else if (step.kill) process.kill(process.pid, step.kill);
    else throw new Error(`not a step: ${JSON.stringify(step)}`);
  }
}

function methodsOf(steps) {
  return steps.flatMap((step) => (step.steps ? methodsOf(step.steps) : (step.expect ?? [])));
}

async function runScript(steps) {
  for (const method of methodsOf(steps)) scripted.add(method);
  await run(steps);
}

// ---- a recorded log

/** Sends what the agent sent, and waits wherever the client sent something until ours has sent the like. */
async function runReplay({ logs, folder }) {
  const entries = readFileSync(ofThisStart(logs), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const calls = entries.filter((it) => it.dir === 'c2a' && it.frame.method !== undefined);
  for (const { frame } of calls) scripted.add(frame.method);
  const ids = new Map();
  let cwd = folder;

  /** Ours may leave out what the recorded client did, such as setting a mode: then something later comes instead. */
  async function takeCall(entry) {
    const { method, id } = entry.frame;
    const following = calls.slice(calls.indexOf(entry)).map((it) => it.frame.method);
    record({ awaits: method });
    const message = await take((it) => it.method && following.includes(it.method));
    if (message.method !== method) return inbox.unshift(message);
    if (id !== undefined) ids.set(id, message.id);
    if (message.params?.cwd) cwd = message.params.cwd;
  }

  /** Recorded ids become those of the client's own requests, recorded paths those of its own folder. */
  function sendRecorded(frame) {
    const isAnswer = frame.method === undefined;
    if (isAnswer && !ids.has(frame.id)) return;
    const text = JSON.stringify(isAnswer ? { ...frame, id: ids.get(frame.id) } : frame);
    write(`${text.replaceAll(folder, JSON.stringify(cwd).slice(1, -1))}\n`);
  }

  for (const [index, entry] of entries.entries()) {
    const { dir, frame, raw } = entry;
    const before = entries[index - 1];
    // What came behind an answer after a pause is seen after it.
    if (before?.frame?.id !== undefined && entry.t - before.t >= 50) await delay(50);
    if (dir === 'a2c' && frame === undefined) write(`${raw}\n`);
    else if (dir === 'a2c') sendRecorded(frame);
    else if (dir === 'c2a' && frame.method !== undefined) await takeCall(entry);
    else if (dir === 'c2a') await take((it) => it.method === undefined && it.id === frame.id);
  }
}

// ---- start

listen(receive, () => {
  if (!stubborn) process.exit(0);
});

async function play() {
  await (replay ? runReplay(replay) : runScript(ofThisStart(runs)));
  finished = true;
  record({ played: true });
  for (const message of inbox.splice(0)) if (isRequest(message)) answerByDefault(message);
}

play().catch((error) => {
  record({ fault: String(error?.stack ?? error) });
  process.exit(70);
});
