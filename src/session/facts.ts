/** What an agent tells of a session beside the conversation and its settings. */
import type { AgentEvent } from '../acp/events';
import type { RateLimit, Status } from '../nvim/protocol';

export class Facts {
  #usage: Partial<Extract<AgentEvent, { type: 'usage' }>> = {};
  readonly #limits = new Map<string, RateLimit>();
  #commands: Status['commands'] = [];
  #goal: Status['goal'] = null;
  #suggestions: string[] = [];

  /** How full the context is, in tokens, and what it has cost. Null where neither can be shown. */
  get usage(): Status['usage'] {
    const { used = 0, size = 0, cost } = this.#usage;
    if (size === 0 && !cost) return null;
    return { used, size, ...(cost && { cost }) };
  }

  /** Limits of the agent's service, each as it was told last. */
  get limits(): RateLimit[] {
    return [...this.#limits.values()];
  }

  get commands(): Status['commands'] {
    return this.#commands;
  }

  /** What the agent works towards. */
  get goal(): Status['goal'] {
    return this.#goal;
  }

  /** Prompts that the agent proposes. */
  get suggestions(): string[] {
    return this.#suggestions;
  }

  /** Whether the event was one of these. */
  apply(event: AgentEvent): boolean {
    switch (event.type) {
      case 'commands':
        this.#commands = event.commands;
        return true;
      case 'usage':
        this.#usage = { ...this.#usage, ...event };
        return true;
      case 'limit':
        this.#limits.set(event.limit.name, event.limit);
        return true;
      case 'goal':
        this.#goal = event.goal;
        return true;
      case 'suggestions':
        this.#suggestions = event.texts;
        return true;
      default:
        return false;
    }
  }
}
