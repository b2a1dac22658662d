/** What an agent tells of a session beside the conversation and its settings. */
import type { AgentEvent, Goal, Limit } from '../acp/events';
import type { RateLimit, Status } from '../nvim/protocol';
import { oneLine } from '../text';
import type { Words } from './failure';

/** Longest goal in a title; the whole of it stands below. */
const GOAL = 100;

export interface FactsOptions {
  /** Something changed that is to be told once, where the conversation is. */
  tell: (severity: 'info' | 'warning', words: Words) => void;
}

export class Facts {
  readonly #tell: FactsOptions['tell'];
  #usage: Partial<Extract<AgentEvent, { type: 'usage' }>> = {};
  readonly #limits = new Map<string, RateLimit>();
  #commands: Status['commands'] = [];
  #goal: Status['goal'] = null;
  #suggestions: string[] = [];

  constructor({ tell }: FactsOptions) {
    this.#tell = tell;
  }

  /** How full the context is, in tokens, and what it has cost. Null where neither can be shown. */
  get usage(): Status['usage'] {
    const { used = 0, size = 0, cost } = this.#usage;
    if (used === 0 && size === 0 && !cost) return null;
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

  /** The user went on in some way: what was proposed was for the moment before. */
  sent(): void {
    this.#suggestions = [];
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
        this.#setLimit(event.limit);
        return true;
      case 'goal':
        this.#setGoal(event.goal);
        return true;
      case 'suggestions':
        this.#suggestions = event.texts;
        return true;
      default:
        return false;
    }
  }

  /** That one is reached is told once, until it has begun anew. */
  #setLimit(limit: Limit): void {
    const was = this.#limits.get(limit.name);
    this.#limits.set(limit.name, limit);
    if (limit.state !== 'reached') return;
    if (was?.state === 'reached' && was.resets === limit.resets) return;
    const when = limit.resets === undefined ? '' : `It begins anew ${moment(limit.resets)}.`;
    const title = `The limit of ${limit.name} of the agent’s service is reached`;
    this.#tell('warning', { title, detail: when });
  }

  #setGoal(goal: Goal | null): void {
    const was = this.#goal;
    this.#goal = goal;
    if (was?.objective === goal?.objective && was?.status === goal?.status) return;
    const { objective, status, reason } = goal ?? was!;
    const short = cut(objective);
    const name = short === objective ? `: ${objective}` : `: ${short}`;
    const rest = [short === objective ? '' : objective, goal && reason ? reason : ''];
    const title = `${goal ? goalWords(status) : 'The goal was given up'}${name}`;
    const isStuck = goal !== null && (status === 'blocked' || status === 'limited');
    this.#tell(isStuck ? 'warning' : 'info', { title, detail: rest.filter(Boolean).join('\n') });
  }
}

function cut(text: string): string {
  return text.length > GOAL ? `${text.slice(0, GOAL - 1)}…` : text;
}

function goalWords(status: string): string {
  switch (status) {
    case 'active':
      return 'Goal';
    case 'complete':
      return 'The goal is reached';
    case 'paused':
    case 'blocked':
    case 'limited':
      return `The goal is ${status}`;
    default:
      return `Goal (${oneLine(status)})`;
  }
}

/** `at 14:05`, or with its day where that is another. */
export function moment(time: number, now = Date.now()): string {
  const date = new Date(time);
  const pad = (n: number): string => String(n).padStart(2, '0');
  const clock = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  if (date.toDateString() === new Date(now).toDateString()) return `at ${clock}`;
  return `on ${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} at ${clock}`;
}
