/** Puts questions on cards, and before the user. */
import { object } from '../acp/coerce';
import type { PermissionOption } from '../acp/events';
import { checkForm, type Checked } from '../acp/form-check';
import type { FileDiff } from '../diff/file-diff';
import type { Question } from '../nvim/protocol';
import type { DiffContent } from '../proposal/pieces';
import { ICONS } from '../render/icons';
import { askedInFull, subjectOf } from '../render/subject';
import type { ToolBlock } from './model';
import { ownersOf } from './subagents';
import { Questions, type Answer, type Ask } from './questions';
import type { Session } from './session';

export class Asking {
  readonly questions: Questions;
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
    this.questions = new Questions({
      onAnswered: ({ id, block }, option) => {
        session.reducer.questionAnswered(block, option, session.context.now());
        session.changed();
        this.#request('question.closed', { session: session.id, question: id });
      },
    });
  }

  /** Asks about `tool`; null: there is no answer. `pieces`: the change, where the card has none; `lines`: what is asked, in full. */
  async ask(
    tool: ToolBlock,
    about: Omit<Ask, 'block'>,
    withdrawn?: AbortSignal,
    pieces: DiffContent[] = [],
    lines: string[] = [],
  ): Promise<Answer | null> {
    const { reducer, context } = this.#session;
    const card = reducer.questionAsked(about.id, tool, about.options, context.now(), pieces);
    if (lines.length > 0) reducer.asks(card.id, lines);
    const answer = this.questions.ask({ ...about, block: card.id }, withdrawn);
    this.#session.changed();
    this.tell(about.id);
    return answer;
  }

  /** Tells the editor what is asked, and again when the diff has become another. */
  tell(id: string): void {
    this.#open(id).catch((error: unknown) => {
      this.#session.context.onFault('question.opened', error);
    });
  }

  /**
   * The user's choice. Text that can't be used is given back: the user has written it, and may have it nowhere else.
   */
  answer(id: string, option: string, more: Omit<Answer, 'option'>): void {
    const form = option === 'accept' && this.questions.get(id)?.more?.form;
    if (form) {
      const { faults, values } = checkForm(form, object(more.values) ?? {});
      if (faults.length > 0) return this.#faults(id, faults, true);
      more = { ...more, values };
    }
    const editable = this.questions.get(id)?.editable;
    if (this.questions.answer(id, option, more) || more.text === undefined) return;
    const why =
      typeof editable === 'string'
        ? editable
        : 'the question was no longer open: your text was not used';
    this.#request('notify', { level: 'warn', message: why });
    this.giveBack('your text', more.text);
  }

  /** Says what is wrong with what is being filled in. */
  check(id: string, values: unknown): void {
    const form = this.questions.get(id)?.more?.form;
    if (form) this.#faults(id, checkForm(form, object(values) ?? {}).faults, false);
  }

  #faults(question: string, faults: Checked['faults'], sent: boolean): void {
    this.#request('form.faults', { session: this.#session.id, question, faults, sent });
  }

  /** Shows a text of the user's that came to nothing. */
  giveBack(title: string, text: string): void {
    const lines = text.replace(/\n$/, '').split('\n');
    this.#request('detail.show', { session: this.#session.id, title, lines, filetype: '' });
  }

  /** The open questions, oldest first, as the editor shows them. */
  open(): Question[] {
    return this.questions.open.flatMap((ask) => this.#shown(ask) ?? []);
  }

  async #open(id: string): Promise<void> {
    // The card first: the question may take the screen, and then frames have to wait.
    await this.#session.context.flush.taken();
    const ask = this.questions.get(id);
    const question = ask && this.#shown(ask);
    if (!question) return;
    await this.#session.context.editor.request('question.opened', {
      session: this.#session.id,
      question,
      ...(ask.diff.length > 0 && { diff: ask.diff }),
    });
  }

  #shown({ id, block, options, title, diff, editable, more }: Ask): Question | null {
    const { transcript, cwd, context } = this.#session;
    const tool = transcript.blocks.get(block);
    if (tool?.kind !== 'tool' || tool.question?.id !== id) return null;
    const { verb, text } = subjectOf(tool, cwd, ICONS[context.config.icons]);
    const owners = ownersOf(transcript, tool);
    return {
      id,
      block,
      title: title ?? (text === '' ? verb : `${verb} ${text}`),
      options,
      hasDiff: diff.length > 0,
      editable,
      ...more,
      detail: [
        ...(owners.length > 0 ? [`for the subagent ${owners.join(', ')}`] : []),
        ...(more?.detail ?? (title === undefined ? askedInFull(tool, text, cwd) : [])),
      ],
    };
  }

  #request(...[method, params]: Parameters<Session['context']['editor']['request']>): void {
    const { editor, onFault } = this.#session.context;
    editor.request(method, params).catch((error: unknown) => onFault(method, error));
  }
}

/** Diffs without the texts that are only for changing them by hand. */
export function shownOnly(diffs: FileDiff[]): FileDiff[] {
  return diffs.map(({ text: _, ...diff }) => diff);
}

export function isAllowed(option: PermissionOption): boolean {
  return option.kind.startsWith('allow');
}
