/** What a list shows of a session without reading all of it. */
import type { Draft } from '../nvim/protocol';
import type { Block, TextLog } from '../session/model';
import { sanitize } from '../text';
import type { Summary } from './records';

/** Characters of the first prompt. */
const FIRST = 500;
/** Bytes of the preview; of one line of it, characters. */
const LAST_BYTES = 2048;
const LINE = 200;
/** Lines of the last prompt and of the last answer. */
const PROMPT_LINES = 3;
const ANSWER_LINES = 8;
/** Chunks at the end of an answer that are looked at: few have that many in so few lines. */
const CHUNKS = 512;

export interface Told {
  /** In the order of the transcript. */
  blocks: readonly Block[];
  agentSession: string | null;
  title: string | null;
  updated: number;
  draft: Draft;
  interrupted: boolean;
}

export function summaryOf(of: Told): Summary {
  const { blocks, agentSession, title, updated, draft, interrupted } = of;
  const users = blocks.filter((block) => block.kind === 'user');
  const sent = users.filter(({ queued }) => !queued);
  return {
    agentSession,
    title,
    updated,
    first: cut(sanitize(users[0]?.text.slice(0, FIRST) ?? ''), FIRST),
    last: preview(blocks, sent.at(-1)?.text ?? ''),
    prompts: users.length,
    draft: waits(draft) || sent.length < users.length,
    running: interrupted,
  };
}

/** Whether there is something in a prompt. */
export function waits({ text, attachments }: Draft): boolean {
  return text.trim() !== '' || attachments.length > 0;
}

/** The last prompt, and the end of the last answer. */
function preview(blocks: readonly Block[], prompt: string): string[] {
  const asked = tidy(prompt.slice(0, PROMPT_LINES * LINE)).slice(0, PROMPT_LINES);
  const answer = blocks.findLast((block) => block.kind === 'message' || block.kind === 'user');
  const said = answer?.kind === 'message' ? tidy(tail(answer.text)).slice(-ANSWER_LINES) : [];
  const lines = [...asked.map((line) => `> ${line}`), ...said];
  while (Buffer.byteLength(lines.join('\n')) > LAST_BYTES) lines.splice(asked.length, 1);
  return lines;
}

function tail(text: TextLog): string {
  return text.since(Math.max(0, text.size - CHUNKS)).slice(-ANSWER_LINES * LINE);
}

/** Lines that say something. */
function tidy(text: string): string[] {
  return sanitize(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => cut(line, LINE));
}

/** Never between the halves of a character. */
function cut(text: string, length: number): string {
  return text.length > length ? text.slice(0, length).replace(/[\ud800-\udbff]$/, '') : text;
}
