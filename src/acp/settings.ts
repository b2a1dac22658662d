import { array, compact, label, object, objects, string, text } from './coerce';
import type { ConfigChoice, ConfigOption, ModeList, SlashCommand } from './events';

/** `configOptions` of a session; options of a type that we don't know are left out, as the specification says. */
export function configOptions(value: unknown): ConfigOption[] {
  return objects(value).flatMap((option): ConfigOption[] => {
    const id = text(option.id);
    if (id === undefined) return [];
    const base = compact({
      id,
      name: label(option.name) ?? id,
      description: label(option.description),
      category: text(option.category),
    });
    if (option.type === 'boolean') {
      return [{ ...base, type: 'boolean', value: option.currentValue === true }];
    }
    const choices = configChoices(option.options);
    if (option.type !== 'select' && choices.length === 0) return [];
    return [{ ...base, type: 'select', value: string(option.currentValue) ?? '', choices }];
  });
}

function configChoices(value: unknown, group?: string): ConfigChoice[] {
  return objects(value).flatMap((choice): ConfigChoice[] => {
    if (array(choice.options)) {
      return configChoices(choice.options, text(choice.name) ?? text(choice.group));
    }
    const id = string(choice.value);
    if (id === undefined) return [];
    const name = label(choice.name) ?? label(id) ?? '';
    return [compact({ value: id, name, description: label(choice.description), group })];
  });
}

/** Legacy `modes` of a session. */
export function modeList(value: unknown): ModeList | null {
  const modes = object(value);
  if (!modes) return null;
  return {
    current: string(modes.currentModeId) ?? '',
    modes: objects(modes.availableModes).flatMap((mode) => {
      const id = string(mode.id);
      if (id === undefined) return [];
      return [
        compact({
          id,
          name: label(mode.name) ?? label(id) ?? '',
          description: label(mode.description),
        }),
      ];
    }),
  };
}

/** Name of the current model in the legacy `models` of a session. */
export function legacyModel(value: unknown): string | null {
  const models = object(value);
  const current = text(models?.currentModelId);
  if (current === undefined) return null;
  const entry = objects(models?.availableModels).find((model) => model.modelId === current);
  return label(entry?.name) ?? label(current) ?? null;
}

export function slashCommands(value: unknown): SlashCommand[] {
  return objects(value).flatMap((command) => {
    const name = label(command.name);
    if (name === undefined) return [];
    const hint = label(object(command.input)?.hint);
    return [compact({ name, description: label(command.description) ?? '', hint })];
  });
}
