/**
 * Setting what an agent offers: when the user wants it, when a session begins (the defaults of the user), and again when
 * the agent was started anew. Many agents begin anew as they are installed, and that may be a mode in which they don't ask.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { errorText, isAgentError } from '../acp/connection';
import { notOffered, stepsFor, type Step } from './defaults';
import { offers, valueName, type Settings } from './settings';
import type { Target } from './turns';

type Value = string | boolean;
type Place = Pick<Target, 'sessionId'> & {
  agent: { request: (method: string, params: object) => Promise<Record<string, unknown>> };
};

/** An option that won't stay as it is set is set no more than this often: another may have changed it. */
const TRIES = 2;

const TIMEOUT_MS = 10_000;

export interface SettingsSetterOptions {
  settings: Settings;
  /** What a new session shall be set to. */
  defaults: Readonly<Record<string, Value>>;
  /** The agent's name in messages. */
  name: string;
  tell: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** Something is set or wasn't, at a time when nobody waits for it. */
  onChange: () => void;
  /** What was named as not offered, in all sessions: that is told once. */
  named: Set<string>;
  /** How long an agent may take before it is said, and how long the first prompt waits; in milliseconds. */
  timeoutMs?: number;
}

export class SettingsSetter {
  readonly #options: SettingsSetterOptions;
  /** What the session is to be set to as soon as there is one. */
  #wishes: Map<string, Value>;
  /** Options that the user or a default has set. */
  readonly #touched = new Set<string>();

  constructor(options: SettingsSetterOptions) {
    this.#options = options;
    this.#wishes = new Map(Object.entries(options.defaults));
  }

  /** What would have to be set again, were the agent to forget it. */
  get kept(): Record<string, Value> {
    const { settings } = this.#options;
    const mode = settings.ofCategory('mode');
    // The mode in any case: the agent may have changed it as the user allowed, and what it means is what it asks.
    const kept = settings.options.filter((option) => {
      return (option === mode || this.#touched.has(option.id)) && offers(option, option.value);
    });
    return {
      ...Object.fromEntries(kept.map(({ id, value }) => [id, value])),
      ...Object.fromEntries(this.#wishes),
    };
  }

  /** Sets what the user has chosen, and says how that went where nothing else shows it. Throws where the agent is lost. */
  async choose(place: Place, id: string, value: Value): Promise<void> {
    const { settings, name, tell, timeoutMs = TIMEOUT_MS } = this.#options;
    const late = setTimeout(() => {
      tell('warn', `${name} has not answered yet: ${id} may not be ‘${value}’`);
    }, timeoutMs).unref();
    try {
      if (!(await this.set(place, id, value))) return;
    } finally {
      clearTimeout(late);
    }
    const option = settings.get(id);
    const shown = [settings.ofCategory('mode'), settings.ofCategory('model')];
    if (option && !shown.includes(option)) tell('info', `${option.name}: ${valueName(option)}`);
  }

  /** Sets an option; tells the user where that can't be done. Throws where the agent is lost. */
  async set(place: Place, id: string, value: Value): Promise<boolean> {
    const { settings, name, tell, onChange } = this.#options;
    const request = settings.request(id, value);
    if (!request) {
      tell('warn', `${name} has no ${id} ‘${value}’`);
      return false;
    }
    try {
      const { sessionId } = place;
      request.answered(await place.agent.request(request.method, { sessionId, ...request.params }));
      this.#touched.add(id);
      return true;
    } catch (error) {
      // A lost agent is told by the end of its process.
      if (!isAgentError(error)) throw error;
      tell('error', `${name} refused ${id} ‘${value}’: ${errorText(error)}`);
      return false;
    } finally {
      onChange();
    }
  }

  /** To be set as soon as there is an agent; what was wanted before counts less. */
  wish(id: string, value: Value): void {
    this.#wishes.set(id, value);
  }

  /** The agent is gone, and with it what it was set to. */
  lost(): void {
    this.#wishes = new Map(Object.entries(this.kept));
  }

  /** There is a session, and nothing was sent to it yet: sets it to what is wanted, as far as that is offered. */
  async prepare(place: Place): Promise<void> {
    if (this.#wishes.size === 0) return;
    const { timeoutMs = TIMEOUT_MS, name, tell } = this.#options;
    const over = new AbortController();
    const late = delay(timeoutMs, 'late', { signal: over.signal }).catch(() => {});
    const fulfilled = this.#fulfil(place, over.signal);
    // When it is late nobody waits for it any more, and what went wrong was told.
    fulfilled.catch(() => {});
    try {
      if ((await Promise.race([fulfilled, late])) === 'late') {
        const seconds = timeoutMs / 1000;
        tell('warn', `${name} was not set as you want within ${seconds} s: see :AcpConfig`);
      }
    } finally {
      over.abort();
    }
    this.#wishes.clear();
  }

  async #fulfil(place: Place, over: AbortSignal): Promise<void> {
    const { settings } = this.#options;
    const tries = new Map<string, number>();
    const uncertain = new Set(settings.certain ? [] : settings.options.map(({ id }) => id));
    const isDue = ({ option, value }: Step): boolean =>
      (tries.get(option.id) ?? 0) < TRIES && (option.value !== value || uncertain.has(option.id));
    while (!over.aborted) {
      // Anew each time: setting one option may change which others there are.
      const step = stepsFor(settings, this.#wishes).find(isDue);
      if (!step) break;
      const { id } = step.option;
      tries.set(id, (tries.get(id) ?? 0) + 1);
      uncertain.delete(id);
      if (!(await this.set(place, id, step.value))) tries.set(id, TRIES);
    }
    if (over.aborted) return;
    for (const { option } of stepsFor(settings, this.#wishes)) this.#touched.add(option.id);
    this.#nameMissing();
  }

  #nameMissing(): void {
    const { settings, name, named, tell } = this.#options;
    const missing = notOffered(settings, this.#wishes).filter(([key, value]) => {
      const what = JSON.stringify([name, key, value]);
      return !named.has(what) && named.add(what);
    });
    if (missing.length === 0) return;
    const words = missing.map(([key, value]) => `${key} ‘${value}’`).join(', ');
    tell('warn', `${name} does not offer ${words}: see :AcpConfig for what there is`);
  }
}
