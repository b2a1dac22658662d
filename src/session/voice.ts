/** What a session says to the user beside the conversation. */
import type { Words } from './failure';
import type { Why } from './opening';
import type { Typed } from './queue';
import type { Session } from './session';

const TELL = '@conversation in a prompt tells it what was said.';

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
  fault(words: Words): void {
    this.#notice('error', words);
  }

  /** Something that stays in the transcript and has to be known. Gives its block. */
  warn(words: Words): string {
    return this.#notice('warning', words);
  }

  /** The agent goes on without what was said before. */
  forgotten(agent: string, why?: Why | null): void {
    const reason = why ? `: ${why.words}` : '';
    const title = `${agent} does not remember the conversation above${reason}`;
    this.warn({ title, detail: `A new session has begun. ${TELL}` });
  }

  /** The agent goes on with a session and has told nothing of it. `held`: we show what was said before. */
  silent(agent: string, held: boolean, why?: Why | null): void {
    const failed = why ? `At first it failed: ${why.words}` : '';
    if (held) {
      const title = `${agent} opened this session, but told nothing of it`;
      const detail = `It may not remember the conversation above. ${TELL}`;
      this.warn({ title, detail: failed ? `${failed}\n${detail}` : detail });
      return;
    }
    const title = `${agent} goes on with this session, but can’t tell what was said before`;
    this.#notice(failed ? 'warning' : 'info', { title, detail: failed });
  }

  /** The agent goes on with a session that was used elsewhere since we have held it. */
  behind(agent: string, why?: Why | null): void {
    const title = `${agent} remembers more than is shown here`;
    const detail =
      'This session was used elsewhere since, and what was said there could not be told';
    this.warn({ title, detail: why ? `${detail}: ${why.words}` : `${detail}.` });
  }

  /** The agent's fork holds what came after what we show, too. */
  remembers(agent: string): void {
    const title = `${agent} still remembers what came after this`;
    const detail =
      'It forks sessions as a whole. Say what no longer holds, or begin a new session (:AcpNew).';
    this.warn({ title, detail });
  }

  /** Neovim needs to hold a prompt no longer, if it is kept. */
  taken(at: number): void {
    const { id: session, keeping } = this.#session;
    if (keeping.key !== null) this.#request('prompt.taken', { session, at, key: keeping.key });
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

  #notice(severity: 'info' | 'warning' | 'error', { title, detail }: Words): string {
    const { reducer, context } = this.#session;
    return reducer.notice(severity, title, detail, context.now());
  }

  #request(...[method, params]: Parameters<Session['context']['editor']['request']>): void {
    const { editor, onFault } = this.#session.context;
    editor.request(method, params).catch((error: unknown) => onFault(method, error));
  }
}
