/** Forms and pages that an agent asks the user for: `elicitation/create`, and what vendors have beside it. */

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
  | { type: 'choice'; choices: FormChoice[]; default?: string }
  | {
      type: 'choices';
      choices: FormChoice[];
      default?: string[];
      minItems?: number;
      maxItems?: number;
    }
  /** Of a kind that we don't know: it is named, and never shown as something else. */
  | { type: 'unknown'; kind: string }
);

export interface FormChoice {
  value: string;
  title: string;
  description?: string;
}

/** What an agent wants to be filled in. */
export interface Form {
  /** What is asked, in the agent's words. */
  message: string;
  title?: string;
  description?: string;
  fields: FormField[];
}
