/** Forms that an agent asks the user to fill in: those of `elicitation/create`, and what vendors have beside it. */
import { oneLine } from '../text';
import { compact, label } from './coerce';

/** A field of a form. What it is called on screen is its `title`, else its `name`. */
export type FormField = {
  name: string;
  title?: string;
  description?: string;
  required: boolean;
} & (
  | {
      type: 'text';
      default?: string;
      minLength?: number;
      maxLength?: number;
      /** A regular expression of ECMA-262. */
      pattern?: string;
      format?: 'email' | 'uri' | 'date' | 'date-time';
      /** Not to be shown or kept. */
      secret?: boolean;
    }
  | {
      type: 'number' | 'integer';
      default?: number;
      minimum?: number;
      maximum?: number;
    }
  | { type: 'boolean'; default?: boolean }
  | { type: 'choice'; choices: FormChoice[]; default?: string; other?: OwnWords }
  | {
      type: 'choices';
      choices: FormChoice[];
      default?: string[];
      other?: OwnWords;
      minItems?: number;
      maxItems?: number;
    }
  /** Of a kind that we don't know: it is named, and never shown as something else. */
  | { type: 'unknown'; kind: string }
);

/** An answer beside the choices. `name`: of the property that takes it; `with`: the choice that is made then, too. */
export interface OwnWords {
  name: string;
  with?: string;
  secret?: boolean;
}

export interface FormChoice {
  value: string;
  /** One line, no two alike. */
  title: string;
  description?: string;
  /** Lines of what it would be like. */
  preview?: string[];
}

/** What an agent wants to be filled in. */
export interface Form {
  /** What is asked, in the agent's words. */
  message: string;
  title?: string;
  description?: string;
  fields: FormField[];
  /** The agent goes on meanwhile, and can do without. */
  meanwhile?: boolean;
}

/** More than a person fills in, or looks through: such a form would only hold up whoever types. */
const MOST = { fields: 200, choices: 2000 };

/** Why a form can't be asked; undefined: it can. */
export function tooLarge(count: Partial<typeof MOST>): string | undefined {
  const { fields = 0, choices = 0 } = count;
  if (fields > MOST.fields) return `${fields} fields are too many, at most ${MOST.fields}`;
  if (choices > MOST.choices) return `${choices} choices are too many, at most ${MOST.choices}`;
  return undefined;
}

/** A choice as it is shown. */
export function choiceOf(value: string, title?: unknown, description?: unknown): FormChoice {
  const shown = label(title) ?? label(value) ?? '(empty)';
  return compact({ value, title: shown, description: label(description) });
}

/** Choices that look alike are told apart by their values, and those with one value are one. */
export function distinct(choices: FormChoice[]): FormChoice[] {
  const byValue = new Map(choices.map((it) => [it.value, it]));
  const seen = new Set<string>();
  return [...byValue.values()].map((it, i) => {
    let { title } = it;
    if (seen.has(title)) title = `${title} (${oneLine(it.value)})`;
    if (seen.has(title)) title = `${title} #${i + 1}`;
    seen.add(title);
    return { ...it, title };
  });
}

/** What a field is called on screen. */
export function titleOf({ title, name }: FormField): string {
  return title ?? (oneLine(name) || 'answer');
}
