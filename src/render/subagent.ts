/** What stands for a subagent: one line that says how it stands, what it does, and how much it has done. */
import type { Subagent, SubagentBlock, LetterBlock, ToolBlock } from '../session/model';
import { isActive } from '../session/subagents';
import { isFinal } from '../session/turn-summary';
import { count, oneLine, toLines } from '../text';
import type { Rendered, RenderContext } from './blocks';
import { duration, joinedWithin, piecesWidth, type FactPiece } from './facts';
import type { Icons } from './icons';
import { Page } from './page';
import { subjectOf } from './subject';
import { displayWidth, fit } from './width';

/** Columns of what it does now. */
const DOING = 36;
const NARROWEST_TITLE = 16;
const GAP = 2;

export const AGENT = 'Agent';

/** Whether a call has started a subagent. */
export function isHolder({ id, subagent }: ToolBlock, { transcript }: RenderContext): boolean {
  return subagent !== undefined || transcript.nested.has(id);
}

export function renderSubagent(block: SubagentBlock, context: RenderContext): Rendered {
  const { icons, columns } = context;
  const page = new Page();
  const [glyph, group] = subagentGlyph(block.subagent, icons);
  const start = displayWidth(`${glyph} ${AGENT}  `);
  const title = oneLine(block.title) || oneLine(block.description) || 'subagent';
  const least = Math.min(displayWidth(title), NARROWEST_TITLE);
  const known: FactPiece[] = [...subagentFacts(block, context), ...took(block)];
  if (block.late) known.push(['late', 'AcpToolFact']);
  const facts = joinedWithin(known, columns - start - least - GAP, icons);
  const room = Math.max(columns - start - piecesWidth(facts) - GAP, NARROWEST_TITLE);
  const row = page.line([glyph, group], ' ', [AGENT, 'AcpToolKind'], '  ', [
    fit(title, room, icons.ellipsis),
    'AcpToolTitle',
  ]);
  const spin = isRunning(block) ? ({ spin: true } as const) : {};
  if (facts.length > 0 || isRunning(block)) {
    page.facts.push({ row, ...(facts.length > 0 && { right: facts }), ...spin });
  }
  if (block.expanded && block.description && block.title) {
    page.line('  ', [oneLine(block.description), 'AcpToolOutput']);
  }
  addError(page, block.subagent);
  return {
    page,
    foldable: block.expanded || context.transcript.nested.has(block.id),
    quiet: page.lines.length === 1,
  };
}

/** Why it failed, in full. */
export function addError(page: Page, subagent: Subagent | undefined): void {
  if (!subagent?.error) return;
  for (const line of toLines(subagent.error.trimEnd())) page.line('  ', [line, 'AcpToolFailed']);
}

function took({ startedAt, endedAt }: SubagentBlock): FactPiece[] {
  const ms = endedAt === null ? 0 : endedAt - startedAt;
  return ms >= 1000 ? [[duration(ms), 'AcpToolFact']] : [];
}

export function subagentGlyph(subagent: Subagent, icons: Icons): [glyph: string, group: string] {
  switch (subagent.state) {
    case 'running':
      return [icons.running, 'AcpToolRunning'];
    case 'waiting':
      return [icons.asks, 'AcpToolAsks'];
    case 'idle':
    case 'completed':
      return [icons.done, 'AcpToolDone'];
    case 'failed':
      return [icons.failed, 'AcpToolFailed'];
    case 'cancelled':
      return [icons.cancelled, 'AcpToolCancelled'];
    case 'unknown':
      return [icons.pending, 'AcpToolPending'];
  }
}

export function isRunning({ subagent }: { subagent?: Subagent }): boolean {
  return subagent?.state === 'running';
}

/** What is said of it at the right edge, most wanted last. */
export function subagentFacts(
  block: ToolBlock | SubagentBlock,
  context: RenderContext,
): FactPiece[] {
  const { icons, transcript } = context;
  const facts: FactPiece[] = [];
  const runs = isActive(block.subagent?.state) || (block.kind === 'tool' && !isFinal(block.status));
  const now = runs ? doing(block.id, context) : '';
  if (now !== '') facts.push([fit(now, DOING, icons.ellipsis), 'AcpToolFact']);
  if (block.subagent?.state === 'unknown') facts.push(['state unknown', 'AcpToolFact']);
  const nested = transcript.nested.get(block.id);
  if (nested) {
    const glyph = block.expanded ? icons.open : icons.folded;
    const tools = nested.tools > 0 ? ` ${count(nested.tools, 'tool')}` : '';
    facts.push([`${glyph}${tools}`, 'AcpToolFact']);
  }
  return facts;
}

/** What was last begun by it, or by one that it has started. */
function doing(id: string, { transcript, cwd, icons }: RenderContext): string {
  let last = id;
  for (let next; (next = transcript.nested.get(last)); last = next.last);
  const block = last === id ? undefined : transcript.blocks.get(last);
  switch (block?.kind) {
    case 'tool': {
      const { verb, text } = subjectOf(block, cwd, icons);
      return text === '' ? verb : `${verb} ${text}`;
    }
    case 'thought':
      return 'thinking';
    case 'message':
      return 'writing';
    default:
      return '';
  }
}

/** What agents say to each other: its first line, until it is unfolded. */
export function renderLetter(block: LetterBlock, { icons, columns }: RenderContext): Rendered {
  const page = new Page();
  const lines = toLines(block.text.trim());
  const glyph = block.expanded ? icons.open : icons.folded;
  const who = `${block.received ? 'from' : 'to'} ${block.with}`;
  const head = `${glyph} ${fit(who, Math.max(12, Math.floor(columns / 3)), icons.ellipsis)}`;
  const first = lines.find((line) => line.trim() !== '') ?? '';
  const room = Math.max(columns - displayWidth(head) - GAP - 1, NARROWEST_TITLE);
  const says = fit(first, room, icons.ellipsis);
  const whole = lines.length === 1 && says === first;
  if (block.expanded && !whole) {
    page.line([head, 'AcpThought']);
    for (const line of lines) page.line('  ', [line, 'AcpThought']);
  } else {
    page.line([head, 'AcpThought'], '  ', [says, 'AcpThought']);
  }
  if (block.late) page.facts.push({ row: 0, right: [['late', 'AcpToolFact']] });
  return { page, foldable: !whole, quiet: page.lines.length === 1 };
}
