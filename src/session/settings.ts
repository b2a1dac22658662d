/** What a session can be set to: modes, config options, model. Legacy and present-day shapes are one thing here. */
import type { AgentEvent, ConfigOption, ModeList } from '../acp/events';
import { configOptions, legacyModel, modeList } from '../acp/settings';
import type { Choice } from '../nvim/protocol';

type SelectOption = Extract<ConfigOption, { type: 'select' }>;

/** How a mode is set on the wire. */
export type ModeRequest =
  | { method: 'session/set_mode'; params: { modeId: string } }
  | { method: 'session/set_config_option'; params: { configId: string; value: string } };

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

  /** Takes the answer to a `ModeRequest` for `mode`; agents may answer with nothing. */
  modeSet(mode: string, result: Record<string, unknown>): void {
    if (Array.isArray(result.configOptions)) this.#options = configOptions(result.configOptions);
    else this.#setMode(mode);
  }

  /** Gives whether the event was a setting's. */
  apply(event: AgentEvent): boolean {
    if (event.type === 'config') this.#options = event.options;
    else if (event.type === 'mode') this.#setMode(event.modeId);
    else return false;
    return true;
  }

  /** In the agent's order. Where both are offered, the config option counts (ACP: "use `configOptions` only"). */
  get modes(): Choice[] {
    const option = this.#modeOption();
    if (!option) return this.#modes?.modes ?? [];
    return option.choices.map(({ value, name, description }) => {
      return description === undefined ? { id: value, name } : { id: value, name, description };
    });
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

  /** How to set `mode`; undefined: the agent doesn't offer it. */
  request(mode: string): ModeRequest | undefined {
    if (!this.modes.some(({ id }) => id === mode)) return undefined;
    const option = this.#modeOption();
    return option
      ? { method: 'session/set_config_option', params: { configId: option.id, value: mode } }
      : { method: 'session/set_mode', params: { modeId: mode } };
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
