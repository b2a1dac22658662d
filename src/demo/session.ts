import type {
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
} from '@agentclientprotocol/sdk';

export const MODES = [
  { id: 'ask', name: 'Ask', description: 'Asks before it edits a file or runs a command' },
  { id: 'plan', name: 'Plan', description: 'Reads and proposes; writes and runs nothing' },
  { id: 'auto', name: 'Auto', description: 'Edits and runs without asking' },
] as const;

export type ModeId = (typeof MODES)[number]['id'];

export function isMode(id: unknown): id is ModeId {
  return MODES.some((mode) => mode.id === id);
}

/** What is kept of a session, and written to disk after each turn. */
export interface SessionRecord {
  sessionId: string;
  cwd: string;
  title: string | null;
  updatedAt: string;
  mode: ModeId;
  /** Characters sent and received: four of them count as a token. */
  characters: number;
  /** What a `session/load` replays. */
  history: SessionUpdate[];
}

/** A session of this process. */
export class DemoSession {
  readonly record: SessionRecord;
  /** Kinds of tool that the user has allowed for good. */
  readonly allowed = new Set<string>();
  /** The file that was last attached, read or edited: what commands without a name are about. */
  file: string | null = null;
  /** Ends the present turn; null between turns. */
  turn: AbortController | null = null;
  /** What ends each of its subagents, by the id of that one's session. */
  readonly helpers = new Map<string, AbortController>();
  #calls = 0;
  #helpers = 0;
  #messages = 0;

  constructor(record: SessionRecord) {
    this.record = record;
    // A loaded session goes on numbering where its history ends.
    for (const update of record.history) if (update.sessionUpdate === 'tool_call') this.#calls++;
    this.#messages = record.history.length;
  }

  get id(): string {
    return this.record.sessionId;
  }
  get cwd(): string {
    return this.record.cwd;
  }
  get mode(): ModeId {
    return this.record.mode;
  }

  nextToolCallId(): string {
    return `call-${++this.#calls}`;
  }
  nextHelperId(): string {
    return `${this.id}-helper-${++this.#helpers}`;
  }
  nextMessageId(): string {
    return `message-${++this.#messages}`;
  }

  /** Keeps an update for a later load. Pieces of one text are joined: a replay needs no pace. */
  remember(update: SessionUpdate): void {
    const { history } = this.record;
    const last = history.at(-1);
    if (!isText(update)) {
      history.push(update);
      return;
    }
    this.record.characters += update.content.text.length;
    if (last && isText(last) && last.messageId === update.messageId) {
      const text = last.content.text + update.content.text;
      history[history.length - 1] = { ...last, content: { type: 'text', text } };
    } else {
      history.push(update);
    }
  }

  modeState(): SessionModeState {
    return { currentModeId: this.mode, availableModes: MODES.map((mode) => ({ ...mode })) };
  }

  configOptions(): SessionConfigOption[] {
    return [
      {
        id: 'mode',
        name: 'Mode',
        category: 'mode',
        type: 'select',
        currentValue: this.mode,
        options: MODES.map(({ id, name, description }) => ({ value: id, name, description })),
      },
      {
        id: 'model',
        name: 'Model',
        category: 'model',
        type: 'select',
        currentValue: 'none',
        options: [{ value: 'none', name: 'no model', description: 'This agent follows a script' }],
      },
    ];
  }
}

type Chunk = Extract<
  SessionUpdate,
  { sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk' }
>;
type TextChunk = Chunk & { content: { type: 'text' } };

function isText(update: SessionUpdate): update is TextChunk {
  return (
    /^(user_message|agent_message|agent_thought)_chunk$/.test(update.sessionUpdate) &&
    (update as Chunk).content.type === 'text'
  );
}
