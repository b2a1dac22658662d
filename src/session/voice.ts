/** What a session says to the user beside the conversation. */
import type { Words } from './failure';
import type { Typed } from './queue';
import type { Session } from './session';

export class Voice {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** A message of the moment. */
  tell(level: 'info' | 'warn' | 'error', message: string): void {
    this.#request('notify', { level, message });
  }

  /** A fault that stays in the transcript. */
  fault({ title, detail }: Words): void {
    const { reducer, context } = this.#session;
    reducer.notice('error', title, detail, context.now());
  }

  /** The agent goes on without what was said before. */
  forgotten(agent: string): void {
    const { reducer, context } = this.#session;
    const title = `${agent} does not remember the conversation above`;
    const detail = 'A new session has begun. @conversation in a prompt tells it what was said.';
    reducer.notice('warning', title, detail, context.now());
  }

  /** The agent goes on with a session and has told nothing of it. `held`: we show what was said before. */
  silent(agent: string, held: boolean): void {
    const { reducer, context } = this.#session;
    const [title, detail] = held
      ? [
          `${agent} opened this session, but told nothing of it`,
          'It may not remember the conversation above. @conversation in a prompt tells it what was said.',
        ]
      : [`${agent} goes on with this session, but can’t tell what was said before`, ''];
    reducer.notice(held ? 'warning' : 'info', title, detail, context.now());
  }

  /** The agent's fork holds what came after what we show, too. */
  remembers(agent: string): void {
    const { reducer, context } = this.#session;
    const title = `${agent} still remembers what came after this`;
    const detail =
      'It forks sessions as a whole. Say what no longer holds, or begin a new session (:AcpNew).';
    reducer.notice('warning', title, detail, context.now());
  }

  /** The agent does not have the session any more, or could not `fork` it. `why`: in its words. */
  saved(agent: string, why: string | null, fork: boolean): void {
    const { reducer, context } = this.#session;
    const what = fork ? 'could not fork this session' : 'has forgotten this session';
    const title = `${agent} ${what}${why === null ? '' : `: ${why}`}`;
    const detail =
      'What was said is kept here to be read. A prompt begins a new session, with what was said if you want.';
    reducer.notice('warning', title, detail, context.now());
  }

  /** Prompts that could not be sent go back to where they were typed, with all that belongs to them. */
  restore(prompts: readonly Typed[]): void {
    if (prompts.length === 0) return;
    const text = prompts.map((prompt) => prompt.text).filter(Boolean);
    const attachments = prompts.flatMap((prompt) => prompt.attachments);
    const different = new Map(attachments.map((it) => [JSON.stringify(it), it]));
    const given = { text: text.join('\n\n'), attachments: [...different.values()] };
    this.#session.keeping.giveBack(given);
    this.#request('prompt.restore', { session: this.#session.id, ...given });
  }

  #request(...[method, params]: Parameters<Session['context']['editor']['request']>): void {
    const { editor, onFault } = this.#session.context;
    editor.request(method, params).catch((error: unknown) => onFault(method, error));
  }
}
