import { CONFLICT, type TerminalState, type ToolBlock, type ToolContent } from '../session/model';
import { changeLines, changeOf } from './change';
import type { Rendered, RenderContext } from './blocks';
import { changeSize, goesOn, joinedWithin, piecesWidth, toolFacts, type FactPiece } from './facts';
import type { Icons } from './icons';
import type { Fact } from './ops';
import { clip, lineSection, moreLines, MOST_LINES, textSection, type Section } from './output';
import { Page, type Piece, type StyledLine } from './page';
import { askedInFull, isRecord, pathsOf, relative, subjectOf } from './subject';
import { addError, AGENT, isHolder, isRunning, subagentFacts, subagentGlyph } from './subagent';
import { isActive, ownersOf } from '../session/subagents';
import { isFinal } from '../session/turn-summary';
import { byteLength, oneLine, sanitize, unmask } from '../text';
import { displayWidth, fit } from './width';

/** Kinds of which nobody wants to see the result unless it failed: they stay one line until they are unfolded. */
const QUIET = new Set(['read', 'search', 'fetch', 'think', 'recall']);
const INDENT = 2;
/** A verb's column, so that what stands behind the usual ones is aligned. */
const VERB_WIDTH = 4;
const NARROWEST_SUBJECT = 24;
/** Lines of what a question is about: a command of more is unfolded like any output. */
const MOST_ASKED = 40;
/** Between a subject and its facts. */
const GAP = 2;

/** The card of a tool call: one line until it matters. */
export function renderTool(block: ToolBlock, context: RenderContext): Rendered {
  const page = new Page();
  const holder = isHolder(block, context);
  const quiet =
    (holder || QUIET.has(block.toolKind)) &&
    block.status !== 'failed' &&
    !block.question &&
    !block.asks;
  const shown = renderHeader(page, block, context);
  const sections = sectionsOf(block, shown, context);
  let hidden = block.question && !block.asks ? renderAsked(page, block, shown, context) : false;
  if (holder) addError(page, block.subagent);
  // What it was started with, and what it said in the end: beside what it does, and whole in the details.
  if (holder && block.expanded) renderClipped(page, sections, block, context);
  else if (block.expanded) renderAll(page, sections, context);
  else if (quiet) hidden ||= sections.length > 0;
  else hidden = renderClipped(page, sections, block, context) || hidden;
  if (block.question) renderQuestion(page, block, block.question, context);
  return {
    page,
    foldable: hidden || block.expanded || holder,
    quiet: quiet && page.lines.length === 1,
    ...(block.question && { question: block.question.id }),
  };
}

/** What is asked in words of its own, or was answered, stands for the rest of the card. */
function sectionsOf(block: ToolBlock, shown: string, context: RenderContext): Section[] {
  if (!block.asks) return contentOf(block, context);
  const lines = block.asks.filter((line) => line.trim() !== shown);
  const asks = textSection(lines.join('\n'), 'head');
  return [...(asks ? [asks] : []), ...(block.expanded ? contentOf(unasked(block), context) : [])];
}

/** A call without the text that is asked about: that stands there already. */
function unasked(block: ToolBlock): ToolBlock {
  const asks = block.asks?.join('\n').trim();
  const content = block.content.filter((item) => {
    return item.type !== 'text' || unmask(sanitize(item.text)).trim() !== asks;
  });
  return { ...block, content };
}

/** Writes what a question is about in full; true when some of it is left out. */
function renderAsked(
  page: Page,
  block: ToolBlock,
  shown: string,
  { cwd, icons }: RenderContext,
): boolean {
  const lines = askedInFull(block, shown, cwd);
  const some = block.expanded ? lines : lines.slice(0, MOST_ASKED);
  for (const text of some) page.line('  ', [text, 'AcpToolTitle']);
  const more = lines.length - some.length;
  if (more > 0) page.styled(moreLines(more, icons), INDENT);
  return more > 0;
}

function statusGlyph(
  block: ToolBlock,
  inBackground: boolean,
  icons: Icons,
): [glyph: string, group: string] {
  if (block.question) return [icons.asks, 'AcpToolAsks'];
  if (inBackground) return [icons.running, 'AcpToolRunning'];
  // A call may be at its end as soon as it has started one.
  const { subagent } = block;
  if (subagent && (isFinal(block.status) || isActive(subagent.state))) {
    const failed = block.status === 'failed' || block.status === 'cancelled';
    if (!failed) return subagentGlyph(subagent, icons);
  }
  switch (block.status) {
    case 'completed':
      return [icons.done, 'AcpToolDone'];
    case 'failed':
      return [icons.failed, 'AcpToolFailed'];
    case 'cancelled':
      return [icons.cancelled, 'AcpToolCancelled'];
    case 'in_progress':
      return [icons.running, 'AcpToolRunning'];
    default:
      return [icons.pending, 'AcpToolPending'];
  }
}

/** Writes the card's first line and returns what it says about the tool's object. */
function renderHeader(page: Page, block: ToolBlock, context: RenderContext): string {
  const { icons, columns, cwd } = context;
  const inBackground = goesOn(block, context.transcript);
  const glyph = statusGlyph(block, inBackground, icons);
  const subject = subjectOf(block, cwd, icons);
  const holder = isHolder(block, context);
  const named = holder ? AGENT : subject.verb;
  const verb = subject.text ? named.padEnd(VERB_WIDTH) : named;
  const start = displayWidth(glyph[0]) + 1 + displayWidth(verb) + 2;
  const least = Math.min(displayWidth(subject.text), NARROWEST_SUBJECT);
  const known = [
    ...ownerFact(block, context),
    ...(holder ? subagentFacts(block, context) : []),
    ...toolFacts(block, context, inBackground),
  ];
  const facts = joinedWithin(known, columns - start - least - GAP, icons);
  const reserved = piecesWidth(facts) + GAP;
  const room = Math.max(columns - start - reserved, NARROWEST_SUBJECT);
  const text = fit(subject.text, room, icons.ellipsis);
  const pieces: Piece[] = [glyph, ' ', [verb, 'AcpToolKind']];
  if (text) pieces.push('  ', [text, subject.isPath ? 'AcpToolPath' : 'AcpToolTitle']);
  const row = page.line(...pieces);

  const fact: Fact = { row };
  if (facts.length > 0) fact.right = facts;
  const runs = block.status === 'in_progress' || isRunning(block) || inBackground;
  if (runs && !block.question) fact.spin = true;
  if (fact.right || fact.spin) page.facts.push(fact);
  const [place] = pathsOf(block);
  if (place) page.links.push({ row, ...place });
  return text;
}

/** Who asks, where it is not the agent itself. */
function ownerFact(block: ToolBlock, { transcript, icons }: RenderContext): FactPiece[] {
  const owners = block.question ? ownersOf(transcript, block) : [];
  return owners.length > 0 ? [[`for ${owners.join(icons.arrow)}`, 'AcpToolFact']] : [];
}

function contentOf(block: ToolBlock, context: RenderContext): Section[] {
  const side = block.toolKind === 'execute' ? 'tail' : 'head';
  const changed = block.content.flatMap((item) => (item.type === 'diff' ? [item.path] : []));
  const several = new Set(changed).size > 1;
  const sections = block.content.flatMap((item) => {
    const section = sectionOf(item, block, context, side, several);
    return section ? [section] : [];
  });
  const raw = textSection(sections.length > 0 ? unsaidFailure(block) : rawText(block), side);
  return raw ? [raw, ...sections] : sections;
}

function sectionOf(
  item: ToolContent,
  block: ToolBlock,
  context: RenderContext,
  side: 'head' | 'tail',
  several: boolean,
): Section | null {
  switch (item.type) {
    case 'text':
      return textSection(unfenced(item.text), side);
    case 'terminal':
      return terminalSection(context.terminals.get(item.terminalId), block);
    case 'other':
      return lineSection([dim(oneLine(item.label) || 'content')]);
    case 'diff': {
      const place = block.locations.find(({ path }) => path === item.path);
      const lines = changeLines(item, place?.line);
      return lineSection(several ? [diffTitle(item, context), ...lines] : lines);
    }
  }
}

function terminalSection(terminal: TerminalState | undefined, block: ToolBlock): Section | null {
  if (!terminal) {
    // Its agent names it again, such as after a restart, and does not say what it put out.
    const gone = isFinal(block.status) && !block.rejected && rawText(block) === '';
    return gone ? lineSection([dim('output not kept')]) : null;
  }
  const section = textSection(terminal.output, 'tail');
  return section && terminal.truncated ? { ...section, dropped: true } : section;
}

function diffTitle(
  diff: Extract<ToolContent, { type: 'diff' }>,
  context: RenderContext,
): StyledLine {
  const name = relative(diff.path, context.cwd);
  const { added, removed } = changeOf(diff);
  const text = `${name}  ${changeSize(added, removed, context.icons)}`;
  const end = byteLength(name);
  return {
    text,
    spans: [
      [0, end, 'AcpToolPath'],
      [end, byteLength(text), 'AcpToolFact'],
    ],
    link: { path: diff.path },
  };
}

function dim(text: string): StyledLine {
  return { text, spans: [[0, byteLength(text), 'AcpToolOutput']] };
}

/** Agents wrap output in a fence for clients that show Markdown: what is inside is meant. */
function unfenced(text: string): string {
  const match = /^\s*(`{3,}|~{3,})[^\n`]*\n/.exec(text);
  if (!match) return text;
  const body = text.trimEnd();
  const fence = `\n${match[1]}`;
  const first = body.indexOf(fence, match[0].length - 1);
  const closes = first >= 0 && first === body.length - fence.length;
  return closes ? body.slice(match[0].length, Math.max(first, match[0].length)) : text;
}

/** Why a call failed, where its content says only what it was to do. */
function unsaidFailure(block: ToolBlock): string {
  if (block.status !== 'failed' || block.content.some(({ type }) => type === 'terminal')) return '';
  const why = rawWords(block.rawOutput);
  const texts = block.content.flatMap((item) =>
    item.type === 'text' ? [unfenced(item.text)] : [],
  );
  return texts.some((text) => text.includes(why.trim()) || why.includes(text.trim())) ? '' : why;
}

/** The raw output as text, for agents that say nothing else. */
function rawText(block: ToolBlock): string {
  const { rawOutput, status } = block;
  const text = rawWords(rawOutput);
  if (text || status !== 'failed' || !isRecord(rawOutput)) return text;
  return JSON.stringify(rawOutput) ?? '';
}

function rawWords(output: unknown): string {
  if (typeof output === 'string') return output;
  if (!isRecord(output)) return '';
  const parts = ['output', 'stdout', 'stderr', 'error', 'message'].map((key) => output[key]);
  return parts
    .filter((part) => typeof part === 'string' && part !== '')
    .map((part) => String(part).replace(/\n$/, ''))
    .join('\n');
}

/** Writes as much as fits into the card's rows; true when something is left out. */
function renderClipped(
  page: Page,
  sections: Section[],
  block: ToolBlock,
  { columns, toolRows, icons }: RenderContext,
): boolean {
  const cells = Math.max(columns - INDENT, 10);
  // A question is decided by what it shows.
  let left = block.question ? 2 * toolRows : toolRows;
  let more = 0;
  let cut = false;
  for (const section of sections) {
    if (left <= 0) {
      more += section.total;
      continue;
    }
    const clipped = clip(section, left, cells, icons);
    const lines = [...clipped.lines];
    if (section.side === 'tail') lines.unshift(...leftOut(section, clipped.more, icons));
    else more += clipped.more;
    for (const line of lines) page.styled(line, INDENT);
    left -= clipped.rows;
    cut ||= clipped.cut;
  }
  if (more > 0) page.styled(moreLines(more, icons), INDENT);
  return cut || more > 0;
}

/** The line that stands for what is left out of a section. */
function leftOut({ dropped }: Section, more: number, icons: Icons): StyledLine[] {
  return more > 0 || dropped ? [moreLines(more, icons, dropped)] : [];
}

/** Writes all sections, each up to a cap. */
function renderAll(page: Page, sections: Section[], { icons }: RenderContext): void {
  for (const section of sections) {
    const lines = section.take(MOST_LINES);
    const more = section.total - lines.length;
    const rest = leftOut(section, more, icons);
    for (const line of section.side === 'tail' ? [...rest, ...lines] : [...lines, ...rest]) {
      page.styled(line, INDENT);
    }
  }
}

function renderQuestion(
  page: Page,
  { toolKind, asks }: ToolBlock,
  question: NonNullable<ToolBlock['question']>,
  { columns, icons }: RenderContext,
): void {
  // A form is no choice of these: it is opened first.
  const opens = asks && !question.options.some(({ kind }) => kind.startsWith('allow'));
  const options = (opens ? [] : question.options).map(({ name, id }, i): Piece[] => [
    [String(i + 1), 'AcpOptionKey'],
    ' ',
    [oneLine(name) || oneLine(id), 'AcpOption'],
  ]);
  const hint: [string, string][] = [
    [`<CR> ${opens ? 'answer' : 'choose'}${icons.separator}K details`, 'AcpToolFact'],
  ];
  const label: Piece[] = [
    '  ',
    [asks ? 'Answer?' : toolKind === CONFLICT ? 'Which?' : 'Allow?', 'AcpQuestion'],
  ];
  const end = displayWidth(hint[0]![0]) + GAP;
  const wide = options.reduce((sum, [, , name]) => sum + displayWidth(name![0]) + 5, 10 + end);
  let row: number;
  if (wide <= columns)
    row = page.line(...label, ...options.flatMap((option) => ['   ', ...option]));
  else {
    row = page.line(...label);
    for (const option of options) page.line('    ', ...option);
  }
  page.facts.push({ row, right: hint });
}
