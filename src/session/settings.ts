/** What a session can be set to: modes, config options, model. Legacy and present-day shapes are one thing here. */
import type { AgentEvent, ConfigOption, ModeList } from '../acp/events';
import { configOptions, legacyModel, modeList } from '../acp/settings';
import type { ConfigOption as Shown } from '../nvim/protocol';

type SelectOption = Extract<ConfigOption, { type: 'select' }>;

/** How an option is set on the wire. */
export type SetRequest =
  | { method: 'session/set_mode'; params: { modeId: string } }
  | {
      method: 'session/set_config_option';
      params:
        { configId: string; value: string } | { configId: string; type: 'boolean'; value: boolean };
    };

/** Id of the option that legacy modes are shown as. */
const LEGACY_MODE = 'mode';

export class Settings {
  #modes: ModeList | null = null;
  #options: ConfigOption[] = [];
  #model: string | null = null;

  /** Takes what `session/new`, `load` or `resume` answered. */
  opened(result: Record<string, unknown>): void {
    this.#modes = modeList(result.modes);
    this.#options = configOptions(result.configOptions);
    this.#model = legacyModel(result.models);
  }

  /** Takes the answer to a `SetRequest`; agents may answer with nothing. */
  wasSet(id: string, value: string | boolean, result: Record<string, unknown>): void {
    if (Array.isArray(result.configOptions)) {
      this.#options = configOptions(result.configOptions);
      return;
    }
    const option = this.#options.find((it) => it.id === id);
    if (option) option.value = value;
    else if (typeof value === 'string') this.#setMode(value);
  }

  /** Gives whether the event was a setting's. */
  apply(event: AgentEvent): boolean {
    if (event.type === 'config') this.#options = event.options;
    else if (event.type === 'mode') this.#setMode(event.modeId);
    else return false;
    return true;
  }

  /** In the agent's order. Where both are offered, the config option counts (ACP: "use `configOptions` only"). */
  get options(): Shown[] {
    const modes = this.#modeOption() ? null : this.#modes;
    if (!modes || modes.modes.length === 0) return this.#options;
    const choices = modes.modes.map(({ id, ...more }) => ({ value: id, ...more }));
    const { current: value } = modes;
    const legacy = { id: LEGACY_MODE, name: 'Mode', category: 'mode', type: 'select' } as const;
    return [{ ...legacy, value, choices }, ...this.#options];
  }

  get mode(): string | null {
    return (this.#modeOption()?.value ?? this.#modes?.current) || null;
  }

  /** The model's name. Some agents have a provider and a model under the same category: the last one counts. */
  get model(): string | null {
    const option = this.#selects().findLast(({ category }) => category === 'model');
    if (!option) return this.#model;
    return option.choices.find(({ value }) => value === option.value)?.name ?? option.value;
  }

  /** How to set an option; undefined: the agent doesn't offer it. */
  request(id: string, value: string | boolean): SetRequest | undefined {
    const option = this.options.find((it) => it.id === id);
    if (!option) return undefined;
    const method = 'session/set_config_option';
    if (typeof value === 'boolean') {
      return option.type === 'boolean'
        ? { method, params: { configId: id, type: 'boolean', value } }
        : undefined;
    }
    if (!option.choices?.some((choice) => choice.value === value)) return undefined;
    return this.#options.includes(option as ConfigOption)
      ? { method, params: { configId: id, value } }
      : { method: 'session/set_mode', params: { modeId: value } };
  }

  #selects(): SelectOption[] {
    return this.#options.filter((option) => option.type === 'select');
  }

  #modeOption(): SelectOption | undefined {
    return this.#selects().find(({ category }) => category === 'mode');
  }

  #setMode(mode: string): void {
    if (this.#modes) this.#modes.current = mode;
    const option = this.#modeOption();
    if (option?.choices.some(({ value }) => value === mode)) option.value = mode;
  }
}
