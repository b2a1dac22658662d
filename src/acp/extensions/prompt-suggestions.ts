/** `_meta.promptSuggestions` of a `session_info_update`: what the user might say next; an empty list takes that back. */
import { array, object, text } from '../coerce';
import type { Extension } from './extension';

export const promptSuggestions: Extension = {
  refine(events, meta) {
    const list = array(object(meta.promptSuggestions)?.suggestions);
    return list ? [...events, { type: 'suggestions', texts: suggested(list) }] : events;
  },
};

/** More than can be chosen from are none. */
const MOST = 20;

/** Texts that say something, none twice. */
export function suggested(list: readonly unknown[]): string[] {
  const texts = list.flatMap((it) => (text(it) ?? text(object(it)?.text))?.trim() || []);
  return [...new Set(texts)].slice(0, MOST);
}
