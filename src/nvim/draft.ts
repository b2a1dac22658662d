/** What stands in a prompt, and what goes along with it. */

/** Something that the user sends along with a prompt. `name`: what it is called on screen, where it is no path. */
export type Attachment = TextAttachment | FileAttachment | MediaAttachment | Conversation;

/** A piece of the editor: lines of a buffer, diagnostics, a diff, output of a terminal. */
export interface TextAttachment {
  type: 'text';
  /** Absolute path; absent for an unnamed buffer and for what is no file. */
  path?: string;
  /** 1-based, inclusive; absent for a whole file. */
  startLine?: number;
  endLine?: number;
  text: string;
  /** Neovim's filetype. */
  filetype?: string;
  name?: string;
}

/** A file, read when the prompt is sent: the text of its buffer where one is loaded. */
export interface FileAttachment {
  type: 'file';
  /** Absolute. */
  path: string;
}

/** An image or audio file, read when the prompt is sent. */
export interface MediaAttachment {
  type: 'media';
  /** Absolute. */
  path: string;
  /** `image/png`, `audio/wav`. */
  mime: string;
  name: string;
}

/** What was said in this session until now, as Markdown. */
export interface Conversation {
  type: 'conversation';
}

/** What stands in a prompt and is not sent. */
export interface Draft {
  text: string;
  attachments: Attachment[];
  /**
   * How many of the texts that the sidecar gave back, by `prompt.restore` and `draft.restore`, Neovim had put there: those
   * after that are in addition, and no crash loses what was on its way.
   */
  returned?: number;
}
