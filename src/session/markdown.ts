/** A transcript as Markdown, for people and for other agents: what was said stands in it as it was said. */
import { ansiLines } from '../render/ansi';
import { turnWords } from '../render/blocks';
import { answered, duration } from '../render/facts';
import { ICONS } from '../render/icons';
import { prettyJson } from '../render/input';
import { subjectOf } from '../render/subject';
import { fileDiff } from '../diff/hunks';
import { oneLine, sanitize } from '../text';
import { moment } from './detail';
import type {
  Block,
  CompactionBlock,
  MessageBlock,
  NoticeBlock,
  PlanBlock,
  SubagentBlock,
  ThoughtBlock,
  ToolBlock,
  ToolContent,
  Transcript,
  UserBlock,
} from './model';
import { depthOf } from './nesting';
import { fenceFor } from './prompt-content';

const ICONS_USED = ICONS.unicode;
/** Characters of a conversation that is sent along. */
const MOST_SENT = 60_000;
/** Characters of one output in such a conversation: what was said about it says more. */
const MOST_OUTPUT = 2000;

interface Options {
  /** Characters of one output that are kept. */
  mostOutput: number;
}

/** The whole transcript. */
export function transcriptMarkdown(transcript: Transcript): string {
  return blocksOf(transcript)
    .map((block) => blockMarkdown(block, transcript, { mostOutput: Infinity }))
    .filter(Boolean)
    .join('\n\n');
}

/** What was said before the prompt `prompt`, the newest of it when it is too much; '' where nothing was. */
export function conversationMarkdown(transcript: Transcript, prompt: string): string {
  const parts: string[] = [];
  let left = MOST_SENT;
  let cut = false;
  for (const block of blocksOf(transcript).reverse()) {
    const isSaid = block.id !== prompt && !(block.kind === 'user' && block.queued);
    const part = isSaid ? blockMarkdown(block, transcript, { mostOutput: MOST_OUTPUT }) : '';
    if (part === '') continue;
    cut = part.length > left;
    if (cut && parts.length > 0) break;
    parts.unshift(cut ? `…${part.slice(-left)}` : part);
    left -= part.length;
    if (cut) break;
  }
  if (parts.length === 0) return '';
  const what = 'A conversation between a user and a coding agent, until now.';
  return [cut ? `${what} Its beginning is left out.` : what, ...parts].join('\n\n') + '\n';
}

function blocksOf({ order, blocks }: Transcript): Block[] {
  return order.flatMap((id) => blocks.get(id) ?? []);
}

/** What stands under another is quoted, once for each. */
function blockMarkdown(block: Block, transcript: Transcript, options: Options): string {
  let text = flatMarkdown(block, transcript, options);
  for (let depth = depthOf(transcript, block); depth > 0 && text !== ''; depth--)
    text = quote(text);
  return text;
}

function flatMarkdown(block: Block, transcript: Transcript, options: Options): string {
  switch (block.kind) {
    case 'user':
      return userMarkdown(block);
    case 'message':
      return messageMarkdown(block);
    case 'thought':
      return thoughtMarkdown(block);
    case 'tool':
      return toolMarkdown(block, transcript, options);
    case 'subagent':
      return subagentMarkdown(block);
    case 'letter':
      return `*${block.received ? 'From' : 'To'} ${block.with}*\n\n${closed(sanitize(block.text).trimEnd())}`;
    case 'plan':
      return planMarkdown(block);
    case 'notice':
      return noticeMarkdown(block);
    case 'compaction':
      return compactionMarkdown(block);
    case 'unknown': {
      const payload = cut(prettyJson(block.payload), options);
      return `*${oneLine(block.label)}*\n\n${fenced(payload, 'json')}`;
    }
    case 'turn':
      return `*${turnWords(block, ICONS_USED)}*\n\n---`;
  }
}

function userMarkdown({ text, attachments, time, queued, steered }: UserBlock): string {
  const facts: string[] = [];
  if (time !== null) facts.push(moment(time).slice(0, -3));
  if (queued) facts.push('queued');
  else if (steered) facts.push('steered');
  const title = facts.length > 0 ? `## User (${facts.join(', ')})` : '## User';
  const list = attachments.map(({ label }) => `- @${oneLine(label)}`).join('\n');
  return [title, closed(sanitize(text).replace(/\n+$/, '')), list]
    .filter((part) => part.trim() !== '')
    .join('\n\n');
}

function thoughtMarkdown({ text, startedAt, endedAt }: ThoughtBlock): string {
  if (text.length === 0) return '';
  const ms = endedAt === null ? 0 : endedAt - startedAt;
  const title = ms >= 1000 ? `*Thought for ${duration(ms)}*` : '*Thought*';
  return quote(`${title}\n\n${closed(sanitize(text.toString()).trimEnd())}`);
}

function toolMarkdown(tool: ToolBlock, transcript: Transcript, options: Options): string {
  const { verb, text } = subjectOf(tool, transcript.cwd, ICONS_USED);
  const facts = [tool.status.replaceAll('_', ' ')];
  if (tool.answer === 'cancelled') facts.push('not answered');
  else if (tool.answer !== null && tool.asks) facts.push(answered(tool.answer));
  else if (tool.answer !== null) {
    facts.push(`${tool.rejected ? 'rejected' : 'allowed'}: ${tool.answer}`);
  }
  const title = [
    `**${verb}**`,
    text && code(text),
    `— ${oneLine(facts.filter(Boolean).join(', '))}`,
  ];
  const asks = tool.asks ? fenced(cut(plain(tool.asks.join('\n')), options)) : '';
  const content = tool.content.map((item) => contentMarkdown(item, transcript, options));
  return [title.filter(Boolean).join(' '), asks, ...content].filter(Boolean).join('\n\n');
}

function contentMarkdown(item: ToolContent, transcript: Transcript, options: Options): string {
  switch (item.type) {
    case 'text':
      return fenced(cut(plain(item.text), options));
    case 'other':
      return oneLine(item.label);
    case 'diff':
      return fenced(diffText(item, transcript.cwd), 'diff');
    case 'terminal': {
      const terminal = transcript.terminals.get(item.terminalId);
      return terminal ? fenced(cut(plain(terminal.output), options)) : '';
    }
  }
}

/** Without line numbers: agents send pieces of files, and don't say of which lines. */
function diffText({ path, oldText, newText }: ToolContent & { type: 'diff' }, cwd: string): string {
  const sides = [{ before: oldText ?? '', after: newText, whole: false }];
  const { name, hunks } = fileDiff(path, sides, { cwd });
  const signs = { same: ' ', add: '+', del: '-' };
  const rows = hunks.flatMap((hunk) => [
    '@@',
    ...hunk.rows.map((row) => signs[row.type] + row.text),
  ]);
  return [`--- ${oldText === null ? '/dev/null' : name}`, `+++ ${name}`, ...rows].join('\n');
}

function subagentMarkdown({ title, description, subagent }: SubagentBlock): string {
  const what = oneLine(title) || oneLine(description);
  const state = subagent.error ? `${subagent.state}: ${oneLine(subagent.error)}` : subagent.state;
  return ['**Agent**', what && code(what), `— ${state}`].filter(Boolean).join(' ');
}

/** What never came to more than a draft says so. */
function messageMarkdown({ text, draft }: MessageBlock): string {
  const said = closed(sanitize(text.toString()).replace(/\n+$/, ''));
  return draft === 'left' && said !== '' ? `*Draft:*\n\n${said}` : said;
}

function planMarkdown({ entries, text, uri }: PlanBlock): string {
  const words = text && text.length > 0 ? closed(sanitize(text.toString()).trimEnd()) : '';
  if (entries.length === 0) {
    if (uri) return `**Plan** ${code(uri)}`;
    return words && `**Plan**\n\n${words}`;
  }
  const list = entries.map(({ content, status }) => {
    const box = status === 'completed' ? 'x' : ' ';
    const usual = ['completed', 'pending', ''].includes(status);
    return `- [${box}] ${oneLine(content)}${usual ? '' : ` (${oneLine(status.replaceAll('_', ' '))})`}`;
  });
  return ['**Plan**', '', ...list].join('\n');
}

function noticeMarkdown({ severity, title, detail }: NoticeBlock): string {
  const name = severity.charAt(0).toUpperCase() + severity.slice(1);
  return quote(`**${name}:** ${oneLine(title)}\n${sanitize(detail)}`.trimEnd());
}

function compactionMarkdown({ status, error, text }: CompactionBlock): string {
  const how = oneLine([status.replaceAll('_', ' '), error].filter(Boolean).join(', '));
  const summary = closed(sanitize(text.toString()).trimEnd());
  return [`*Context compacted: ${how}*`, summary && quote(summary)].filter(Boolean).join('\n\n');
}

function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** Output of a command as a terminal would show it. */
function plain(output: string): string {
  return ansiLines(output)
    .map(({ text }) => text)
    .join('\n');
}

/** The beginning and the end of a text that is too long. */
function cut(text: string, { mostOutput }: Options): string {
  if (text.length <= mostOutput) return text;
  const half = mostOutput / 2;
  return `${text.slice(0, half)}\n… ${text.length - mostOutput} more characters …\n${text.slice(-half)}`;
}

function fenced(text: string, language = ''): string {
  const body = text.replace(/^\n+|\s+$/g, '');
  const fence = fenceFor(body);
  return body === '' ? '' : `${fence}${language}\n${body}\n${fence}`;
}

/** As code within a line, whatever backticks stand in it. */
function code(text: string): string {
  let longest = 0;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const sign = '`'.repeat(longest + 1);
  return longest > 0 ? `${sign} ${text} ${sign}` : `${sign}${text}${sign}`;
}

/** A text with an end for the fence that it leaves open: else it would swallow what follows. */
function closed(text: string): string {
  let open: string | null = null;
  for (const [, sign, info] of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === null) {
      if (sign![0] === '~' || !info!.includes('`')) open = sign!;
    } else if (sign!.startsWith(open) && info!.trim() === '') {
      open = null;
    }
  }
  return open === null ? text : `${text}\n${open}`;
}
