/** What is told of files beside what is seen of them on disk. */

/** Something that the editor or the client did to a file. Texts are whole, as the editor gives them. */
export type FileEvent =
  /** The user saved a buffer; `before`: the file until then, where the buffer knew it. */
  | { type: 'saved'; path: string; before?: string; text: string }
  /** The agent wrote through the editor, over `before`, in which edits of the user's may be unsaved. */
  | { type: 'wrote'; path: string; before: string; after: string; disk?: string }
  /** A conflict ended: the buffer held `mine` and now holds `after`. */
  | { type: 'resolved'; path: string; mine: string; after: string };

const ASCII = /^[\0-\x7F]*$/;

/** Whether the characters of an event are those of a text that is decoded byte by byte. */
export function meansBytes(event: FileEvent, text: string | null): boolean {
  if (event.type === 'wrote') return event.after === text;
  return event.type === 'saved' || ASCII.test(event.mine + event.after);
}
