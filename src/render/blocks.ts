import type {
  Block,
  MessageBlock,
  TerminalState,
  TextLog,
  ThoughtBlock,
  Transcript,
  TurnBlock,
  UnknownBlock,
  UserBlock,
} from '../session/model';
import { changeSize, clock, duration, joined, type FactPiece } from './facts';
import type { Icons } from './icons';
import type { Indent } from './indent';
import { MOST_LINES } from './output';
import { renderCompaction, renderNotice, withActions } from './notice';
import { Page, type Piece } from './page';
import { renderPlan } from './plan';
import { renderLetter, renderSubagent } from './subagent';
import { renderTool } from './tool';
import { count, oneLine, toLines } from '../text';
import { displayWidth } from './width';

export interface RenderContext {
  columns: number;
  /** Screen rows of a tool's content that are shown while it is folded. */
  toolRows: number;
  icons: Icons;
  cwd: string;
  terminals: Map<string, TerminalState>;
  /** For what a block says of those that stand under it. */
  transcript: Transcript;
}

/** A block as it is to be seen. One without lines and without text is not on screen at all. */
export interface Rendered {
  page: Page;
  /** Text that grows below the lines of `page`. */
  text?: { log: TextLog; style: 'markdown' | 'thought' | 'draft'; ended: boolean };
  foldable?: boolean;
  question?: string;
  /** What can be done about it: names for `block.act`, with words for people. */
  actions?: { id: string; name: string }[];
  /** It stands under another. */
  indent?: Indent;
  /** Stands together with others of its kind, without a blank line. */
  quiet?: boolean;
}

/** Total: every block of the model has a look. */
export function render(block: Block, context: RenderContext): Rendered {
  switch (block.kind) {
    case 'user':
      return renderUser(block, context);
    case 'message':
      return renderMessage(block, context);
    case 'thought':
      return renderThought(block, context);
    case 'tool':
      return renderTool(block, context);
    case 'subagent':
      return renderSubagent(block, context);
    case 'letter':
      return renderLetter(block, context);
    case 'plan':
      return renderPlan(block, context);
    case 'notice':
      return renderNotice(block, context);
    case 'compaction':
      return renderCompaction(block, context);
    case 'unknown':
      return renderUnknown(block, context);
    case 'turn':
      return renderTurn(block, context);
  }
}

function addFacts(page: Page, row: number, facts: FactPiece[], icons: Icons): void {
  if (facts.length > 0) page.facts.push({ row, right: joined(facts, icons) });
}

const LATE: FactPiece = ['late', 'AcpToolFact'];
const DRAFT: FactPiece = ['draft', 'AcpToolFact'];

function renderUser(block: UserBlock, { icons }: RenderContext): Rendered {
  const page = new Page();
  const add = (...pieces: Piece[]): number => {
    const row = page.line([icons.bar, 'AcpUserBar'], ' ', ...pieces);
    page.marks.push([row, 0, -1, 'AcpUserLine']);
    return row;
  };
  const lines = block.text.trim() ? toLines(block.text) : [];
  for (const line of lines) add([line, block.queued ? 'AcpToolPending' : 'AcpUser']);
  for (const { label, path, line } of block.attachments) {
    const row = add([`@${oneLine(label)}`, 'AcpAttachment']);
    if (path !== undefined) page.links.push({ row, path, ...(line !== undefined && { line }) });
  }
  if (page.lines.length === 0) add();
  const facts: FactPiece[] = [];
  if (block.steered) facts.push([block.queued ? 'steering' : 'steered', 'AcpToolFact']);
  else if (block.queued) facts.push(['queued', 'AcpToolPending']);
  if (block.time !== null) facts.push([timeOfDay(block.time), 'AcpTime']);
  addFacts(page, 0, facts, icons);
  return { page };
}

function timeOfDay(time: number): string {
  const date = new Date(time);
  return `${date.getHours()}:${String(date.getMinutes()).padStart(2, '0')}`.padStart(5, '0');
}

function renderMessage(block: MessageBlock, { icons }: RenderContext): Rendered {
  const page = new Page();
  const facts: FactPiece[] = block.draft === 'left' ? [DRAFT] : [];
  if (block.late) facts.push(LATE);
  addFacts(page, 0, facts, icons);
  const style = block.draft === 'live' ? 'draft' : 'markdown';
  return { page, text: { log: block.text, style, ended: block.done } };
}

function renderThought(block: ThoughtBlock, { icons }: RenderContext): Rendered {
  const page = new Page();
  if (block.text.length === 0) return { page };
  const ended = block.endedAt !== null;
  if (ended) {
    const ms = block.endedAt! - block.startedAt;
    const title = ms >= 1000 ? `Thought for ${duration(ms)}` : 'Thought';
    const glyph = block.expanded ? icons.open : icons.folded;
    page.line([`${glyph} ${title}`, 'AcpThought']);
  } else {
    page.facts.push({ row: page.line([`${icons.running} Thinking`, 'AcpThought']), spin: true });
  }
  if (block.late) page.facts.push({ row: 0, right: [LATE] });
  if (ended && !block.expanded) return { page, foldable: true };
  const text = { log: block.text, style: 'thought', ended } as const;
  return ended ? { page, text, foldable: true } : { page, text };
}

function renderUnknown(block: UnknownBlock, { icons }: RenderContext): Rendered {
  const page = new Page();
  const glyph = block.expanded ? icons.open : icons.folded;
  page.line([`${glyph} ${oneLine(block.label)}`, 'AcpUnknown']);
  if (block.expanded) {
    const lines = toLines(JSON.stringify(block.payload, null, 2) ?? 'undefined');
    for (const line of lines.slice(0, MOST_LINES)) page.line(['  ' + line, 'AcpUnknown']);
    const more = lines.length - MOST_LINES;
    if (more > 0) page.line([`  ${icons.ellipsis} ${count(more, 'more line')}`, 'AcpToolFact']);
  }
  if (block.late) addFacts(page, 0, [LATE], icons);
  return { page, foldable: true };
}

/** Why a turn ended, where it is not simply at its end. */
function ending({ stopReason, silent }: TurnBlock): FactPiece | null {
  const warning = (words: string): FactPiece => [words, 'AcpNoticeWarning'];
  if (silent) return warning('the agent ended it without a word');
  switch (stopReason) {
    case 'end_turn':
    case '':
      return null;
    case 'refusal':
      return warning("the agent refused; this turn isn't part of its memory");
    case 'max_tokens':
      return warning('stopped: the answer reached the token limit');
    case 'max_turn_requests':
      return warning('stopped: too many model requests in one turn');
    case 'cancelled':
    case 'error':
    case 'interrupted':
      return warning(stopReason);
    case 'lost':
      return warning('the agent died');
    default:
      return [oneLine(stopReason), 'AcpUnknown'];
  }
}

/** The rest of a turn's last line: a rule, and in it the door to the review where there is something and room. */
function turnEnd(block: TurnBlock, fill: number, icons: Icons): FactPiece[] {
  if (fill === 0) return [];
  const door = block.measured && block.files > 0 ? ' :AcpReview ' : '';
  const rule = fill - displayWidth(door) - RULE_WIDTH;
  if (door === '' || rule < RULE_WIDTH) return [[` ${icons.rule.repeat(fill)}`, 'AcpTurn']];
  return [
    [` ${icons.rule.repeat(rule)}`, 'AcpTurn'],
    [door, 'AcpOptionKey'],
    [icons.rule.repeat(RULE_WIDTH), 'AcpTurn'],
  ];
}

/** A turn's last line in words. */
export function turnWords(block: TurnBlock, icons: Icons): string {
  return turnPieces(block, TURN_WORDS[0], icons)
    .map(([text]) => text)
    .join('');
}

/** A turn's last line in the longest words that fit into one screen row. */
function renderTurn(block: TurnBlock, context: RenderContext): Rendered {
  const { icons, columns } = context;
  const width = (pieces: FactPiece[]): number =>
    pieces.reduce((sum, [text]) => sum + displayWidth(text), 0);
  const room = columns - 4 - RULE_WIDTH;
  const lines = TURN_WORDS.map((words) => turnPieces(block, words, icons));
  const pieces = lines.find((line) => width(line) <= room) ?? lines.at(-1)!;
  const fill = Math.max(0, columns - width(pieces) - RULE_WIDTH - 2);
  const page = new Page();
  page.line(
    [`${icons.rule.repeat(RULE_WIDTH)} `, 'AcpTurn'],
    ...pieces,
    ...turnEnd(block, fill, icons),
  );
  return { page, ...withActions(page, block.actions, context) };
}

const RULE_WIDTH = 2;
/** From long to short. */
const TURN_WORDS = [
  { changed: ' changed', unasked: 'ran without asking' },
  { changed: '', unasked: 'without asking' },
  { changed: '', unasked: 'unasked' },
] as const;

function turnPieces(
  block: TurnBlock,
  words: (typeof TURN_WORDS)[number],
  icons: Icons,
): FactPiece[] {
  const parts: FactPiece[][] = [];
  const reason = ending(block);
  if (reason !== null) parts.push([reason]);
  parts.push([[clock(block.endedAt - block.startedAt), 'AcpTurn']]);
  if (block.files > 0) {
    const size = changeSize(block.added, block.removed, icons);
    parts.push([[`${count(block.files, 'file')}${words.changed} (${size})`, 'AcpTurn']]);
  }
  if (block.tools > 0) {
    const tools: FactPiece[] = [[count(block.tools, 'tool'), 'AcpTurn']];
    if (block.unasked > 0) tools.push([`, ${block.unasked} ${words.unasked}`, 'AcpTurnUnasked']);
    parts.push(tools);
  }
  return parts.flatMap((part, i): FactPiece[] =>
    i === 0 ? part : [[icons.separator, 'AcpTurn'], ...part],
  );
}
