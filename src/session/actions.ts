/** Does what a block offers, for as long as there is anything to be done. */
import type { FailureAction } from '../acp/events';
import type { Typed } from './queue';
import type { Session } from './session';
import type { Voice } from './voice';

export interface ActionsOptions {
  session: Session;
  voice: Voice;
  /** The last prompt that the agent was given, where we have it. */
  lastPrompt: () => Typed | null;
}

export class Actions {
  readonly #options: ActionsOptions;

  constructor(options: ActionsOptions) {
    this.#options = options;
  }

  do(id: string, action: string): void {
    const { session, voice } = this.#options;
    const block = session.transcript.blocks.get(id);
    const offered = block && 'actions' in block ? (block.actions ?? []) : [];
    const wanted = offered.find((it) => it === action);
    if (!wanted) return voice.tell('warn', 'there is nothing to be done about this any more');
    this.#do(id, wanted);
    session.changed();
  }

  #do(id: string, action: FailureAction): void {
    const { session, voice, lastPrompt } = this.#options;
    switch (action) {
      case 'retry': {
        const prompt = lastPrompt();
        session.reducer.acted(id);
        if (!prompt) return voice.tell('warn', 'the prompt is not held any more: send it again');
        return session.send({ text: prompt.text, attachments: prompt.attachments });
      }
      case 'login':
        return session.login.open();
      case 'reopen':
        session.reducer.acted(id);
        return session.open();
      case 'new_session':
        // Neovim opens it: it is another chat.
        return voice.tell('info', ':AcpNew begins a new session');
      default:
        action satisfies never;
    }
  }
}
