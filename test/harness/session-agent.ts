import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HarnessAgent } from './agent';
import { tempDir } from './lifetime';

type Method = `session/${string}`;

/** What a {@link SessionAgent} can do, and in which odd way. Without anything it does all, and well. */
export interface SessionAgentOptions {
  name?: string;
  /** Where it keeps its sessions; two agents may share one file. */
  file?: string;
  /** What it advertises, and does: all that is not named here. `title`: `session/set_title`. */
  can?: Partial<
    Record<
      'list' | 'load' | 'resume' | 'fork' | 'close' | 'delete' | 'title' | 'additionalDirectories',
      boolean
    >
  >;
  /** Transports of MCP servers that it says to take; both unless named. */
  mcp?: Partial<Record<'http' | 'sse', boolean>>;
  /** Content that it says to take; all three unless named. */
  takes?: Partial<Record<'image' | 'audio' | 'embeddedContext', boolean>>;
  steering?: boolean;
  /** Methods that fail, with the code of the error. */
  fails?: Partial<Record<Method, number>>;
  /** Methods that it never answers. */
  hangs?: Method[];
  /** Rows of one answer to `session/list`. */
  pageSize?: number;
  /** `same`: each answer to `session/list` names the cursor that it got; `endless`: a new one, for ever. */
  cursors?: 'same' | 'endless';
  /** What it lists besides its sessions, first; need not be rows at all. */
  rows?: unknown[];
  /** Fields of its rows that have no value are `null` in place of absent. */
  nulls?: boolean;
  /** How its rows write a folder: real path → another notation. */
  folders?: Record<string, string>;
  /** `session/list` doesn't heed `cwd`. */
  listsAll?: boolean;
  /** Loads and resumes what it doesn't know, as an empty session. */
  opensUnknown?: boolean;
  /** When it replays: before the answer to `session/load`, as it should be, or after. */
  replays?: 'before' | 'after';
  /** Replays the history before it answers `session/fork`. */
  forkReplays?: boolean;
  /** Whether chunks carry a `messageId`; they do. */
  messageIds?: boolean;
  /** Legacy modes: an id each. The first is the present one. Such as `['code', 'plan']`. */
  modes?: string[];
  /** Legacy models. */
  models?: string[];
  /**
   * ACP's config options; `only` names values of others with which alone the option is there. Unless given: `mode`
   * (code, ask, plan), `model` (small, large), `effort` (low, high; of the large model only) and `web` (a boolean).
   */
  configOptions?: (Record<string, unknown> & { id: string; only?: Record<string, unknown> })[];
  /** `available_commands_update`; unless given: `review [what]` and `compact`. */
  commands?: Record<string, unknown>[];
  /** They come before the answer to `session/new`. */
  commandsEarly?: boolean;
  /** Does not echo prompts. */
  quiet?: boolean;
  /** Time between two chunks of `[[many N]]`, in milliseconds. */
  paceMs?: number;
}

/** A session as its agent keeps it. */
export interface KeptSession {
  id: string;
  cwd: string;
  title: string | null;
  /** The texts of all prompts that it got, steered ones too. */
  prompts: string[];
  /** What it said, each message in one piece. */
  messages: string[];
}

type Entry = { id: string } & (
  | { at: 'new'; cwd: string }
  | { at: 'prompt'; text: string }
  | { at: 'update'; update: { sessionUpdate: string; content?: { text?: string } } }
  | { at: 'title'; title: string | null }
  | { at: 'gone' }
);

/**
 * An agent that keeps its sessions in a file, so that they outlive its process. It answers a prompt with `echo: ` and its
 * text, and for other content `[image image/png]`, `[resource file:///a.ts]`. Then it does what markers in the text say:
 *
 * | marker                   | what it does                                                                |
 * | ------------------------ | --------------------------------------------------------------------------- |
 * | `[[wait NAME]]`          | waits until there is a file of that name in the session's folder            |
 * | `[[say TEXT]]`           | says it                                                                     |
 * | `[[many N NAME]]`        | says N chunks, `NAME#1 ` to `NAME#N `; without a name `1 ` to `N `          |
 * | `[[think]]` `[[plan]]`   | a thought; a plan                                                           |
 * | `[[tool]]`               | a tool call, from pending to completed                                      |
 * | `[[ask]]`                | asks for permission, and says the option that was chosen                    |
 * | `[[edit PATH TEXT]]`     | writes that file of the session's folder, with a diff                       |
 * | `[[title TEXT]]`         | names the session                                                           |
 * | `[[usage USED SIZE COST]]` | `usage_update`; the cost, in USD, may be left out                         |
 * | `[[config ID VALUE]]`    | changes a setting by itself and tells of it; `mode` where it has `modes`    |
 * | `[[update JSON]]`        | any `session/update`; it is not kept                                        |
 * | `[[exit]]` `[[crash]]`   | ends, by itself or by SIGKILL                                               |
 */
export class SessionAgent extends HarnessAgent {
  readonly #file: string;

  constructor({ name = 'keeper', ...options }: SessionAgentOptions = {}) {
    const file = options.file ?? join(tempDir(), 'sessions.jsonl');
    super(name, 'session-keeper.mjs', { ...options, file });
    this.#file = file;
  }

  /** Its sessions, oldest first; not those that were deleted. */
  sessions(): KeptSession[] {
    const sessions = new Map<string, KeptSession>();
    let last: unknown;
    for (const entry of this.#entries()) {
      const { id } = entry;
      if (entry.at === 'new') {
        sessions.set(id, { id, cwd: entry.cwd, title: null, prompts: [], messages: [] });
      }
      const session = sessions.get(id);
      if (!session) continue;
      if (entry.at === 'gone') sessions.delete(id);
      else if (entry.at === 'title') session.title = entry.title;
      else if (entry.at === 'prompt') session.prompts.push(entry.text);
      else if (entry.at === 'update') {
        const { sessionUpdate, content } = entry.update;
        if (sessionUpdate === 'agent_message_chunk') {
          const goesOn = last === `${id} ${sessionUpdate}`;
          const before = goesOn ? (session.messages.pop() ?? '') : '';
          session.messages.push(before + (content?.text ?? ''));
        }
        last = `${id} ${sessionUpdate}`;
      }
    }
    return [...sessions.values()];
  }

  #entries(): Entry[] {
    let text = '';
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch {
      // It has not been started yet.
    }
    // What follows the last newline is being written.
    const lines = text.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Entry);
  }
}

/** An agent that keeps sessions; see {@link SessionAgent}. */
export function sessionAgent(options?: SessionAgentOptions): SessionAgent {
  return new SessionAgent(options);
}
