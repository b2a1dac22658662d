/** What an agent may ask of one session: permission, files, terminals. */
import type { AgentEvent, ToolCallPatch } from '../acp/events';
import type { Asked } from '../acp/extensions/extension';
import type { PermissionRequest } from '../acp/v1';
import type { SessionPort } from '../agent/session-port';
import { fault } from '../client/faults';
import { Files, type FilesOptions } from '../client/files';
import { realPath } from '../client/roots';
import { stampOf, textOnDisk } from '../client/standing';
import { Terminals } from '../client/terminals';
import type { FileDiff } from '../diff/file-diff';
import type { Question } from '../nvim/protocol';
import { proposedDiffs, type Proposal } from '../proposal/proposal';
import { pathsOf } from '../render/subject';
import { Asking, isAllowed, shownOnly } from './asking';
import { Elicitations } from './elicitations';
import type { ToolBlock } from './model';
import { askedPlan } from './plans';
import { Proposals, type Allowed } from './proposals';
import type { Answer, Outcome, Questions } from './questions';
import type { Session } from './session';
import { toolsOfTurn } from './tools-of-turn';
import { isFinal } from './turn-summary';
import { Writes } from './writes';

export interface ClientPortOptions extends Pick<FilesOptions, 'baseText' | 'onRead' | 'onWrote'> {
  session: Session;
  /** Extra folders of the configuration. */
  roots: string[];
  /** The agent's name, for people. */
  agent: () => string;
  /** False while a turn is being cancelled: new questions are answered `cancelled` at once. */
  accepting: () => boolean;
  /** What the user said with an answer to the agent's own question: ACP has no place for it there. */
  onWords: (words: string) => void;
}

export class ClientPort implements SessionPort {
  readonly asking: Asking;
  readonly handlers: SessionPort['handlers'];
  readonly session: Session;
  readonly #options: ClientPortOptions;
  readonly #elicitations: Elicitations;
  readonly #proposals = new Proposals();
  readonly #files: Files;
  #terminals: Terminals;

  constructor(options: ClientPortOptions) {
    const { session, accepting } = options;
    this.session = session;
    this.#options = options;
    this.asking = new Asking(session);
    this.#elicitations = new Elicitations({ session, asking: this.asking, accepting });
    this.#terminals = this.#newTerminals();
    const proposals = this.#proposals;
    this.#files = new Files({
      editor: session.context.editor,
      roots: () => this.roots,
      gate: new Writes({ session, asking: this.asking, proposals, accepting }),
      ...(options.baseText && { baseText: options.baseText }),
      onRead: (path) => {
        proposals.read(path);
        options.onRead?.(path);
      },
      onWrote: (path, written) => {
        proposals.wrote(path, written.after);
        options.onWrote?.(path, written);
      },
      onManner: (manner) => proposals.saw(manner),
    });
    this.handlers = {
      requestPermission: (request, withdrawn) => this.#requestPermission(request, withdrawn),
      elicit: (request, withdrawn) => this.#elicitations.elicit(request, withdrawn),
      readTextFile: (params) => this.#files.readTextFile(params),
      writeTextFile: (params, withdrawn) => this.#files.writeTextFile(params, withdrawn),
      createTerminal: (params) => this.#terminals.create(params),
      terminalOutput: async (params) => this.#terminals.output(params),
      waitForTerminalExit: (params) => this.#terminals.waitForExit(params),
      killTerminal: async (params) => this.#terminals.kill(params),
      releaseTerminal: async (params) => this.#terminals.release(params),
    };
  }

  /** Nothing goes on: no turn, no question, no command. */
  get resting(): boolean {
    return this.session.resting && this.questions.waiting === 0 && !this.#terminals.running;
  }

  /** The session's folders, absolute; its own first. */
  get roots(): readonly string[] {
    const { cwd, equipment } = this.session;
    return [...new Set([cwd, ...this.#options.roots, ...equipment.dirs])];
  }

  get questions(): Questions {
    return this.asking.questions;
  }

  onOpened(result: Record<string, unknown>): void {
    this.session.settings.opened(result);
  }

  onUpdate(update: unknown, meta: unknown, subagent?: string): void {
    this.session.onUpdate(update, meta, subagent);
  }

  knows(toolCallId: string): boolean {
    return this.session.reducer.toolCall(toolCallId) !== undefined;
  }

  completed(elicitationId: string): void {
    this.#elicitations.completed(elicitationId);
  }

  async extended(asked: Asked, withdrawn: AbortSignal): Promise<unknown> {
    if (asked.events.length > 0) this.onEvents(asked.events);
    return this.#elicitations.extended(asked, withdrawn);
  }

  onEvents(events: readonly AgentEvent[]): void {
    this.session.onEvents(events);
  }

  onLogin(how: 'here' | 'anew'): void {
    this.session.login.done(how);
  }

  /** The open questions, oldest first, as the editor shows them. */
  openQuestions(): Question[] {
    return this.asking.open();
  }

  /** The user's answer to a question. */
  answer(question: string, option: string, more: Omit<Answer, 'option'>): void {
    this.asking.answer(question, option, more);
  }

  /** The diffs of a tool call, placed in the files as they stand; those of a question as it was asked. */
  async diffs(tool: ToolBlock): Promise<FileDiff[]> {
    const question = tool.question && this.questions.get(tool.question.id);
    return question && question.diff.length > 0
      ? question.diff
      : shownOnly((await this.#proposed(tool)).files);
  }

  turnStarted(): void {
    this.#files.turnStarted();
    this.#proposals.turnStarted();
  }

  /** The user saved a buffer. */
  saved(path: string, text: string): void {
    this.#files.saved(path, text);
  }

  /** The agent told something of a call. When that has ended, it is seen how its files were written. */
  toolCalled(patch: ToolCallPatch): void {
    if (patch.status === undefined || !isFinal(patch.status)) return;
    const { transcript } = this.session;
    const tool = toolsOfTurn(transcript).find(({ toolCallId }) => toolCallId === patch.id);
    if (tool) this.#inBackground(this.#callEnded(tool));
  }

  turnEnded(): void {
    // The next one may begin at once.
    const waiting = this.#proposals.waiting();
    const check = async (): Promise<void> => {
      await this.#files.recheck(true);
      this.#unused(waiting.filter(({ used }) => !used));
    };
    this.#inBackground(check());
  }

  /** The commands that run for the agent. */
  get terminals(): Pick<Terminals, 'runs' | 'stop'> {
    return this.#terminals;
  }

  /** The agent has gone: nobody waits for answers, and its commands go with it. The next one begins with none. */
  agentGone(): void {
    this.questions.cancelAll();
    this.#inBackground(this.#terminals.dispose());
    this.#terminals = this.#newTerminals();
  }

  async dispose(): Promise<void> {
    this.questions.dispose();
    this.#files.dispose();
    await this.#terminals.dispose();
  }

  #newTerminals(): Terminals {
    const session = this.session;
    return new Terminals({
      cwd: session.cwd,
      onChange: (state, more) => {
        session.reducer.terminalChanged(state, more, session.context.now());
        session.changed();
      },
    });
  }

  async #requestPermission(
    { sessionId, subagent, patch, isPlan, options }: PermissionRequest,
    withdrawn: AbortSignal,
  ): Promise<Outcome> {
    if (!this.#options.accepting()) return { outcome: 'cancelled' };
    const { session, asking } = this;
    const id = this.questions.newId();
    const { cancels } = this.questions;
    const tool = session.reducer.toolOfQuestion(id, patch, session.context.now(), [
      sessionId,
      ...(subagent === undefined ? [] : [subagent]),
    ]);
    session.changed();
    // What is allowed may change at once, and not all agents have told of the call before.
    await session.changes.sight(pathsOf(tool).map(({ path }) => path));
    // The whole question at once: who sees it may answer it, and shall see its diff then.
    const proposal = await this.#proposed(tool, 'before').catch((error: unknown) => {
      session.context.onFault('diff of a question', error);
      return { files: [], pieces: [] };
    });
    const { files: diff, pieces } = proposal;
    const editable = await this.#editable(diff);
    if (withdrawn.aborted || this.questions.cancels !== cancels) return { outcome: 'cancelled' };
    const shown = editable === true ? diff : shownOnly(diff);
    const plan = askedPlan(tool, isPlan);
    const about = { id, options, diff: shown, editable, waits: true, ...plan?.about };
    const answer = await asking.ask(tool, about, withdrawn, pieces, plan?.lines);
    if (!answer) return { outcome: 'cancelled' };
    if (isAllowed(answer.option)) await this.#allowed(tool.toolCallId, diff, answer.text);
    if (answer.words !== undefined) this.#options.onWords(answer.words);
    return { outcome: 'selected', optionId: answer.option.id };
  }

  #proposed(tool: ToolBlock, stage?: 'before'): Promise<Proposal> {
    const { cwd, context } = this.session;
    const readFile = async (path: string): Promise<string | null> => {
      // What is no path, such as one with a NUL, names no file.
      const real = await realPath(path).catch(() => null);
      if (real === null) return null;
      const buffer = await context.editor.request('buffer.read', { path: real });
      if (buffer) return buffer.text;
      const text = await textOnDisk(real);
      if (text === null && (await stampOf(real)) !== '') throw fault(real, 'is no text');
      return text;
    };
    return proposedDiffs(tool, { cwd, readFile, withText: true, ...(stage && { stage }) });
  }

  async #editable(diffs: FileDiff[]): Promise<true | string> {
    const [diff, ...more] = diffs;
    const agent = this.#options.agent();
    if (!diff) return 'there is no change of a file to be changed by hand';
    const real = await realPath(diff.path).catch(() => diff.path);
    const able = this.#proposals.editable(real, agent);
    if (able !== true) return able;
    if (more.length === 0 && !diff.fragment && diff.text !== undefined) return true;
    return 'only a proposal for one whole file can be changed by hand';
  }

  async #allowed(toolCallId: string, diffs: FileDiff[], text?: string): Promise<void> {
    for (const { path, name, text: proposed } of diffs) {
      if (proposed === undefined) continue;
      const real = await realPath(path).catch(() => path);
      const changed = text === undefined || text === proposed ? null : text;
      this.#proposals.allow({ toolCallId, path: real, name, proposed, changed });
    }
  }

  async #callEnded(tool: ToolBlock): Promise<void> {
    await this.#files.recheck();
    if (tool.status === 'completed') {
      const diffs = tool.content.filter((item) => item.type === 'diff');
      const paths = diffs.map(({ path }) => realPath(path).catch(() => path));
      this.#proposals.completed(await Promise.all(paths));
    }
    this.#unused(this.#proposals.waiting(tool.toolCallId));
  }

  /** The agent went its own way: what the user made of its proposals is given back. */
  #unused(proposals: Allowed[]): void {
    const { reducer, context } = this.session;
    this.#proposals.forget(proposals);
    for (const { name, changed } of proposals) {
      const title = `${this.#options.agent()} wrote ${name} by itself: your changed text was not used`;
      reducer.notice(
        'warning',
        title,
        'It is shown beside, to be taken over by hand.',
        context.now(),
      );
      this.session.changed();
      this.asking.giveBack(name, changed!);
    }
  }

  #inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => this.session.context.onFault('session', error));
  }
}
