/** Text that arrives piece by piece, and what is told beside it: messages, thoughts, notices, and what nobody knows. */
import type { Content } from '../acp/events';
import type { Blocks } from './blocks';
import { TextLog, type MessageBlock, type NoticeBlock, type ThoughtBlock } from './model';

export class Texts {
  readonly #blocks: Blocks;
  readonly #onHeard: () => void;
  /** Text of the running prompt that the agent may echo. */
  #echo = '';

  /** `onHeard`: the agent begins to say something. */
  constructor(blocks: Blocks, onHeard: () => void) {
    this.#blocks = blocks;
    this.#onHeard = onHeard;
  }

  turnStarted(prompt: string): void {
    this.#echo = prompt;
  }

  /** A prompt went into the running turn. */
  promptTaken(text: string): void {
    this.#echo += `\n${text}`;
  }

  turnEnded(): void {
    this.#echo = '';
  }

  chunk(
    role: 'user' | 'agent' | 'thought',
    messageId: string | null,
    content: Content,
    now: number,
  ): void {
    if (content.type === 'other') {
      if (!content.known) return this.unknown(content.label, content.payload, now);
      if (role === 'user') return;
      return this.#said(role, messageId, content.label, now);
    }
    if (content.text === '') return;
    if (role === 'user') return this.#userSaid(content.text, now);
    this.#said(role, messageId, content.text, now);
  }

  #said(role: 'agent' | 'thought', messageId: string | null, text: string, now: number): void {
    const kind = role === 'agent' ? 'message' : 'thought';
    const last = this.#blocks.last();
    if (last?.kind === kind && continues(last, messageId)) {
      last.text.push(text);
      this.#blocks.touch(last.id);
      return;
    }
    this.#onHeard();
    // Empty lines in front of a message mean nothing, and some agents open with them alone.
    const start = text.replace(/^\s*\n/, '');
    if (start === '') return;
    const log = new TextLog(start);
    if (kind === 'message') {
      this.#blocks.add({ kind, messageId, text: log, done: false }, now);
    } else {
      const thought = { kind, messageId, text: log, startedAt: now, endedAt: null } as const;
      this.#blocks.add({ ...thought, expanded: false }, now);
    }
  }

  #userSaid(text: string, now: number): void {
    const echoed = text.trim();
    if (echoed === '' || this.#echo.includes(echoed)) return;
    const last = this.#blocks.last();
    if (last?.kind === 'user' && last.time === null) {
      last.text += text;
      this.#blocks.touch(last.id);
      return;
    }
    this.#blocks.add({ kind: 'user', text, attachments: [], time: null, queued: false }, now);
  }

  unknown(label: string, payload: unknown, now: number): void {
    const last = this.#blocks.last();
    if (last?.kind === 'unknown' && last.label === label) {
      last.payload = payload;
      this.#blocks.touch(last.id);
    } else {
      this.#blocks.add({ kind: 'unknown', label, payload, expanded: false }, now);
    }
  }

  /** The same as the one before is told but once. Gives its block. */
  notice(severity: NoticeBlock['severity'], title: string, detail: string, now: number): string {
    const last = this.#blocks.last();
    if (last?.kind === 'notice' && isAlike(last, { severity, title, detail })) {
      last.times = (last.times ?? 1) + 1;
      this.#blocks.touch(last.id);
      return last.id;
    }
    return this.#blocks.add({ kind: 'notice', severity, title, detail }, now).id;
  }
}

function isAlike(one: NoticeBlock, other: Pick<NoticeBlock, 'severity' | 'title' | 'detail'>) {
  return (
    one.severity === other.severity && one.title === other.title && one.detail === other.detail
  );
}

function continues(block: MessageBlock | ThoughtBlock, messageId: string | null): boolean {
  const open = block.kind === 'message' ? !block.done && !block.draft : block.endedAt === null;
  return open && (block.messageId === messageId || block.messageId === null || messageId === null);
}
