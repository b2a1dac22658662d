/** Forms with a text beside a choice, for an answer that is none of the choices: these are one question. */
import { compact } from '../coerce';
import type { FormField, OwnWords } from '../elicitation';

type Text = FormField & { type: 'text' };
type Choice = FormField & { type: 'choice' | 'choices' };

/** `pairs` says whether a text belongs to a choice that stands before it, and if so which of them is chosen with it. */
export function joined(
  fields: readonly FormField[],
  pairs: (note: Text, field: Choice) => Pick<OwnWords, 'with'> | false,
): FormField[] {
  const all: FormField[] = [];
  for (const field of fields) {
    const at =
      field.type === 'text'
        ? all.findIndex((it) => isChoice(it) && pairs(field, it) !== false)
        : -1;
    const before = all[at];
    if (field.type !== 'text' || !before || !isChoice(before) || before.other) {
      all.push(field);
      continue;
    }
    const { name, secret } = field;
    const other: OwnWords = { name, ...(secret && { secret }), ...(pairs(field, before) || {}) };
    all[at] = compact({ ...before, other });
  }
  return all;
}

function isChoice(field: FormField): field is Choice {
  return field.type === 'choice' || field.type === 'choices';
}
