import { CONFLICT, type TerminalState, type ToolBlock, type Transcript } from '../session/model';
import { isFinal } from '../session/turn-summary';
import type { RenderContext } from './blocks';
import { changeOf } from './change';
import type { Icons } from './icons';
import { isRecord } from './subject';
import { count, oneLine } from '../text';
import { displayWidth, fit } from './width';

/** No fact is cut shorter than this. */
const SHORTEST_FACT = 12;

/** `[text, group]`. */
export type FactPiece = [text: string, group: string];

/** `40 ms`, `1.2 s`, `34 s`, `2:05`, `1:02:05`. */
export function duration(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 59_500 ? `${Math.round(ms / 1000)} s` : clock(ms);
}

/** `0:34`, `1:02:05`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const pad = (n: number): string => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return `${hours ? `${hours}:${pad(minutes)}` : minutes}:${pad(seconds % 60)}`;
}

/** `+4 −2`. */
export function changeSize(added: number, removed: number, icons: Icons): string {
  return `+${added} ${icons.minus}${removed}`;
}

function terminalsOf({ content }: ToolBlock): string[] {
  return content.flatMap((item) => (item.type === 'terminal' ? [item.terminalId] : []));
}

function exitFact(block: ToolBlock, terminals: Map<string, TerminalState>): FactPiece | null {
  const exit = terminalsOf(block)
    .map((id) => terminals.get(id)?.exit)
    .findLast((state) => state != null);
  if (exit?.signal) return [oneLine(exit.signal), 'AcpToolFailed'];
  const code = exit?.exitCode ?? rawExitCode(block.rawOutput);
  if (code !== null) return [`exit ${code}`, code === 0 ? 'AcpToolFact' : 'AcpToolFailed'];
  return exit ? ['exit ?', 'AcpToolFact'] : null;
}

function rawExitCode(output: unknown): number | null {
  if (!isRecord(output)) return null;
  const code = [output.exit_code, output.exitCode].find((value) => typeof value === 'number');
  return code ?? null;
}

/** How much is changed, and before it in how many places. */
function sizeFacts(block: ToolBlock, icons: Icons): FactPiece[] {
  const diffs = block.content.flatMap((item) => (item.type === 'diff' ? [item] : []));
  if (diffs.length === 0) return [];
  const changes = diffs.map(changeOf);
  const sum = (of: (change: (typeof changes)[0]) => number): number =>
    changes.reduce((total, change) => total + of(change), 0);
  const files = new Set(diffs.map((diff) => diff.path)).size;
  const facts: string[] = [];
  if (files > 1) facts.push(count(files, 'file'));
  else if (block.question)
    facts.push(
      count(
        sum((change) => change.hunks),
        'hunk',
      ),
    );
  const [added, removed] = [sum((change) => change.added), sum((change) => change.removed)];
  facts.push(changeSize(added, removed, icons));
  return facts.map((fact) => [fact, 'AcpToolFact']);
}

/** Whether a command of ours goes on though its call is over. */
export function goesOn(block: ToolBlock, { running }: Pick<Transcript, 'running'>): boolean {
  return isFinal(block.status) && terminalsOf(block).some((id) => running.has(id));
}

function durationFact(block: ToolBlock): FactPiece | null {
  if (block.startedAt === null || block.endedAt === null) return null;
  const ms = block.endedAt - block.startedAt;
  // Only commands are measured to the tenth: elsewhere a time is worth its place when one had to wait.
  return ms >= 1000 || (block.toolKind === 'execute' && ms > 0)
    ? [duration(ms), 'AcpToolFact']
    : null;
}

/** Statuses that their glyph says. */
const KNOWN = ['pending', 'in_progress', 'completed', 'failed', 'cancelled', ''];

function statusFact(status: string): FactPiece | null {
  if (KNOWN.includes(status)) return null;
  return [status === 'ended' ? 'end unknown' : oneLine(status), 'AcpToolFact'];
}

/** What stands at the right edge of a card, most wanted last: there it is read first. `inBackground`: {@link goesOn}. */
export function toolFacts(
  block: ToolBlock,
  { terminals, icons }: Pick<RenderContext, 'terminals' | 'icons'>,
  inBackground: boolean,
): FactPiece[] {
  const facts: (FactPiece | null)[] = [
    inBackground ? ['in the background', 'AcpToolFact'] : statusFact(block.status),
    block.rejected ? null : answerFact(block),
    ...sizeFacts(block, icons),
    inBackground ? null : durationFact(block),
    exitFact(block, terminals),
    block.rejected ? answerFact(block) : null,
    block.late ? ['late', 'AcpToolFact'] : null,
  ];
  return facts.filter((fact) => fact !== null);
}

/** What became of a question that is none of leave, by the option that was chosen. */
const ANSWERED: Record<string, string> = {
  Accept: 'answered',
  Open: 'opened',
  Approve: 'approved',
  Decline: 'declined',
  Reject: 'rejected',
  Cancel: 'not answered',
};

export function answered(option: string): string {
  return Object.hasOwn(ANSWERED, option) ? ANSWERED[option]! : oneLine(option);
}

function answerFact(block: ToolBlock): FactPiece | null {
  if (block.answer === null || block.question) return null;
  if (block.answer === 'cancelled') return ['not answered', 'AcpToolFact'];
  if (block.asks) return [answered(block.answer), 'AcpToolFact'];
  if (block.toolKind === CONFLICT) return [oneLine(block.answer), 'AcpToolFact'];
  return [`${block.rejected ? 'rejected' : 'allowed'}: ${oneLine(block.answer)}`, 'AcpToolFact'];
}

/** Pieces with separators between them. */
export function joined(facts: FactPiece[], icons: Icons): FactPiece[] {
  return facts.flatMap((fact, i): FactPiece[] =>
    i === 0 ? [fact] : [[icons.separator, 'AcpToolFact'], fact],
  );
}

export function piecesWidth(pieces: FactPiece[]): number {
  return pieces.reduce((sum, [text]) => sum + displayWidth(text), 0);
}

/** As many of the last pieces as fit: half a fact would be a wrong one. The last is always there, if need be cut. */
export function joinedWithin(facts: FactPiece[], cells: number, icons: Icons): FactPiece[] {
  const pieces = joined(facts, icons);
  if (piecesWidth(pieces) <= cells) return pieces;
  if (facts.length > 1) return joinedWithin(facts.slice(1), cells, icons);
  const room = Math.max(cells, SHORTEST_FACT);
  return pieces.map(([text, group]) => [fit(text, room, icons.ellipsis), group]);
}
