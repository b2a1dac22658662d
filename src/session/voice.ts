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
    reducer.notice('warning', title, 'A new session has begun.', context.now());
  }

  /** Prompts that could not be sent go back to where they were typed, with all that belongs to them. */
  restore(prompts: readonly Typed[]): void {
    if (prompts.length === 0) return;
    const text = prompts.map((prompt) => prompt.text).filter(Boolean);
    const attachments = prompts.flatMap((prompt) => prompt.attachments);
    const different = new Map(attachments.map((it) => [JSON.stringify(it), it]));
    this.#request('prompt.restore', {
      session: this.#session.id,
      text: text.join('\n\n'),
      ...(different.size > 0 && { attachments: [...different.values()] }),
    });
  }

  #request(...[method, params]: Parameters<Session['context']['editor']['request']>): void {
    const { editor, onFault } = this.#session.context;
    editor.request(method, params).catch((error: unknown) => onFault(method, error));
  }
}
