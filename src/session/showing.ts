/** What of a session is on screen, and what a person can have shown of it. */
import type { FileDiff } from '../diff/file-diff';
import type { Status } from '../nvim/protocol';
import { TranscriptView } from '../render/view';
import { blockDetail } from './detail';
import { transcriptMarkdown } from './markdown';
import type { ToolBlock } from './model';
import { Screen } from './screen';
import type { Session } from './session';

export interface ShowingOptions {
  session: Session;
  columns: number;
  /** The agent's name, for people. */
  agent: () => string;
  diffs: (tool: ToolBlock) => Promise<FileDiff[]>;
  status: () => Status;
}

export class Showing {
  readonly #options: ShowingOptions;
  readonly #session: Session;
  readonly #view: TranscriptView;
  readonly #leaveFlush: () => void;

  constructor(options: ShowingOptions) {
    const { session, columns, status } = options;
    this.#options = options;
    this.#session = session;
    const { config, flush } = session.context;
    const { toolRows, icons } = config;
    this.#view = new TranscriptView(session.transcript, { columns, toolRows, icons });
    const screen = new Screen({
      session: session.id,
      // What is shown is kept, however soon this process ends.
      drain: () => session.keeping.flush(),
      view: this.#view,
      status,
    });
    this.#leaveFlush = flush.add(screen);
  }

  /** Something changed that a frame should show. */
  changed(): void {
    this.#session.context.flush.schedule();
    this.#session.keeping.schedule();
  }

  /** Takes a block off the screen. */
  remove(id: string): void {
    this.#session.reducer.remove(id);
    this.#view.remove(id);
    this.#session.keeping.recorder?.remove(id);
  }

  /** What changed in the transcript is to be shown, and kept. */
  drain(): void {
    const { reducer, keeping } = this.#session;
    for (const id of reducer.take()) {
      this.#view.touch(id);
      keeping.recorder?.touch(id);
    }
  }

  /** What was there before is shown. */
  all(): void {
    for (const id of this.#session.transcript.order) this.#view.touch(id);
    this.changed();
  }

  /** All that was said goes, as it is told anew; what waits stays. */
  clear(): void {
    const { order, blocks } = this.#session.transcript;
    for (const id of [...order]) {
      const block = blocks.get(id);
      if (block?.kind !== 'user' || !block.queued) this.remove(id);
    }
  }

  resize(columns: number): void {
    this.#view.resize(columns);
    this.changed();
  }

  /** Folds or unfolds a block, or all of them. */
  fold(block: string | undefined, expanded: boolean | undefined): void {
    const { transcript, reducer } = this.#session;
    const blocks = block === undefined ? transcript.order : [block];
    for (const id of blocks) reducer.fold(id, expanded);
    this.changed();
  }

  /** Everything about a block; without its `details`, what there is to see of its terminal. */
  async inspect(id: string, details = false): Promise<void> {
    const { transcript, context, id: session, terminalViews } = this.#session;
    if (!details && terminalViews.openOf(id)) return;
    const block = transcript.blocks.get(id);
    if (!block) return;
    await context.editor.request('detail.show', { session, ...blockDetail(block, transcript) });
  }

  async diff(id: string): Promise<void> {
    const { transcript, context, id: session } = this.#session;
    const { editor } = context;
    const block = transcript.blocks.get(id);
    const files = block?.kind === 'tool' ? await this.#options.diffs(block) : [];
    if (files.length === 0) {
      await editor.request('notify', { level: 'info', message: 'there is no diff here' });
      return;
    }
    const question = block?.kind === 'tool' ? block.question?.id : undefined;
    const about = question === undefined ? {} : { question };
    await editor.request('diff.show', { session, block: id, files, ...about });
  }

  /** The whole transcript as Markdown. */
  async export(id: number): Promise<void> {
    const { transcript, context, id: session, title } = this.#session;
    await context.editor.request('session.markdown', {
      session,
      id,
      title: title ?? `Conversation with ${this.#options.agent()}`,
      lines: transcriptMarkdown(transcript).split('\n'),
    });
  }

  /** Nothing is shown any more. */
  end(): void {
    this.#leaveFlush();
  }
}
