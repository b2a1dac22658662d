/** Plans: what is to be done and how far that is, or what the agent has written down of it. */
import { fileURLToPath } from 'node:url';
import type { PlanBlock } from '../session/model';
import { oneLine } from '../text';
import type { Rendered, RenderContext } from './blocks';
import { joined, type FactPiece } from './facts';
import type { Icons } from './icons';
import { Page, type Piece } from './page';
import { relative } from './subject';

export function renderPlan(block: PlanBlock, context: RenderContext): Rendered {
  const { icons } = context;
  const page = new Page();
  const { entries, text, uri } = block;
  if (entries.length > 0) addEntries(page, block, icons);
  else if (uri) addFile(page, uri, context);
  else if (text && text.length > 0) page.line(['Plan', 'AcpToolKind']);
  else return { page };
  if (block.late) addFacts(page, 0, [['late', 'AcpToolFact']], icons);
  if (entries.length > 0 || uri || !text) return { page };
  return { page, text: { log: text, style: 'markdown', ended: true } };
}

function addEntries(page: Page, { entries }: PlanBlock, icons: Icons): void {
  const done = entries.filter(({ status }) => status === 'completed').length;
  page.line(['Plan', 'AcpToolKind'], ` ${done}/${entries.length}`);
  for (const { content, status } of entries) {
    const [glyph, group, known] = planGlyph(status, icons);
    const pieces: Piece[] = ['  ', [glyph, group], ' '];
    pieces.push(status === 'completed' ? [oneLine(content), 'AcpPlanPending'] : oneLine(content));
    const row = page.line(...pieces);
    if (!known) addFacts(page, row, [[oneLine(status), 'AcpToolFact']], icons);
  }
}

/** The file is opened by the keys for links; an address of another kind is only named. */
function addFile(page: Page, uri: string, { cwd }: RenderContext): void {
  const path = pathOf(uri);
  const name = path === null ? oneLine(uri) : relative(path, cwd);
  const row = page.line(['Plan', 'AcpToolKind'], '  ', [name, 'AcpToolPath']);
  if (path !== null) page.links.push({ row, path });
}

/** The path that an address names; null: it is none of a file here. */
export function pathOf(uri: string): string | null {
  if (uri.startsWith('/')) return uri;
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}

function addFacts(page: Page, row: number, facts: FactPiece[], icons: Icons): void {
  page.facts.push({ row, right: joined(facts, icons) });
}

function planGlyph(status: string, icons: Icons): [glyph: string, group: string, known: boolean] {
  switch (status) {
    case 'completed':
      return [icons.done, 'AcpPlanDone', true];
    case 'in_progress':
      return [icons.active, 'AcpPlanActive', true];
    case 'cancelled':
      return [icons.cancelled, 'AcpPlanPending', true];
    case 'pending':
    case '':
      return [icons.todo, 'AcpPlanPending', true];
    default:
      return [icons.pending, 'AcpPlanPending', false];
  }
}
