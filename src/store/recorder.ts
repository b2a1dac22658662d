/** Writes what becomes of a session: told which blocks have changed, it finds out what of them is new. */
import { isDeepStrictEqual } from 'node:util';
import type { Attachment, Draft } from '../nvim/protocol';
import type { Block, TerminalState, ToolBlock, Transcript, UserBlock } from '../session/model';
import { blockChanges, plain, terminalChanges, textEdit, written, type Written } from './changes';
import type { Journal } from './journal';
import { Patience } from './patience';
import { placer, type Placer } from './place';
import type { JournalRecord, Settings } from './records';
import { summaryOf, waits } from './summary';

/** `shown`: as one that waits; others wait for their turn to begin at once. `time`: what its block says meanwhile. */
interface Waiting {
  attachments: Attachment[];
  shown: boolean;
  time: number | null;
}

const NO_DRAFT: Draft = { text: '', attachments: [] };

export class Recorder {
  readonly #journal: Journal;
  readonly #transcript: Transcript;
  readonly #patience: Patience;
  /** Blocks that may have changed since the last flush. */
  #touched = new Set<string>();
  /** Blocks and terminals as the journal holds them. */
  readonly #written = new Map<string, Written>();
  readonly #terminals = new Map<string, TerminalState>();
  /** What is to be written beside blocks: prompts that began to wait, turns that began or ended. */
  #events: JournalRecord[] = [];
  /** The prompts that wait. */
  readonly #waiting = new Map<string, Waiting>();
  #running = false;
  #draft = NO_DRAFT;
  #draftWritten = NO_DRAFT;
  #agentSession: string | null = null;
  #title: string | null = null;
  #settings: Settings = {};
  #dirs: string[] = [];
  #updated: number;
  /** The last summary does not hold any more, and a new one is due: with the next flush, or at the end. */
  #stale: 'now' | 'later' | null = null;

  /**
   * What the transcript holds already is new, but for what the store holds of a session that was opened: then it is the
   * transcript that was made of that.
   */
  constructor({ journal, transcript }: { journal: Journal; transcript: Transcript }) {
    this.#journal = journal;
    this.#transcript = transcript;
    this.#patience = new Patience(journal.now);
    this.#updated = journal.now();
    this.#title = journal.title;
    journal.onGone = () => this.#anew();
    this.#touched = new Set(transcript.order);
    const opened = journal.takeStored();
    if (!opened) return;
    const { session, summed } = opened;
    for (const block of session.blocks) this.#written.set(block.id, written(block));
    for (const terminal of session.terminals) this.#terminals.set(terminal.id, terminal);
    for (const { block, attachments } of session.queue) this.#wait(block, attachments);
    this.#draft = this.#draftWritten = session.draft;
    this.#agentSession = session.agentSession;
    this.#title = session.title;
    this.#settings = session.settings;
    this.#dirs = session.dirs;
    // What was open is closed now: nobody has done anything in it.
    if (session.interrupted) this.turn(false);
    for (const id of this.#written.keys()) this.#touched.add(id);
    this.#collect(false);
    this.#updated = session.updated;
    this.#stale ??= summed ? null : 'later';
  }

  /** A block was added, changed or removed. */
  touch(id: string): void {
    this.#touched.add(id);
  }

  /** A block was removed. */
  remove(id: string): void {
    this.#touched.add(id);
  }

  /** The agent's own id of the session; null: it has forgotten it. */
  bind(agentSession: string | null): void {
    if (agentSession === this.#agentSession) return;
    this.#agentSession = agentSession;
    this.#journal.add({ k: 'agent', id: agentSession });
    this.#stale = 'now';
  }

  title(title: string | null): void {
    if (title === this.#title) return;
    this.#title = title;
    this.#journal.add({ k: 'title', title });
    this.#stale = 'now';
  }

  /** What it is set to, by option. */
  settings(values: Settings): void {
    if (isDeepStrictEqual(values, this.#settings)) return;
    this.#settings = { ...values };
    this.#journal.add({ k: 'settings', values });
    this.#stale ??= 'later';
  }

  /** Further folders that the user has added. */
  dirs(dirs: string[]): void {
    if (isDeepStrictEqual(dirs, this.#dirs)) return;
    this.#dirs = dirs;
    this.#journal.add({ k: 'dirs', dirs });
    this.#stale ??= 'later';
  }

  /** The prompt of that block waits, until a turn begins with it or it is removed, and that goes along with it. */
  queued(block: string, attachments: Attachment[]): void {
    const known = this.#waiting.get(block)?.attachments;
    this.#wait(block, attachments);
    if (isDeepStrictEqual(known, attachments)) return;
    this.#events.push(queuedRecord(block, attachments));
  }

  /** What stands in the prompt, not sent. Before the next flush: it is written in one breath with what was sent. */
  draft(draft: Draft): void {
    this.#draft = draft;
  }

  /** A turn begins or ends. */
  turn(running: boolean): void {
    this.#running = running;
    this.#events.push({ k: 'turn', running });
    if (!running) this.#patience.forget();
    if (!running) return;
    for (const [id, { shown }] of this.#waiting) if (!shown) this.#waiting.delete(id);
  }

  /** Writes all that has changed, before it returns. */
  flush(): void {
    if (this.#collect()) this.#updated = this.#journal.now();
    if (this.#stale === 'now') this.#summarize();
    this.#journal.flush();
  }

  /** The end: nothing more is written. */
  close(): void {
    this.#patience.forget();
    if (this.#collect()) this.#updated = this.#journal.now();
    if (this.#stale) this.#summarize();
    this.#journal.close();
  }

  /** Adds to the journal what is new; tells whether there was anything. `moved`: blocks may stand elsewhere now. */
  #collect(moved = true): boolean {
    this.#seek();
    if (
      this.#touched.size === 0 &&
      this.#events.length === 0 &&
      this.#draft === this.#draftWritten
    ) {
      return false;
    }
    const touched = this.#touched;
    this.#touched = new Set();
    const changed: Block[] = [];
    const removed: JournalRecord[] = [];
    for (const id of touched) {
      const block = this.#transcript.blocks.get(id);
      if (block) changed.push(block);
      else if (this.#forget(id)) removed.push({ k: 'del', id });
    }
    const place = placer(this.#transcript, this.#written, changed, moved);
    const prompts = changed.filter(({ kind }) => kind === 'user');
    // What the user does holds whole or not at all: no text is lost between prompt, queue and transcript, or doubled.
    const done = [
      ...removed,
      ...prompts.flatMap((block) => this.#take(block, place)),
      ...this.#happened(),
    ];
    if (done.length > 0) this.#stale = 'now';
    let length = this.#journal.add([...done, ...this.#typed()]);
    for (const block of changed) if (block.kind !== 'user') length += this.#add(block, place);
    if (length > 0) this.#stale ??= 'later';
    return length > 0;
  }

  /** A prompt that was just sent is found untold: it must come out with the draft that it is gone from. */
  #seek(): void {
    const { order } = this.#transcript;
    for (let i = order.length - 1; i >= 0; i--) {
      const id = order[i]!;
      if (!this.#written.has(id)) this.#touched.add(id);
      else if (!this.#prompt(id)?.queued) return;
    }
  }

  #happened(): JournalRecord[] {
    for (const [id, waiting] of this.#waiting) {
      const block = this.#prompt(id);
      waiting.shown ||= block?.queued ?? false;
      const taken = waiting.shown || block?.time !== waiting.time;
      if (taken && !block?.queued) this.#waiting.delete(id);
    }
    const events = this.#events.filter(
      (event) => event.k !== 'queued' || this.#waiting.has(event.id),
    );
    this.#events = [];
    return events;
  }

  #wait(id: string, attachments: Attachment[]): void {
    const block = this.#prompt(id);
    const shown = block?.queued ?? false;
    this.#waiting.set(id, { attachments, shown, time: block?.time ?? null });
  }

  #prompt(id: string): UserBlock | undefined {
    const block = this.#transcript.blocks.get(id);
    return block?.kind === 'user' ? block : undefined;
  }

  /** Adds what is new of a block of the agent's, and of the output that it shows. */
  #add(block: Block, place: Placer): number {
    if (this.#patience.waits(block)) {
      this.#touched.add(block.id);
      return 0;
    }
    let length = 0;
    for (const record of this.#take(block, place)) {
      const size = this.#journal.add(record);
      length += size;
      // What only grows is in the transcript anyway.
      if (record.k !== 'text') this.#patience.spend(block, size);
    }
    return block.kind === 'tool' ? length + this.#outputs(block) : length;
  }

  #outputs(tool: ToolBlock): number {
    let length = 0;
    for (const item of tool.content) {
      const state =
        item.type === 'terminal' ? this.#transcript.terminals.get(item.terminalId) : undefined;
      if (!state) continue;
      if (this.#patience.waits(state)) {
        this.#touched.add(tool.id);
        continue;
      }
      for (const record of terminalChanges(this.#terminals.get(state.id) ?? null, state)) {
        const size = this.#journal.add(record);
        length += size;
        this.#patience.spend(state, size);
      }
      this.#terminals.set(state.id, { ...state });
    }
    return length;
  }

  /** The records of a block; from now on it is taken for written. */
  #take(block: Block, place: Placer): JournalRecord[] {
    const before = this.#written.get(block.id);
    const after = place(block);
    this.#written.set(block.id, written(block));
    if (!before) return [{ k: 'block', block: plain(block), ...after }];
    const changes = blockChanges(before, block);
    return after ? [...changes, { k: 'move', id: block.id, ...after }] : changes;
  }

  #forget(id: string): boolean {
    this.#waiting.delete(id);
    return this.#written.delete(id);
  }

  /** What was typed, as an edit. */
  #typed(): JournalRecord[] {
    const was = this.#draftWritten;
    const now = this.#draft;
    if (was === now) return [];
    this.#draftWritten = now;
    if (waits(was) !== waits(now)) this.#stale = 'now';
    const edit = textEdit(was.text, now.text);
    return [
      ...(edit ? [edit] : []),
      ...(isDeepStrictEqual(was.attachments, now.attachments)
        ? []
        : [{ k: 'attached' as const, attachments: now.attachments }]),
    ];
  }

  #summarize(): void {
    const { order, blocks } = this.#transcript;
    const summary = summaryOf({
      blocks: order.map((id) => blocks.get(id)!),
      agentSession: this.#agentSession,
      title: this.#title,
      updated: this.#updated,
      draft: this.#draft,
      interrupted: this.#running,
    });
    this.#journal.add({ k: 'summary', ...summary });
    this.#stale = null;
  }

  /** The file was taken away and begins again: everything is new. */
  #anew(): void {
    this.#written.clear();
    this.#terminals.clear();
    this.#patience.forget();
    this.#draftWritten = NO_DRAFT;
    this.#touched = new Set(this.#transcript.order);
    this.#events = [...this.#waiting].map(([id, { attachments }]) => queuedRecord(id, attachments));
    if (this.#running) this.#events.push({ k: 'turn', running: true });
    this.#journal.add({ k: 'title', title: this.#title });
    this.#journal.add({ k: 'agent', id: this.#agentSession });
    this.#journal.add({ k: 'settings', values: this.#settings });
    this.#journal.add({ k: 'dirs', dirs: this.#dirs });
    this.#collect();
    this.#summarize();
  }
}

function queuedRecord(id: string, attachments: Attachment[]): JournalRecord {
  return { k: 'queued', id, attachments };
}
