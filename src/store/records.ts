/**
 * The format of the store: what a journal holds.
 *
 * A session is one file of JSON lines, `<state>/sessions/<folder>/<key>.jsonl`: `folder` is made of the first 16 digits of
 * the SHA-256 of the real path that the agent works in, `key` of the time when the session began (UTC) and random digits.
 * `<key>.lock` beside it names the process that has it open.
 *
 * It is only ever appended to. A line is a record, or a list of records that belong together: it holds whole or not at
 * all. A last line without its line break was never finished and is ignored; who appends next ends it with
 * {@link TORN}, and so it stays ignored. Lines that can't be read are skipped, and so are records of unknown kind `k`.
 * A file with a higher version than {@link VERSION} is read as far as it can be, and never written to.
 *
 * | `k`        | fields                              | what it says                                                             |
 * | ---------- | ----------------------------------- | ------------------------------------------------------------------------ |
 * | `head`     | `v`, `agent`, `cwd`, `time`         | first line: version, name of the agent, its folder, ms since the epoch   |
 * | `title`    | `title`                             | the title; null: none                                                    |
 * | `agent`    | `id`                                | the agent's own id of the session; null: it has none any more            |
 * | `settings` | `values`                            | what it is set to, by option: string or boolean                          |
 * | `dirs`     | `dirs`                              | further folders that the user has added                                  |
 * | `block`    | `block`, `after`?                   | a block of the transcript, whole. A new one stands after the block       |
 * |            |                                     | `after` (null: first of all), else last; a known one stays in its place  |
 * | `set`      | `id`, `set`                         | fields of a block that have other values now                             |
 * | `text`     | `id`, `text`, `at`?                 | the text of a block has grown by that; `at`: that of its item of content |
 * | `content`  | `id`, `from`, `items`               | the content of a tool call, from item `from` on                          |
 * | `move`     | `id`, `after`?                      | the block stands elsewhere now; `after` as for a new one                 |
 * | `del`      | `id`                                | the block is gone                                                        |
 * | `terminal` | `terminal`                          | the output of a command, whole                                           |
 * | `output`   | `id`, `cut`?, `text`?, `set`?       | … without its first `cut` characters, grown by `text`; other fields      |
 * | `queued`   | `id`, `attachments`                 | the prompt of that block waits, and what goes along with it              |
 * | `turn`     | `running`                           | a turn begins or ends                                                    |
 * | `draft`    | `at`, `del`?, `ins`?                | what is being typed: at `at`, `del` characters went and `ins` came       |
 * | `attached` | `attachments`                       | what will go along with it                                               |
 * | `summary`  | as {@link Summary}                  | what a list shows: for readers that look at the end of the file only     |
 *
 * Blocks and terminals are those of `session/model.ts`, with their texts as strings; attachments those of
 * `nvim/protocol.ts`. Characters are UTF-16 code units. A field that is absent from a block has no value.
 */
import type { Attachment } from '../nvim/protocol';
import type { Block, TerminalState, TextLog, ToolContent } from '../session/model';

export const VERSION = 1;

/** What ends a line that somebody began and didn't finish: no JSON ends like this. */
export const TORN = '<torn>';

export type Settings = Record<string, string | boolean>;

export interface Head {
  v: number;
  agent: string;
  cwd: string;
  time: number;
}

/** What a list of sessions shows of one. */
export interface Summary {
  agentSession: string | null;
  title: string | null;
  /** The first prompt, its beginning. */
  first: string;
  /** The end of what was said, as Markdown. */
  last: string[];
  /** When something was last done in it, milliseconds since the epoch. */
  updated: number;
  prompts: number;
  /** Whether a text, attachment or prompt waits in it. */
  draft: boolean;
  /** Whether a turn runs, or ran when nobody was left to end it. */
  running: boolean;
}

/** A block as it stands in the file. */
export type PlainBlock = Block extends infer B
  ? B extends Block
    ? { [F in keyof B]: B[F] extends TextLog ? string : B[F] }
    : never
  : never;

export type JournalRecord =
  | ({ k: 'head' } & Head)
  | { k: 'title'; title: string | null }
  | { k: 'agent'; id: string | null }
  | { k: 'settings'; values: Settings }
  | { k: 'dirs'; dirs: string[] }
  | { k: 'block'; block: PlainBlock; after?: string | null }
  | { k: 'set'; id: string; set: Record<string, unknown> }
  | { k: 'text'; id: string; text: string; at?: number }
  | { k: 'content'; id: string; from: number; items: ToolContent[] }
  | { k: 'move'; id: string; after?: string | null }
  | { k: 'del'; id: string }
  | { k: 'terminal'; terminal: TerminalState }
  | {
      k: 'output';
      id: string;
      cut?: number;
      text?: string;
      set?: Partial<Omit<TerminalState, 'id' | 'output'>>;
    }
  | { k: 'queued'; id: string; attachments: Attachment[] }
  | { k: 'turn'; running: boolean }
  | { k: 'draft'; at: number; del?: number; ins?: string }
  | { k: 'attached'; attachments: Attachment[] }
  | ({ k: 'summary' } & Summary);
