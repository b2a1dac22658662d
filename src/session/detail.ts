/** All that is known of a block, for the details float. */
import { object } from '../acp/coerce';
import { ansiLines } from '../render/ansi';
import { changeOf } from '../render/change';
import { clock } from '../render/facts';
import { inputLines, prettyJson } from '../render/input';
import { count, oneLine, sanitize } from '../text';
import type {
  Block,
  CompactionBlock,
  LetterBlock,
  PlanBlock,
  SubagentBlock,
  ToolBlock,
  ToolContent,
  Transcript,
  TurnBlock,
} from './model';

/** Longest text that the details show of one thing; the wire log has the rest. */
const LONGEST = 256 * 1024;

export interface Detail {
  title: string;
  lines: string[];
  filetype: string;
}

export function blockDetail(block: Block, transcript: Transcript): Detail {
  switch (block.kind) {
    case 'tool':
      return toolDetail(block, transcript);
    case 'unknown':
      return { title: oneLine(block.label), lines: lines(json(block.payload)), filetype: 'json' };
    case 'notice':
      return {
        title: block.severity,
        lines: lines(`${block.title}\n${block.detail}`),
        filetype: 'text',
      };
    case 'compaction':
      return { title: 'compaction', lines: lines(compactionText(block)), filetype: 'markdown' };
    case 'message':
    case 'thought':
      return { title: block.kind, lines: lines(block.text.toString()), filetype: 'markdown' };
    case 'user':
      return { title: 'prompt', lines: lines(block.text), filetype: 'markdown' };
    case 'subagent':
      return subagentDetail(block);
    case 'letter':
      return { title: letterTitle(block), lines: lines(block.text), filetype: 'markdown' };
    case 'plan':
      return { title: block.kind, lines: lines(planText(block)), filetype: 'markdown' };
    case 'turn':
      return { title: block.kind, lines: lines(turnText(block)), filetype: 'text' };
    default:
      return block satisfies never;
  }
}

function toolDetail(tool: ToolBlock, transcript: Transcript): Detail {
  const sections: [string, string][] = [
    ['Status', [tool.status, tool.answer && `answered: ${tool.answer}`].filter(Boolean).join(', ')],
    ['Question', tool.asks?.join('\n') ?? ''],
    ['Where', tool.locations.map(({ path, line }) => (line ? `${path}:${line}` : path)).join('\n')],
    ['Input', input(tool.rawInput)],
    ...tool.content.map((item) => contentSection(item, transcript)),
    ['Output', json(tool.rawOutput)],
    ['Result', json(tool.response)],
  ];
  const body = sections
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `## ${title}\n\n${text}`)
    .join('\n\n');
  return { title: oneLine(tool.title) || 'tool call', lines: lines(body), filetype: 'markdown' };
}

function subagentDetail({ title, description, subagent, startedAt }: SubagentBlock): Detail {
  const facts: [string, string][] = [
    ['What', description],
    ['State', subagent.state],
    ['Began', moment(startedAt)],
    ['Cancel', subagent.cancel ? 'it can be cancelled by itself' : ''],
    ['Session', oneLine(subagent.id)],
    ['Error', subagent.error ?? ''],
  ];
  const body = facts
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `${name.padEnd(9)}${text}`)
    .join('\n');
  return { title: oneLine(title) || 'subagent', lines: lines(body), filetype: 'text' };
}

function letterTitle({ received, with: other }: LetterBlock): string {
  return `${received ? 'from' : 'to'} ${other}`;
}

function planText(plan: PlanBlock): string {
  if (plan.entries.length === 0) return plan.uri ?? plan.text?.toString() ?? '';
  return plan.entries
    .map(({ content, priority, status }) => {
      const words = [status.replaceAll('_', ' '), priority && `${priority} priority`];
      const facts = words.filter(Boolean).join(', ');
      const box = status === 'completed' ? 'x' : ' ';
      return `- [${box}] ${oneLine(content)}${facts && ` (${facts})`}`;
    })
    .join('\n');
}

function compactionText({ status, error, text }: CompactionBlock): string {
  const head = `Status: ${status.replaceAll('_', ' ')}${error ? `, ${error}` : ''}`;
  return [head, text.toString()].filter(Boolean).join('\n\n');
}

function turnText(turn: TurnBlock): string {
  const facts: [string, string][] = [
    ['Stop reason', oneLine(turn.stopReason)],
    ['Began', moment(turn.startedAt)],
    ['Ended', moment(turn.endedAt)],
    ['Took', clock(turn.endedAt - turn.startedAt)],
    ['Changed', `${count(turn.files, 'file')}, +${turn.added} -${turn.removed}`],
    ['Tools', `${turn.tools}, of which ${turn.unasked} ran without asking`],
  ];
  return facts.map(([name, fact]) => `${name.padEnd(13)}${fact}`).join('\n');
}

/** Date and time of day, here. */
export function moment(time: number): string {
  const minutes = new Date(time).getTimezoneOffset();
  return new Date(time - minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ');
}

function contentSection(item: ToolContent, transcript: Transcript): [string, string] {
  switch (item.type) {
    case 'text':
      return ['Content', drawn(item.text)];
    case 'other':
      return ['Content', item.label];
    case 'diff':
      return [`Diff of ${item.path}`, fenced(changedLines(item), 'diff')];
    case 'terminal':
      return ['Terminal', fenced(drawn(transcript.terminals.get(item.terminalId)?.output ?? ''))];
    default:
      return item satisfies never;
  }
}

function changedLines(diff: Extract<ToolContent, { type: 'diff' }>): string {
  return changeOf(diff)
    .rows.map(({ sign, text, first }, i) => `${first && i > 0 ? '\n' : ''}${sign}${text}`)
    .join('\n');
}

/** What a program has put out, as it stands on a screen. */
function drawn(text: string): string {
  if (!text.includes('\u001b') && !text.includes('\r')) return text;
  return ansiLines(text)
    .map((line) => line.text)
    .join('\n');
}

function fenced(text: string, language = ''): string {
  return text === '' ? '' : `\`\`\`${language}\n${text.replace(/\n$/, '')}\n\`\`\``;
}

function json(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return prettyJson(value);
}

/** As JSON, but for texts of several lines: these are to be read. */
function input(value: unknown): string {
  const texts = Object.values(object(value) ?? {}).filter((field) => typeof field === 'string');
  return texts.some((text) => text.includes('\n'))
    ? inputLines(value, Infinity).join('\n')
    : json(value);
}

function lines(text: string): string[] {
  const shown =
    text.length > LONGEST ? `${text.slice(0, LONGEST)}\n… (the wire log has the rest)` : text;
  return sanitize(shown).split('\n');
}
