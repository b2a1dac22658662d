/** What a session can be set to: modes, models, config options. Legacy and present-day shapes are one list here. */
import type { AgentEvent, ConfigOption, SelectOption } from '../acp/events';
import { configOptions, legacyOption } from '../acp/settings';

/** How an option is set on the wire. */
export interface SetRequest {
  method: 'session/set_config_option' | 'session/set_mode' | 'session/set_model';
  params: Record<string, string | boolean>;
  /** Takes the agent's answer. */
  answered: (result: Record<string, unknown>) => void;
}

/** Where an option comes from. */
type Source = 'config' | 'mode' | 'model';

const LEGACY = ['mode', 'model'] as const;

export class Settings {
  #config: ConfigOption[] = [];
  readonly #legacy: Record<(typeof LEGACY)[number], SelectOption | null> = {
    mode: null,
    model: null,
  };
  #options: ConfigOption[] = [];
  /** How often the agent has told of its options, and of its mode, by itself. */
  readonly #told = { config: 0, mode: 0 };
  #certain = true;

  /** All that the agent offers, in its order. The same list until something changes. */
  get options(): ConfigOption[] {
    return this.#options;
  }

  /** The agent was started anew and said nothing of its settings: those that are shown may not be in force. */
  get certain(): boolean {
    return this.#certain;
  }

  get mode(): string | null {
    const option = this.ofCategory('mode') ?? this.#legacy.mode;
    return option?.type === 'select' && option.value !== '' ? option.value : null;
  }

  /** The model's name. */
  get model(): string | null {
    const option = this.ofCategory('model') ?? this.#legacy.model;
    if (option?.type !== 'select' || option.value === '') return null;
    return valueName(option);
  }

  /** Some agents have a provider and a model under the same category: the last one counts. */
  ofCategory(category: string): ConfigOption | undefined {
    const all = this.#options.filter((option) => option.category === category);
    return all.findLast(({ type }) => type === 'select') ?? all.at(-1);
  }

  get(id: string): ConfigOption | undefined {
    return this.#options.find((option) => option.id === id);
  }

  /** Takes what `session/new`, `load` or `resume` answered. */
  opened(result: Record<string, unknown>): void {
    const told = this.#take(result);
    this.#certain = told.size > 0 || this.#options.length === 0;
    if (told.size === 0) return;
    if (!told.has('config')) this.#config = [];
    for (const kind of LEGACY) if (!told.has(kind)) this.#legacy[kind] = null;
    this.#changed();
  }

  /** Gives whether the event was a setting's. */
  apply(event: AgentEvent): boolean {
    if (event.type === 'config') {
      this.#config = event.options;
      this.#told.config++;
      this.#certain = true;
    } else if (event.type === 'mode') {
      this.#setMode(event.modeId);
      this.#told.mode++;
    } else if (event.type === 'model') {
      this.#setModel(event.modelId);
    } else return false;
    this.#changed();
    return true;
  }

  /** How to set an option; undefined: the agent doesn't offer it. */
  request(id: string, value: string | boolean): SetRequest | undefined {
    const option = this.get(id);
    if (!option || !offers(option, value)) return undefined;
    const source = this.#sourceOf(option);
    const told = this.#toldOf(option);
    return {
      ...wire(source, id, value),
      answered: (result) => {
        const lists = this.#take(result);
        // What the agent has told meanwhile is newer than an answer that says nothing.
        const stands = lists.has(source) || this.#toldOf(option) !== told;
        if (!stands) this.#put(source, id, value);
        this.#changed();
      },
    };
  }

  /** Takes the lists of an answer; gives which there were. Agents leave them out, or send `null`. */
  #take(result: Record<string, unknown>): Set<Source> {
    const taken = new Set<Source>();
    if (Array.isArray(result.configOptions)) {
      this.#config = configOptions(result.configOptions);
      this.#certain = true;
      taken.add('config');
    }
    for (const kind of LEGACY) {
      const option = legacyOption(result[`${kind}s`], kind);
      if (!option) continue;
      this.#legacy[kind] = option;
      taken.add(kind);
    }
    return taken;
  }

  #put(source: Source, id: string, value: string | boolean): void {
    const set = <T extends ConfigOption>(option: T): T => ({ ...option, value });
    if (source === 'config') {
      this.#config = this.#config.map((option) => (option.id === id ? set(option) : option));
    } else if (this.#legacy[source]) {
      this.#legacy[source] = set(this.#legacy[source]);
    }
  }

  #setMode(mode: string): void {
    this.#put('mode', 'mode', mode);
    const option = this.ofCategory('mode');
    if (option && this.#sourceOf(option) === 'config' && offers(option, mode)) {
      this.#put('config', option.id, mode);
    }
  }

  /** Some agents name it without what they put in brackets behind it in the list: the account, or the effort. */
  #setModel(model: string): void {
    const option = this.ofCategory('model');
    if (option?.type !== 'select') return;
    const choice =
      option.choices.find(({ value }) => value === model) ??
      option.choices.find(
        ({ value }) => /^[([]/.test(value.slice(model.length)) && value.startsWith(model),
      );
    if (choice) this.#put(this.#sourceOf(option), option.id, choice.value);
  }

  #sourceOf(option: ConfigOption): Source {
    const isConfig = this.#config.some(({ id }) => id === option.id);
    return isConfig ? 'config' : (option.category as Source);
  }

  #toldOf(option: ConfigOption): number {
    const mode = option.category === 'mode' ? this.#told.mode : 0;
    return mode + (this.#sourceOf(option) === 'config' ? this.#told.config : 0);
  }

  /** Where the agent has both, its config option counts (ACP: "use `configOptions` only"). */
  #changed(): void {
    const taken = new Set(this.#config.map(({ id }) => id));
    const legacy = LEGACY.flatMap((kind): ConfigOption[] => {
      const option = this.#legacy[kind];
      const isConfig = this.#config.some((it) => it.type === 'select' && it.category === kind);
      if (!option || option.choices.length === 0 || isConfig) return [];
      let id: string = kind;
      while (taken.has(id)) id = `legacy-${id}`;
      return [{ ...option, id }];
    });
    this.#options = [...legacy, ...this.#config];
  }
}

/** Whether an option can be set to a value. */
export function offers(option: ConfigOption, value: string | boolean): boolean {
  return option.type === 'boolean'
    ? typeof value === 'boolean'
    : option.choices.some((choice) => choice.value === value);
}

/** What an option is set to, in words. */
export function valueName(option: ConfigOption): string {
  if (option.type === 'boolean') return option.value ? 'on' : 'off';
  return option.choices.find(({ value }) => value === option.value)?.name ?? option.value;
}

function wire(
  source: Source,
  configId: string,
  value: string | boolean,
): Pick<SetRequest, 'method' | 'params'> {
  if (source === 'mode') return { method: 'session/set_mode', params: { modeId: String(value) } };
  if (source === 'model') {
    return { method: 'session/set_model', params: { modelId: String(value) } };
  }
  const type = typeof value === 'boolean' ? { type: 'boolean' } : {};
  return { method: 'session/set_config_option', params: { configId, ...type, value } };
}
