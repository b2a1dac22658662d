/** Gives a file its text: through the loaded buffer, else on disk. */
import type { Editor } from '../nvim/editor';
import { writeText } from './disk';
import { fault, faultOf } from './faults';

export interface Put {
  real: string;
  /** As the agent named it. */
  path: string;
  text: string;
  /** What `text` was made from. */
  was?: string;
  /** The buffer has to learn first that its file holds what the agent wrote there itself. */
  over: boolean;
}

/** False when the buffer holds something else by now than `was`: the user goes on typing. Then nothing was written. */
export async function putText(editor: Editor, put: Put): Promise<boolean> {
  const { real, path, text, was, over } = put;
  const params = { path: real, text, ...(was !== undefined && { was }) };
  const resolved = over ? await editor.request('buffer.resolve', params) : null;
  if (resolved && 'error' in resolved) throw fault(path, resolved.error);
  if (resolved && 'stale' in resolved) return false;
  const buffer = await editor.request('buffer.write', resolved ? { ...params, was: text } : params);
  if (buffer && 'error' in buffer) throw fault(path, buffer.error);
  if (buffer) return !('stale' in buffer);
  await writeText(real, text).catch((error: unknown) => {
    throw faultOf(error, path);
  });
  return true;
}
