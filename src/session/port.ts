/** What an agent may ask of one session: permission, files, terminals. */
import type { PermissionRequest } from '../acp/v1';
import type { SessionPort } from '../agent/agent';
import { readLines } from '../client/disk';
import { Files } from '../client/files';
import { realPath } from '../client/roots';
import { Terminals } from '../client/terminals';
import type { Question } from '../nvim/protocol';
import { ICONS } from '../render/icons';
import { askedInFull, subjectOf } from '../render/subject';
import type { FileDiff } from '../review/file-diff';
import { fileDiffs } from '../review/hunks';
import type { ToolBlock } from './model';
import { Questions, type Outcome } from './questions';
import type { Session } from './session';

export interface ClientPortOptions {
  session: Session;
  /** Extra folders of the configuration. */
  roots: string[];
  /** False while a turn is being cancelled: new questions are answered `cancelled` at once. */
  accepting: () => boolean;
}

export class ClientPort implements SessionPort {
  readonly questions: Questions;
  readonly handlers: SessionPort['handlers'];
  readonly #session: Session;
  readonly #accepting: () => boolean;
  #terminals: Terminals;

  constructor({ session, roots, accepting }: ClientPortOptions) {
    this.#session = session;
    this.#accepting = accepting;
    this.questions = new Questions({
      onAnswered: (question, block, option) => {
        session.reducer.questionAnswered(block, option, session.context.now());
        session.changed();
        this.#editor('question.closed', { session: session.id, question });
      },
    });
    this.#terminals = this.#newTerminals();
    const files = new Files({ editor: session.context.editor, roots: [session.cwd, ...roots] });
    this.handlers = {
      requestPermission: (request, withdrawn) => this.#requestPermission(request, withdrawn),
      readTextFile: (params) => files.readTextFile(params),
      writeTextFile: (params) => files.writeTextFile(params),
      createTerminal: (params) => this.#terminals.create(params),
      terminalOutput: async (params) => this.#terminals.output(params),
      waitForTerminalExit: (params) => this.#terminals.waitForExit(params),
      killTerminal: async (params) => this.#terminals.kill(params),
      releaseTerminal: async (params) => this.#terminals.release(params),
    };
  }

  onOpened(result: Record<string, unknown>): void {
    this.#session.settings.opened(result);
  }

  onUpdate(update: unknown): void {
    this.#session.onUpdate(update);
  }

  /** The open questions, oldest first, as the editor shows them. */
  openQuestions(): Question[] {
    const { blocks } = this.#session.transcript;
    return this.questions.open.flatMap(({ block }) => {
      const tool = blocks.get(block);
      return tool?.kind === 'tool' && tool.question ? this.#question(tool) : [];
    });
  }

  /** The diffs of a tool call, placed in the files as they stand. */
  async diffs(tool: ToolBlock): Promise<FileDiff[]> {
    const contents = tool.content.filter((item) => item.type === 'diff');
    if (contents.length === 0) return [];
    const { cwd, context } = this.#session;
    return fileDiffs(contents, {
      cwd,
      readFile: async (path) => {
        // What is no path, such as one with a NUL, names no file.
        const real = await realPath(path).catch(() => null);
        if (real === null) return null;
        const buffer = await context.editor.request('buffer.read', { path: real });
        if (buffer) return buffer.text;
        return readLines(real, { first: 0, count: Infinity }).catch(() => null);
      },
    });
  }

  /** The agent has gone: nobody waits for answers, and its commands go with it. The next one begins with none. */
  agentGone(): void {
    this.questions.cancelAll();
    this.#terminals
      .dispose()
      .catch((error: unknown) => this.#session.context.onFault('terminals', error));
    this.#terminals = this.#newTerminals();
  }

  async dispose(): Promise<void> {
    this.questions.cancelAll();
    await this.#terminals.dispose();
  }

  #newTerminals(): Terminals {
    const session = this.#session;
    return new Terminals({
      cwd: session.cwd,
      onChange: (state) => {
        session.reducer.terminalChanged(state);
        session.changed();
      },
    });
  }

  async #requestPermission(
    { patch, options }: PermissionRequest,
    withdrawn: AbortSignal,
  ): Promise<Outcome> {
    if (!this.#accepting()) return { outcome: 'cancelled' };
    const session = this.#session;
    const id = this.questions.newId();
    const { cancels } = this.questions;
    const tool = session.reducer.toolOfQuestion(id, patch, session.context.now());
    session.changed();
    // The whole question at once: who sees it may answer it, and shall see its diff then.
    const diff = await this.diffs(tool).catch((error: unknown) => {
      session.context.onFault('diff of a question', error);
      return [];
    });
    if (withdrawn.aborted || this.questions.cancels !== cancels) return { outcome: 'cancelled' };
    const card = session.reducer.questionAsked(id, tool, options, session.context.now());
    const answer = this.questions.ask(id, card.id, options, withdrawn);
    session.changed();
    this.#open(card, id, diff).catch((error: unknown) => {
      session.context.onFault('question.opened', error);
    });
    return answer;
  }

  async #open(tool: ToolBlock, id: string, diff: FileDiff[]): Promise<void> {
    // The card first: the question may take the screen, and then frames have to wait.
    await this.#session.context.flush.taken();
    if (tool.question?.id !== id) return;
    await this.#session.context.editor.request('question.opened', {
      session: this.#session.id,
      question: this.#question(tool),
      ...(diff.length > 0 ? { diff } : {}),
    });
  }

  #question(tool: ToolBlock): Question {
    const { cwd, context } = this.#session;
    const { verb, text } = subjectOf(tool, cwd, ICONS[context.config.icons]);
    return {
      id: tool.question!.id,
      block: tool.id,
      title: text === '' ? verb : `${verb} ${text}`,
      detail: askedInFull(tool, text, cwd),
      options: tool.question!.options,
      hasDiff: tool.content.some((item) => item.type === 'diff'),
      editable: 'this agent writes files by itself: it takes no changed proposal',
    };
  }

  #editor(method: 'question.closed', params: { session: string; question: string }): void {
    const { editor, onFault } = this.#session.context;
    editor.request(method, params).catch((error: unknown) => onFault(method, error));
  }
}
