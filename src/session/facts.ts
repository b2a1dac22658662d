/** What an agent tells of a session beside the conversation and its settings. */
import type { AgentEvent } from '../acp/events';
import type { Status } from '../nvim/protocol';

export class Facts {
  #title: string | null = null;
  #usage: Status['usage'] = null;
  #commands: Status['commands'] = [];

  get title(): string | null {
    return this.#title;
  }

  /** How full the context is, in tokens. */
  get usage(): Status['usage'] {
    return this.#usage;
  }

  get commands(): Status['commands'] {
    return this.#commands;
  }

  /** Whether the event was one of these. */
  apply(event: AgentEvent): boolean {
    switch (event.type) {
      case 'commands':
        this.#commands = event.commands;
        return true;
      case 'title':
        this.#title = event.title;
        return true;
      case 'usage': {
        const size = event.size ?? this.#usage?.size;
        const used = event.used ?? this.#usage?.used ?? 0;
        this.#usage = size ? { used, size } : null;
        return true;
      }
      default:
        return false;
    }
  }
}
