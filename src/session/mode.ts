/** Setting the agent's mode: when the user wants it, and again when the agent was started anew. */
import { errorText, isAgentError } from '../acp/connection';
import type { Settings } from './settings';
import type { Target } from './turns';

export interface ModeSetterOptions {
  settings: Settings;
  /** The agent's name in messages. */
  name: string;
  tell: (level: 'warn' | 'error', message: string) => void;
}

export class ModeSetter {
  readonly #options: ModeSetterOptions;
  /** The one that was in force when the agent was lost. */
  #lost: string | null = null;

  constructor(options: ModeSetterOptions) {
    this.#options = options;
  }

  /** Sets an option; tells the user where that can't be done. */
  async set(
    { agent, sessionId }: Omit<Target, 'embedded'>,
    id: string,
    value: string | boolean,
  ): Promise<void> {
    const { settings, name, tell } = this.#options;
    const request = settings.request(id, value);
    if (!request) return tell('warn', `${name} has no ${id} ‘${value}’`);
    try {
      const result = await agent.request(request.method, { sessionId, ...request.params });
      settings.wasSet(id, value, result);
    } catch (error) {
      tell('error', `${name} refused ${id} ‘${value}’: ${errorText(error)}`);
      if (!isAgentError(error)) throw error;
    }
  }

  /** The agent is gone. */
  lost(): void {
    this.#lost ??= this.#options.settings.mode;
  }

  /**
   * The session is open again, before anything is sent to it. Many agents begin anew in their default mode, and that
   * may be one in which they don't ask.
   */
  async again(target: Omit<Target, 'embedded'>): Promise<void> {
    const mode = this.#lost;
    const { settings } = this.#options;
    const option = settings.options.find(({ category }) => category === 'mode');
    if (mode !== null && option && mode !== option.value) await this.set(target, option.id, mode);
    this.#lost = null;
  }
}
