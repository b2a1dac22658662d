/** What stands in a file → blocks and terminals. What isn't as it should be gives null: nothing is made up. */
import { array, object, type Json } from '../acp/coerce';
import type { Attachment } from '../nvim/protocol';
import { TextLog, type Block, type TerminalState, type ToolContent } from '../session/model';
import type { TRANSIENT } from './changes';
import type { Settings, Summary } from './records';

type Check = (value: unknown) => boolean;

const any: Check = () => true;
const string: Check = (value) => typeof value === 'string';
const boolean: Check = (value) => typeof value === 'boolean';
const number: Check = (value) => typeof value === 'number';
const nullOr =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    array(value)?.every(check) ?? false;
const shape =
  (fields: Record<string, Check>): Check =>
  (value) => {
    const it = object(value);
    return it !== undefined && Object.entries(fields).every(([name, check]) => check(it[name]));
  };
/** One of several shapes, told apart by their `type`. */
const oneOf =
  (shapes: Record<string, Check>): Check =>
  (value) => {
    const type = object(value)?.type;
    return typeof type === 'string' && Object.hasOwn(shapes, type) && shapes[type]!(value);
  };

const attachment = oneOf({
  text: shape({
    text: string,
    path: optional(string),
    startLine: optional(number),
    endLine: optional(number),
    filetype: optional(string),
    name: optional(string),
  }),
  file: shape({ path: string }),
  media: shape({ path: string, mime: string, name: string }),
  conversation: any,
});
const toolContent = oneOf({
  text: shape({ text: string }),
  diff: shape({ path: string, oldText: nullOr(string), newText: string }),
  terminal: shape({ terminalId: string }),
  other: shape({ label: string }),
});
const label = shape({ label: string, path: optional(string), line: optional(number) });
const location = shape({ path: string, line: optional(number) });
const option = shape({ id: string, name: string, kind: string });
const question = shape({ id: string, options: listOf(option) });
const subagent = shape({
  id: string,
  state: string,
  error: nullOr(string),
  cancel: boolean,
});
const planEntry = shape({
  id: optional(string),
  content: string,
  priority: string,
  status: string,
});
const exit = shape({ exitCode: nullOr(number), signal: nullOr(string) });

type Fields<B> = Record<
  Exclude<keyof Required<B>, 'id' | 'kind' | 'late' | 'parent' | typeof TRANSIENT>,
  Check
>;

const FIELDS: { [K in Block['kind']]: Fields<Extract<Block, { kind: K }>> } = {
  user: {
    text: string,
    attachments: listOf(label),
    time: nullOr(number),
    queued: boolean,
    steered: optional(boolean),
  },
  message: {
    messageId: nullOr(string),
    text: string,
    done: boolean,
    draft: optional(nullOr(string)),
  },
  thought: {
    messageId: nullOr(string),
    text: string,
    startedAt: number,
    endedAt: nullOr(number),
    expanded: boolean,
  },
  tool: {
    toolCallId: string,
    title: string,
    toolKind: string,
    status: string,
    content: listOf(toolContent),
    locations: listOf(location),
    rawInput: any,
    rawOutput: any,
    response: any,
    startedAt: nullOr(number),
    endedAt: nullOr(number),
    question: nullOr(question),
    asks: optional(listOf(string)),
    answer: nullOr(string),
    asked: boolean,
    rejected: boolean,
    expanded: boolean,
    subagent: optional(subagent),
  },
  subagent: {
    subagent,
    title: string,
    description: string,
    startedAt: number,
    endedAt: nullOr(number),
    expanded: boolean,
  },
  letter: { messageId: string, with: string, received: boolean, text: string, expanded: boolean },
  plan: {
    planId: string,
    entries: listOf(planEntry),
    text: optional(string),
    uri: optional(nullOr(string)),
  },
  notice: {
    severity: string,
    title: string,
    detail: string,
    times: optional(number),
  },
  compaction: {
    compactionId: string,
    status: string,
    text: string,
    error: nullOr(string),
    startedAt: number,
    endedAt: nullOr(number),
    expanded: boolean,
  },
  unknown: { label: string, payload: any, expanded: boolean },
  turn: {
    stopReason: string,
    startedAt: number,
    endedAt: number,
    tools: number,
    unasked: number,
    files: number,
    added: number,
    removed: number,
    measured: boolean,
    silent: optional(boolean),
  },
};

const TERMINAL: Record<Exclude<keyof TerminalState, 'id' | 'output'>, Check> = {
  command: nullOr(string),
  cwd: nullOr(string),
  truncated: boolean,
  exit: nullOr(exit),
};

const SUMMARY: Record<keyof Summary, Check> = {
  agentSession: nullOr(string),
  title: nullOr(string),
  first: string,
  last: listOf(string),
  updated: number,
  prompts: number,
  draft: boolean,
  running: boolean,
};

/** Whether the text of such a block is a `TextLog`. */
function isLogged(kind: Block['kind']): boolean {
  return kind === 'message' || kind === 'thought' || kind === 'compaction' || kind === 'plan';
}

export function readBlock(value: unknown): Block | null {
  const json = object(value);
  const kind = json?.kind;
  if (!json || typeof json.id !== 'string') return null;
  if (typeof kind !== 'string' || !Object.hasOwn(FIELDS, kind)) return null;
  if (!shape(FIELDS[kind as Block['kind']])(json)) return null;
  const fields = readFields(kind as Block['kind'], json);
  const late = json.late === true ? { late: true } : {};
  const parent = typeof json.parent === 'string' ? { parent: json.parent } : {};
  return { kind, ...fields, id: json.id, ...parent, ...late } as unknown as Block;
}

/** New values of fields of a block of that kind; what isn't a field of it is left out. */
export function readFields(kind: Block['kind'], value: unknown): Partial<Block> | null {
  const fields = readChanged(FIELDS[kind], value);
  if (fields && isLogged(kind) && typeof fields.text === 'string') {
    fields.text = new TextLog(fields.text);
  }
  return fields;
}

function readChanged(checks: Record<string, Check>, value: unknown): Json | null {
  const json = object(value);
  if (!json) return null;
  const fields = pick(json, Object.keys(checks));
  return Object.entries(fields).every(([name, it]) => checks[name]!(it)) ? fields : null;
}

export function readToolContent(value: unknown): ToolContent[] | null {
  return listOf(toolContent)(value) ? (value as ToolContent[]) : null;
}

export function readTerminal(value: unknown): TerminalState | null {
  const json = object(value);
  if (!json || !shape({ ...TERMINAL, id: string, output: string })(json)) return null;
  return pick(json, ['id', 'output', ...Object.keys(TERMINAL)]) as unknown as TerminalState;
}

/** Changed fields of a terminal, its output aside. */
export function readTerminalFields(value: unknown): Partial<TerminalState> | null {
  return readChanged(TERMINAL, value);
}

export function readAttachments(value: unknown): Attachment[] | null {
  return listOf(attachment)(value) ? (value as Attachment[]) : null;
}

export function readSettings(value: unknown): Settings | null {
  const json = object(value);
  const fine = json && Object.values(json).every((it) => string(it) || boolean(it));
  return fine ? (json as Settings) : null;
}

export function readDirs(value: unknown): string[] | null {
  const dirs = array(value);
  return dirs?.every((dir) => typeof dir === 'string') ? dirs : null;
}

export function readSummary(value: unknown): Summary | null {
  if (!shape(SUMMARY)(value)) return null;
  return pick(object(value)!, Object.keys(SUMMARY)) as unknown as Summary;
}

function pick(json: Json, names: string[]): Json {
  const picked: Json = {};
  for (const name of names) if (Object.hasOwn(json, name)) picked[name] = json[name];
  return picked;
}
