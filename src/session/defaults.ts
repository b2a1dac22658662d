/** What the user wants a session set to, beside what its agent offers: which option is meant, and which value of it. */
import type { ConfigOption } from '../acp/events';
import type { Settings } from './settings';

/** By `mode`, `model` and `effort`, or by the ids of options; values by their ids or names. */
export type Wishes = ReadonlyMap<string, string | boolean>;

/** A wish that the agent can fulfil. */
export interface Step {
  key: string;
  option: ConfigOption;
  value: string | boolean;
}

const CATEGORIES = new Map([
  ['mode', 'mode'],
  ['model', 'model'],
  ['effort', 'thought_level'],
]);

/** The option that a key means. */
export function optionFor(settings: Settings, key: string): ConfigOption | undefined {
  const category = CATEGORIES.get(key);
  const named = settings.get(key);
  if (category === undefined || named?.category === category) return named;
  return settings.ofCategory(category) ?? named;
}

const ON = ['on', 'true', 'yes', 'enabled'];
const OFF = ['off', 'false', 'no', 'disabled'];

/** The value of an option that is meant; undefined where it has no such one. */
export function valueFor(
  option: ConfigOption,
  wanted: string | boolean,
): string | boolean | undefined {
  const words = typeof wanted === 'string' ? [wanted.toLowerCase()] : wanted ? ON : OFF;
  const isMeant = (text: string) => words.includes(text.toLowerCase());
  if (option.type === 'boolean') {
    return ON.some(isMeant) ? true : OFF.some(isMeant) ? false : undefined;
  }
  const { choices } = option;
  const choice =
    choices.find(({ value }) => value === wanted) ??
    choices.find(({ name }) => name === wanted) ??
    choices.find(({ value }) => isMeant(value)) ??
    choices.find(({ name }) => isMeant(name));
  return choice?.value;
}

/**
 * The wishes that the agent can fulfil, in the order in which they are to be: models decide what else there is, so they
 * come first. Where two keys mean the same option, its id counts more.
 */
export function stepsFor(settings: Settings, wishes: Wishes): Step[] {
  const keys = new Map<ConfigOption, string>();
  for (const key of wishes.keys()) {
    const option = optionFor(settings, key);
    if (option && keys.get(option) !== option.id) keys.set(option, key);
  }
  const models = settings.options.filter(({ category }) => category === 'model');
  const others = settings.options.filter(({ category }) => category !== 'model');
  return [...models, ...others].flatMap((option) => {
    const key = keys.get(option);
    const value = key === undefined ? undefined : valueFor(option, wishes.get(key)!);
    return key === undefined || value === undefined ? [] : [{ key, option, value }];
  });
}

/** The wishes that the agent cannot fulfil. */
export function notOffered(settings: Settings, wishes: Wishes): [string, string | boolean][] {
  return [...wishes].filter(([key, wanted]) => {
    const option = optionFor(settings, key);
    return !option || valueFor(option, wanted) === undefined;
  });
}
