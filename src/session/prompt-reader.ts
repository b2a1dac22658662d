/** Reads what goes along with the prompts of a session, and tells what could not be sent. */
import type { AgentInfo } from '../acp/capabilities';
import { conversationMarkdown } from './markdown';
import { promptContent, type PromptContent } from './prompt-content';
import type { Prompt, Queue } from './queue';
import type { Session } from './session';
import type { Voice } from './voice';

export interface PromptReaderOptions {
  session: Session;
  voice: Voice;
  queue: Queue;
  /** The agent's name, for people. */
  agent: () => string;
}

export class PromptReader {
  readonly #options: PromptReaderOptions;

  constructor(options: PromptReaderOptions) {
    this.#options = options;
  }

  /** The content of a prompt as things stand now, for an agent that takes so much. Never rejects. */
  read({ id, text, attachments }: Prompt, takes: AgentInfo['takes']): Promise<PromptContent> {
    const { session, agent } = this.#options;
    const { cwd, context, transcript } = session;
    return promptContent(text, attachments, {
      cwd,
      editor: context.editor,
      agent: agent(),
      takes,
      embedBytes: context.config.embedBytes,
      conversation: () => conversationMarkdown(transcript, id),
    });
  }

  /** Nothing is sent half: the prompt goes back as it was. */
  refuse(prompt: Prompt, why: string[]): void {
    const { session, voice, queue } = this.#options;
    queue.giveBack([prompt]);
    voice.tell('error', `the prompt was not sent: ${why.join('; ')}`);
    session.changed();
  }

  /** The prompt was sent without these. */
  tellUnsent(unsent: string[]): void {
    const { reducer, context } = this.#options.session;
    if (unsent.length === 0) return;
    const title = 'Not all that was attached could be sent';
    reducer.notice('warning', title, unsent.join('\n'), context.now());
  }
}
