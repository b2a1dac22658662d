/** What a session says to the user beside the conversation. */
import type { Words } from './failure';
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
    reducer.notice('warning', title, 'A new session has begun.', context.now());
  }

  /** Prompts that could not be sent go back to where they were typed. */
  restore(texts: string[]): void {
    if (texts.length === 0) return;
    this.#request('prompt.restore', { session: this.#session.id, text: texts.join('\n\n') });
  }

  #request(...[method, params]: Parameters<Session['context']['editor']['request']>): void {
    const { editor, onFault } = this.#session.context;
    editor.request(method, params).catch((error: unknown) => onFault(method, error));
  }
}
