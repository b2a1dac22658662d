/** What happened beside the conversation: notices, failures with what can be done, room made in the context. */
import type { FailureAction } from '../acp/events';
import type { CompactionBlock, NoticeBlock } from '../session/model';
import { ACTION_NAMES } from '../session/turn-failure';
import { count, oneLine, toLines } from '../text';
import type { Rendered, RenderContext } from './blocks';
import { duration, joined, type FactPiece } from './facts';
import { Page, type Piece } from './page';
import { displayWidth } from './width';

const NOTICES = {
  info: { icon: 'info', group: 'AcpNoticeInfo' },
  warning: { icon: 'warning', group: 'AcpNoticeWarning' },
  error: { icon: 'failed', group: 'AcpNoticeError' },
} as const;

export function renderNotice(block: NoticeBlock, context: RenderContext): Rendered {
  const { icons } = context;
  const page = new Page();
  const { icon, group } = NOTICES[block.severity];
  const row = page.line([`${icons[icon]} ${oneLine(block.title)}`, group]);
  if (block.detail.trim()) {
    for (const line of toLines(block.detail.trimEnd())) page.line('  ', line);
  }
  const facts: FactPiece[] = [];
  if (block.times !== undefined) facts.push([count(block.times, 'time'), 'AcpToolFact']);
  if (block.late) facts.push(['late', 'AcpToolFact']);
  if (facts.length > 0) page.facts.push({ row, right: joined(facts, icons) });
  return { page, ...withActions(page, block.actions, context) };
}

/** Between what can be done and the key for it. */
const GAP = 2;

/** Writes what can be done, each with its number, and the key at the right. */
export function withActions(
  page: Page,
  actions: readonly FailureAction[] | undefined,
  { columns }: RenderContext,
): Pick<Rendered, 'actions'> {
  if (!actions || actions.length === 0) return {};
  const named = actions.map((id) => ({ id, name: ACTION_NAMES[id] ?? id.replaceAll('_', ' ') }));
  const pieces = named.flatMap(({ name }, i): Piece[] => {
    const number: Piece[] = named.length > 1 ? [[String(i + 1), 'AcpOptionKey'], ' '] : [];
    return [i > 0 ? '   ' : '  ', ...number, [name, 'AcpOption']];
  });
  const row = page.line(...pieces);
  const room = columns - displayWidth(page.lines[row]!) - GAP;
  const keys = named.length > 1 ? ['<CR> choose', '<CR>'] : ['<CR>'];
  const key = keys.find((it) => displayWidth(it) <= room);
  if (key !== undefined) page.facts.push({ row, right: [[key, 'AcpToolFact']] });
  return { actions: named };
}

export function renderCompaction(block: CompactionBlock, { icons }: RenderContext): Rendered {
  const page = new Page();
  const facts: FactPiece[] = [];
  const add = (glyph: string, words: string, group: string): void => {
    const row = page.line([`${glyph} ${words}`, group]);
    const took = block.endedAt === null ? 0 : block.endedAt - block.startedAt;
    if (took >= 1000) facts.push([duration(took), 'AcpToolFact']);
    if (block.late) facts.push(['late', 'AcpToolFact']);
    if (facts.length > 0) page.facts.push({ row, right: joined(facts, icons) });
  };
  const { status, text, error, expanded } = block;
  const why = error ? `: ${oneLine(error)}` : '';
  switch (status) {
    case 'in_progress':
      page.line([`${icons.running} Making room in the context`, 'AcpThought']);
      page.facts.push({ row: 0, spin: true, since: block.startedAt });
      return { page };
    case 'failed':
      add(icons.failed, `The context could not be compacted${why}`, 'AcpNoticeError');
      return { page };
    case 'cancelled':
      add(icons.cancelled, `Compacting the context was cancelled${why}`, 'AcpToolCancelled');
      return { page };
    case 'completed':
      break;
    default:
      // Such as `ended`: the agent went on without a word of it.
      facts.push([status === 'ended' ? 'end unknown' : oneLine(status), 'AcpToolFact']);
      add(icons.pending, `Making room in the context${why}`, 'AcpThought');
      return { page };
  }
  if (text.length === 0) {
    add(icons.done, 'Context compacted', 'AcpThought');
    return { page };
  }
  add(expanded ? icons.open : icons.folded, 'Context compacted', 'AcpThought');
  return expanded
    ? { page, foldable: true, text: { log: text, style: 'thought', ended: true } }
    : { page, foldable: true };
}
