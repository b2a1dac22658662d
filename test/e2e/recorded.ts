/** Recorded sessions of real agents, and what the person at the keyboard did in them. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const LOGS = resolve(import.meta.dirname, '../fixtures/logs');

interface Frame {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
}

interface Entry {
  dir: 'a2c' | 'c2a' | 'ev';
  frame?: Frame;
}

/** One thing that the user does. `chat`: in which session, of those that the recording opens. */
export type Act =
  | { act: 'prompt'; text: string; chat: number }
  | { act: 'cancel' }
  /** `option` null: the question is left open, and goes with the turn. */
  | { act: 'permission'; option: string | null }
  | { act: 'form'; action: string; values?: Record<string, unknown> };

export interface Scenario {
  /** Such as `claude/ask`. */
  name: string;
  acts: Act[];
  /** How many prompts the agent has answered: some recordings end while it tries again and again. */
  turns: number;
  /** Ids of the requests of the agent. */
  requests: (number | string)[];
  /** How many sessions are opened. */
  sessions: number;
}

/** Scenarios in which the recording client did what ours never does, and why it doesn't. */
const OTHERWISE: Record<string, string> = {
  'bad-requests': 'sends what is no request',
  'no-init': 'opens a session before initialize',
  'version-99': 'asks for a version that there is not',
  'bad-cwd': 'opens a session in a folder that there is not',
  'cancel-request': 'cancels the request, not the turn',
  queue: 'sends a prompt while another runs, which ours keeps',
  sigkill: 'kills the agent at a moment that decides whether its prompt was heard',
  steer:
    'tells right behind its answer, so that the steered prompt may stand before or behind that',
};
/** Those that open a former session first: `replay-sessions.test.ts` plays them. */
const REOPENS = /^sessions\.\d$/;

/** All scenarios of an agent that can be played. */
export function scenarios(agent: string): Scenario[] {
  return readdirSync(join(LOGS, agent))
    .map((file) => file.replace(/\.jsonl$/, ''))
    .filter((name) => !(name in OTHERWISE) && !REOPENS.test(name))
    .sort()
    .map((name) => scenario(`${agent}/${name}`));
}

function scenario(name: string): Scenario {
  const entries = readFileSync(join(LOGS, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Entry);
  const asked = new Map<number | string, Frame>();
  const acts: Act[] = [];
  const prompts = new Set<number | string>();
  const sessions: unknown[] = [];
  const opens = new Set<number | string>();
  let turns = 0;
  for (const { dir, frame } of entries) {
    if (!frame) continue;
    const { id = '', method, params } = frame;
    if (dir === 'a2c' && method && frame.id !== undefined) asked.set(id, frame);
    if (method === 'session/prompt') prompts.add(id);
    if (method === 'session/new') opens.add(id);
    if (dir === 'a2c' && !method && opens.has(id)) sessions.push(frame.result?.sessionId);
    if (dir === 'a2c' && !method && prompts.delete(id)) turns++;
    // Ours cancels no turn that there is not.
    if (dir !== 'c2a' || (method === 'session/cancel' && prompts.size === 0)) continue;
    acts.push(...actOf(frame, asked, sessions.indexOf(params?.sessionId)));
  }
  return { name, acts, turns, requests: [...asked.keys()], sessions: sessions.length };
}

const said = (frame: Frame): string =>
  (frame.params!.prompt as { text?: string }[]).map(({ text = '' }) => text).join('');

function actOf(frame: Frame, asked: Map<number | string, Frame>, chat: number): Act[] {
  if (frame.method === 'session/prompt') return [{ act: 'prompt', text: said(frame), chat }];
  if (frame.method === 'session/cancel') return [{ act: 'cancel' }];
  const request = frame.id === undefined ? undefined : asked.get(frame.id);
  if (frame.method !== undefined || !request) return [];
  if (request.method === 'session/request_permission') {
    const { optionId } = frame.result!.outcome as { optionId?: string };
    return [{ act: 'permission', option: optionId ?? null }];
  }
  if (request.method !== 'elicitation/create') return [];
  const { action, content } = frame.result as { action: string; content?: Record<string, unknown> };
  return [{ act: 'form', action, ...(content && { values: content }) }];
}
