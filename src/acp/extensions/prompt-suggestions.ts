/** `_meta.promptSuggestions` of a `session_info_update`: what the user might say next; an empty list takes that back. */
import { sanitize } from '../../text';
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
/** Characters of one: what is more is no prompt but a document. */
const LONGEST = 4000;

/** Texts that say something, none twice. */
export function suggested(list: readonly unknown[]): string[] {
  const texts = list.flatMap((it) => {
    const said = text(it) ?? text(object(it)?.text) ?? '';
    return sanitize(said).trim().slice(0, LONGEST) || [];
  });
  return [...new Set(texts)].slice(0, MOST);
}
