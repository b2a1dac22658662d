import type {
  PermissionOption,
  SessionUpdate,
  ToolCall,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { relative, resolve } from 'node:path';
import { count } from './prompt';
import { isMode, type ModeId } from './session';
import type { Turn } from './turn';

export interface Lines {
  start: number;
  end: number;
}

/** Absolute path of what the user named: `@` in front and quotes around it are habits of clients. */
export function absolute(turn: Turn, name: string): string {
  return resolve(turn.session.cwd, name.replace(/^@/, ''));
}

export function shown(turn: Turn, path: string): string {
  const inside = relative(turn.session.cwd, path);
  return inside && !inside.startsWith('..') ? inside : path;
}

/** Reads a file through the client, which also knows unsaved text. Null when that failed. */
export async function read(turn: Turn, path: string, lines?: Lines): Promise<string | null> {
  const name = shown(turn, path);
  if (!turn.capabilities.fs?.readTextFile) {
    await turn.say(
      `Your client does not offer \`fs/read_text_file\`, so I can't read \`${name}\`.\n`,
    );
    return null;
  }
  const range = lines ? { line: lines.start, limit: lines.end - lines.start + 1 } : {};
  const call = await begin(turn, {
    title: `Read ${name}${lines ? `:${lines.start}-${lines.end}` : ''}`,
    kind: 'read',
    locations: [{ path, ...(lines ? { line: lines.start } : {}) }],
    rawInput: { path, ...range },
  });
  return call.run(async () => {
    await turn.pause(200);
    const { content } = await turn.request('fs/read_text_file', {
      sessionId: turn.session.id,
      path,
      ...range,
    });
    turn.session.file = path;
    turn.session.record.characters += content.length;
    await call.complete({
      content: [text(content)],
      rawOutput: { lines: content.split('\n').length, characters: content.length },
    });
    return content;
  });
}

/** Proposes a new text for a file, asks, and writes it. True when the file was changed. */
export async function edit(
  turn: Turn,
  path: string,
  oldText: string,
  newText: string,
): Promise<boolean> {
  const name = shown(turn, path);
  if (turn.session.mode === 'plan') {
    await turn.say(`I'm in plan mode: I'd change \`${name}\`, but I write nothing.\n`);
    return false;
  }
  if (!turn.capabilities.fs?.writeTextFile) {
    await turn.say(`Your client does not offer \`fs/write_text_file\`, so \`${name}\` stays.\n`);
    return false;
  }
  const call = await begin(turn, {
    title: `Edit ${name}`,
    kind: 'edit',
    locations: [{ path, line: firstChange(oldText, newText) }],
    content: [{ type: 'diff', path, oldText, newText }],
    rawInput: { path },
  });
  const done = await call.run(async () => {
    if (!(await call.allowed('edit', 'Always allow edits'))) return false;
    await turn.request('fs/write_text_file', {
      sessionId: turn.session.id,
      path,
      content: newText,
    });
    turn.session.file = path;
    await call.complete({ rawOutput: { written: newText.length } });
    return true;
  });
  return done ?? false;
}

/** Runs a program in a terminal of the client, without a shell. The exit code, or null when it did not run. */
export async function run(turn: Turn, command: string, args: string[]): Promise<number | null> {
  return (await start(turn, command, args))?.ended ?? null;
}

/** A program that runs; `ended` is its exit code, null where there is none. */
interface Running {
  ended: Promise<number | null>;
}

/** Starts a program as `run` does. Null when it was not started. */
export async function start(turn: Turn, command: string, args: string[]): Promise<Running | null> {
  const line = [command, ...args].join(' ');
  if (turn.session.mode === 'plan') {
    await turn.say(`I'm in plan mode: I'd run \`${line}\`, but I run nothing.\n`);
    return null;
  }
  if (!turn.capabilities.terminal) {
    await turn.say(`Your client does not offer terminals, so I can't run \`${line}\`.\n`);
    return null;
  }
  const call = await begin(turn, {
    title: line,
    kind: 'execute',
    rawInput: { command, args, cwd: turn.session.cwd },
  });
  return call.run(async () => {
    if (!(await call.allowed(`execute ${command}`, `Always allow ${command}`))) return null;
    const sessionId = turn.session.id;
    const { terminalId } = await turn.insist('terminal/create', {
      sessionId,
      command,
      args,
      cwd: turn.session.cwd,
      env: [{ name: 'FORCE_COLOR', value: '1' }],
      outputByteLimit: 1024 * 1024,
    });
    const ended = call.run(() => untilItEnds(turn, call, terminalId));
    // Nobody may wait for it: a turn and a connection may end before.
    void ended.catch(() => undefined);
    return { ended };
  });
}

async function untilItEnds(turn: Turn, call: Call, terminalId: string): Promise<number | null> {
  const sessionId = turn.session.id;
  try {
    await call.progress([{ type: 'terminal', terminalId }]);
    const exit = await turn.request('terminal/wait_for_exit', { sessionId, terminalId });
    const { output } = await turn.request('terminal/output', { sessionId, terminalId });
    turn.session.record.characters += output.length;
    const code = exit.exitCode ?? null;
    await call.complete({ rawOutput: { ...exit, output } }, code === 0, [
      text(`\`\`\`console\n${output}\n\`\`\``),
    ]);
    return code;
  } finally {
    await turn.insist('terminal/release', { sessionId, terminalId });
  }
}

/** Has a plan approved: the mode to go on in, or null when it was rejected. */
export async function approved(turn: Turn, plan: string): Promise<ModeId | null> {
  const call = await begin(turn, {
    title: 'Ready to begin?',
    kind: 'switch_mode',
    rawInput: { plan },
  });
  const mode = await call.run(async () => {
    const chosen = await call.choice([
      { optionId: 'auto', name: 'Yes, and edit without asking', kind: 'allow_always' },
      { optionId: 'ask', name: 'Yes, and ask before each edit', kind: 'allow_once' },
      { optionId: 'plan', name: 'No, keep planning', kind: 'reject_once' },
    ]);
    const isYes = isMode(chosen) && chosen !== 'plan';
    await call.complete({}, isYes);
    return isYes ? chosen : null;
  });
  return mode ?? null;
}

async function begin(turn: Turn, fields: Omit<ToolCall, 'toolCallId'>): Promise<Call> {
  const toolCallId = turn.session.nextToolCallId();
  await turn.update({
    sessionUpdate: 'tool_call',
    ...fields,
    toolCallId,
    status: 'pending',
  });
  return new Call(turn, { ...fields, toolCallId });
}

/** A tool call under way. However it ends, the client is told. */
class Call {
  readonly #turn: Turn;
  readonly #call: ToolCall;

  constructor(turn: Turn, call: ToolCall) {
    this.#turn = turn;
    this.#call = call;
  }

  /** Does the work; a failure is shown on the call, and null returned. */
  async run<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      const reason = this.#turn.signal.aborted ? 'Cancelled.' : messageOf(error);
      const failed: SessionUpdate = {
        sessionUpdate: 'tool_call_update',
        toolCallId: this.#call.toolCallId,
        status: 'failed',
        content: [...(this.#call.content ?? []), text(reason)],
      };
      this.#turn.session.remember(failed);
      await this.#turn.send(failed);
      this.#turn.signal.throwIfAborted();
      return null;
    }
  }

  async progress(content: ToolCallContent[]): Promise<void> {
    await this.#update({ status: 'in_progress', content });
  }

  /** `kept`: content for a later load, where the live one (a terminal) will be gone. */
  async complete(
    fields: Omit<ToolCallUpdate, 'toolCallId'>,
    success = true,
    kept?: ToolCallContent[],
  ): Promise<void> {
    await this.#update({ ...fields, status: success ? 'completed' : 'failed' }, kept);
  }

  /** Asks; the id of what was chosen. */
  async choice(options: PermissionOption[]): Promise<string> {
    const { outcome } = await this.#turn.request('session/request_permission', {
      sessionId: this.#turn.session.id,
      toolCall: { ...this.#call, status: 'pending' },
      options,
    });
    if (outcome.outcome !== 'selected') throw new Error('The question was not answered.');
    return outcome.optionId;
  }

  /** Asks for permission where mode and former answers don't give it. */
  async allowed(what: string, always: string): Promise<boolean> {
    const { session } = this.#turn;
    if (session.mode !== 'auto' && !session.allowed.has(what)) {
      const chosen = await this.choice(options(always));
      if (chosen === 'always') session.allowed.add(what);
      else if (chosen !== 'once') {
        await this.#update({
          status: 'failed',
          content: [...(this.#call.content ?? []), text('Rejected.')],
        });
        return false;
      }
    }
    await this.#update({ status: 'in_progress' });
    return true;
  }

  async #update(
    fields: Omit<ToolCallUpdate, 'toolCallId'>,
    kept?: ToolCallContent[],
  ): Promise<void> {
    const update = {
      sessionUpdate: 'tool_call_update',
      toolCallId: this.#call.toolCallId,
      ...fields,
    } as const;
    await this.#turn.update(update, kept ? { ...update, content: kept } : update);
  }
}

function options(always: string): PermissionOption[] {
  return [
    { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'always', name: always, kind: 'allow_always' },
    { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  ];
}

function text(content: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text: content } };
}

function firstChange(oldText: string, newText: string): number {
  const after = newText.split('\n');
  const index = oldText.split('\n').findIndex((line, i) => line !== after[i]);
  return Math.max(index, 0) + 1;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `12 lines`, for talking about a text. */
export function size(content: string): string {
  return count(content.replace(/\n$/, '').split('\n').length, 'line');
}
