/** What is asked of the user. */
import type { Form } from '../acp/elicitation';

/** An open question: of leave, or for something to be filled in, opened or approved. */
export interface Question {
  id: string;
  /** Block of the card that holds it. */
  block: string;
  /** One line: what is asked for, such as `Edit src/main.py` or the exact command. */
  title: string;
  /** Further lines: the whole command, the paths. */
  detail: string[];
  /** In the agent's order, with the agent's own labels. `kind` is a hint for the glyph, never for meaning. */
  options: { id: string; name: string; kind: string }[];
  hasDiff: boolean;
  /** Whether the proposal may be changed by hand before it is allowed; else why not, in words for people. */
  editable: true | string;
  /** To be filled in. The options are then `accept`, `decline` and `cancel`; without `accept`, it can't be. */
  form?: Form;
  /** A page that the agent wants to be opened; the same options. `warning`: what is odd about the address, in lines. */
  url?: { url: string; host: string; message: string; warning?: string };
  /** The plan that is to be approved, in Markdown. */
  plan?: string[];
}

/** What was filled in. */
export type FormValue = string | number | boolean | string[];
