/**
 * gemini-cli reads a file before it makes one, and takes no error for the answer that there is none: its SDK rejects with an
 * object that is no `Error`, so that none of its own tests for a missing file fits, and nothing is written. Known by its name.
 */
const NAME = 'gemini-cli';

/** Whether a file that is missing has to be an empty one for the agent of that name. */
export function takesMissingAsEmpty(name: string | null): boolean {
  return name === NAME;
}
