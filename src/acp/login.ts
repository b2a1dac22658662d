/** The ways in which an agent can be logged in, in whatever dialect it lists them. */

/**
 * `agent`: it does so by itself when it is asked. `terminal`: its program is run in a terminal. `fields`: it wants values first.
 * `manual`: it can't be done from here, and `description` says what is to be done.
 */
export interface LoginMethod {
  id: string;
  name: string;
  description?: string;
  type: 'agent' | 'terminal' | 'fields' | 'manual';
  fields?: LoginField[];
}

export interface LoginField {
  name: string;
  title: string;
  required: boolean;
  /** Read without an echo, and never stored, logged or shown. */
  secret: boolean;
}
