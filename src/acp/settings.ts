import { array, compact, label, object, objects, string, text } from './coerce';
import type { ConfigChoice, ConfigOption, SelectOption, SlashCommand } from './events';

/** `configOptions` of a session; options of a type that we don't know are left out, as the specification says. */
export function configOptions(value: unknown): ConfigOption[] {
  const options = objects(value).flatMap((option): ConfigOption[] => {
    const id = text(option.id);
    if (id === undefined) return [];
    const base = compact({
      id,
      name: label(option.name) ?? label(id) ?? '',
      description: label(option.description),
      category: text(option.category),
    });
    if (option.type === 'boolean') {
      return [{ ...base, type: 'boolean', value: option.currentValue === true }];
    }
    const choices = configChoices(option.options);
    if (option.type !== 'select' && (option.type != null || choices.length === 0)) return [];
    return [{ ...base, type: 'select', value: string(option.currentValue) ?? '', choices }];
  });
  // Of two that are called the same, only one could be set.
  return [...new Map(options.map((option) => [option.id, option])).values()];
}

function configChoices(value: unknown, group?: string): ConfigChoice[] {
  return objects(value).flatMap((choice): ConfigChoice[] => {
    if (array(choice.options)) {
      return configChoices(choice.options, label(choice.name) ?? label(choice.group));
    }
    return configChoice(choice.value, choice, group);
  });
}

function configChoice(
  id: unknown,
  { name, description }: { name?: unknown; description?: unknown },
  group?: string,
): ConfigChoice[] {
  const value = string(id);
  if (value === undefined) return [];
  const words = label(name) ?? label(value) ?? '';
  return [compact({ value, name: words, description: label(description), group })];
}

/** What was there before config options: a list, and which of it is current. */
const LEGACY = {
  mode: { name: 'Mode', list: 'availableModes', id: 'id', current: 'currentModeId' },
  model: { name: 'Model', list: 'availableModels', id: 'modelId', current: 'currentModelId' },
} as const;

/** Legacy `modes` or `models` of a session as an option; null where there are none. */
export function legacyOption(value: unknown, category: keyof typeof LEGACY): SelectOption | null {
  const all = object(value);
  if (!all) return null;
  const { name, list, id, current } = LEGACY[category];
  const choices = objects(all[list]).flatMap((entry) => configChoice(entry[id], entry));
  const currentId = string(all[current]) ?? '';
  return { id: category, name, category, type: 'select', value: currentId, choices };
}

export function slashCommands(value: unknown): SlashCommand[] {
  return objects(value).flatMap((command) => {
    const name = label(command.name);
    if (name === undefined) return [];
    const hint = label(object(command.input)?.hint);
    return [compact({ name, description: label(command.description) ?? '', hint })];
  });
}
