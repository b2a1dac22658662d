/** A session that lives: what a reducer makes of it is recorded, and can be read back. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { updateEvents } from '../../src/acp/v1';
import type { Attachment, Draft } from '../../src/nvim/protocol';
import {
  newTranscript,
  type Block,
  type TerminalState,
  type Transcript,
} from '../../src/session/model';
import { Reducer } from '../../src/session/reduce';
import { saidBy } from '../../src/session/subagents';
import type { Journal } from '../../src/store/journal';
import { Recorder } from '../../src/store/recorder';
import { Replay, type StoredSession } from '../../src/store/replay';
import { Store } from '../../src/store/store';
import { transcriptOf } from '../../src/store/transcript';

export const YES = { optionId: 'y', name: 'Yes', kind: 'allow_once' };

/** A store in a folder of the test's own. `faults`: all that was told. */
export function storeIn(stateDir: string, limits = { maxAgeMs: 1e12, maxBytes: 1e12 }) {
  const faults: string[] = [];
  const clock = { now: Date.now() };
  const store = new Store({
    stateDir,
    limits,
    now: () => clock.now,
    onFault: (where, error) => void faults.push(`${where}: ${String(error)}`),
  });
  return { store, faults, clock, sessions: join(stateDir, 'sessions') };
}

export class Life {
  readonly transcript: Transcript;
  readonly reducer: Reducer;
  readonly recorder: Recorder;
  readonly journal: Journal;
  /** What goes along with the prompts that wait. */
  readonly attachments = new Map<string, Attachment[]>();
  draft: Draft = { text: '', attachments: [] };
  running = false;
  now = Date.now();

  constructor(journal: Journal, stored?: StoredSession) {
    this.journal = journal;
    this.transcript = stored ? transcriptOf(stored) : newTranscript('/project');
    this.reducer = new Reducer(this.transcript);
    this.recorder = new Recorder({ journal, transcript: this.transcript });
    if (stored) this.draft = stored.draft;
  }

  /** `session`: of the subagent that it is told in. */
  update(update: unknown, session?: string): void {
    // As it comes from a wire: what JSON can't hold never does.
    const sent: unknown = JSON.parse(JSON.stringify(update) ?? 'null');
    for (const event of saidBy(updateEvents(sent), session))
      this.reducer.apply(event, (this.now += 500));
  }

  says(text: string): void {
    this.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }

  /** A prompt is sent, or waits. */
  prompt(text: string, attachments: Attachment[] = []): string {
    const labels = attachments.map(({ type }) => ({ label: type }));
    const id = this.reducer.user(text, labels, (this.now += 500), this.running);
    if (this.running) {
      this.attachments.set(id, attachments);
      this.recorder.queued(id, attachments);
    } else this.start(id);
    return id;
  }

  start(id: string): void {
    this.running = true;
    this.attachments.delete(id);
    this.reducer.turnStarted(id, (this.now += 500));
    this.recorder.turn(true);
  }

  /** The agent takes the next prompt that waits into its turn. */
  taken(): void {
    const [id] = this.waiting;
    if (id === undefined) return;
    this.attachments.delete(id);
    this.reducer.promptTaken(id, true, (this.now += 500));
  }

  end(stopReason = 'end_turn'): void {
    if (!this.running) return;
    this.running = false;
    this.reducer.turnEnded(stopReason, (this.now += 500));
    this.recorder.turn(false);
  }

  get waiting(): string[] {
    const { order, blocks } = this.transcript;
    return order.filter((id) => {
      const block = blocks.get(id);
      return block?.kind === 'user' && block.queued;
    });
  }

  type(text: string, attachments: Attachment[] = []): void {
    this.draft = { text, attachments };
    this.recorder.draft(this.draft);
  }

  remove(id: string): void {
    this.reducer.remove(id);
    this.recorder.remove(id);
  }

  asks(toolCall: object): void {
    const options = [{ id: 'y', name: 'Yes', kind: 'allow_once' }];
    const [event] = updateEvents({ sessionUpdate: 'tool_call', ...toolCall });
    const patch = event?.type === 'tool_call' ? event.patch : null;
    const card = this.reducer.toolOfQuestion('q', patch, this.now);
    this.reducer.questionAsked('q', card, options, this.now);
  }

  flush(): void {
    for (const id of this.reducer.take()) this.recorder.touch(id);
    this.recorder.flush();
  }

  /** All that is worth to be kept, in a form that can be compared. */
  get kept(): object {
    const { order, blocks } = this.transcript;
    const all = order.map((id) => blocks.get(id)!);
    return comparable({
      blocks: all,
      terminals: [...this.transcript.terminals.values()],
      queue: this.waiting.map((block) => ({
        block,
        text: (blocks.get(block) as Block & { kind: 'user' }).text,
        attachments: this.attachments.get(block) ?? [],
      })),
      draft: this.draft,
      interrupted: this.running,
    });
  }
}

type Kept = Pick<StoredSession, 'blocks' | 'terminals' | 'queue' | 'draft' | 'interrupted'>;

/** Terminals that no card shows are not on screen; what can be done about a block is not kept. */
export function comparable({ blocks, terminals, queue, draft, interrupted }: Kept): object {
  const shown = new Set(
    blocks.flatMap((block) => (block.kind === 'tool' ? block.content : [])).map(terminalOf),
  );
  return plain({
    blocks: blocks.map((block) => ({
      ...block,
      ...('text' in block && { text: String(block.text) }),
      actions: undefined,
    })),
    terminals: terminals.filter(({ id }) => shown.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1)),
    queue,
    draft,
    interrupted,
  }) as object;
}

function terminalOf(item: { type: string; terminalId?: string }): string | undefined {
  return item.terminalId;
}

export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** What the first `length` bytes of a file tell. */
export function readBack(bytes: Buffer, length = bytes.length): StoredSession | null {
  const replay = new Replay();
  replay.push(bytes.subarray(0, length));
  return replay.session('key', 0);
}

export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

export type Line = Record<string, unknown>;

/** The records of a file. */
export function recordsOf(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Line | Line[]).flat();
}

export function terminal(id: string, output: string, exit: TerminalState['exit'] = null) {
  return { id, command: 'make', cwd: '/project', output, truncated: false, exit };
}
