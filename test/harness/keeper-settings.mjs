// Modes, models, options and commands of session-keeper.mjs.
import { keep, update } from './keeper-sessions.mjs';
import { settings as options } from './player.mjs';

const select = (id, category, values, more = {}) => ({
  id,
  name: id[0].toUpperCase() + id.slice(1),
  category,
  type: 'select',
  currentValue: values[0],
  options: values.map((value) => ({ value, name: value[0].toUpperCase() + value.slice(1) })),
  ...more,
});

const SETTINGS = options.configOptions ?? [
  select('mode', 'mode', ['code', 'ask', 'plan']),
  select('model', 'model', ['small', 'large']),
  select('effort', 'thought_level', ['low', 'high'], { only: { model: 'large' } }),
  { id: 'web', name: 'Web search', category: 'model_config', type: 'boolean', currentValue: false },
];

const choices = (option) => (option.options ?? []).flatMap((it) => it.options ?? [it]);
export const offers = (option, value) =>
  option.type === 'boolean'
    ? typeof value === 'boolean'
    : choices(option).some((choice) => choice.value === value);

export function configOptions({ values }) {
  const now = SETTINGS.map(({ only, ...option }) => {
    const value = values[option.id];
    return { only, option: offers(option, value) ? { ...option, currentValue: value } : option };
  });
  const valueOf = (id) => now.find(({ option }) => option.id === id)?.option.currentValue;
  return now
    .filter(({ only = {} }) => Object.entries(only).every(([id, value]) => valueOf(id) === value))
    .map(({ option }) => option);
}

/** What the answers to `session/new` and its like have beside the id. */
export function state(session) {
  const { modes, models } = options;
  const { mode, model } = session.values;
  const named = (list, key) =>
    list.map((id) => ({ [key]: id, name: id[0].toUpperCase() + id.slice(1) }));
  return {
    ...(modes && {
      modes: { currentModeId: mode ?? modes[0], availableModes: named(modes, 'id') },
    }),
    ...(models && {
      models: { currentModelId: model ?? models[0], availableModels: named(models, 'modelId') },
    }),
    ...(SETTINGS.length > 0 && { configOptions: configOptions(session) }),
  };
}

export function change(session, option, value) {
  session.values[option] = value;
  keep(session.id, { at: 'set', option, value });
}

export function tellSetting(session, option) {
  if (option === 'mode' && options.modes)
    update(session, { sessionUpdate: 'current_mode_update', currentModeId: session.values.mode });
  if (SETTINGS.length > 0)
    update(session, {
      sessionUpdate: 'config_option_update',
      configOptions: configOptions(session),
    });
}

export function tellCommands(session) {
  const availableCommands = options.commands ?? [
    { name: 'review', description: 'Looks at what was changed', input: { hint: 'what' } },
    { name: 'compact', description: 'Shortens the conversation', input: null },
  ];
  update(session, { sessionUpdate: 'available_commands_update', availableCommands });
}
