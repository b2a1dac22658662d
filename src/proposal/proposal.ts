/** What a tool call would do to files, or has done: the diffs that a person judges it by. */
import { setImmediate } from 'node:timers/promises';
import type { DiffRow, FileDiff } from '../diff/file-diff';
import { fileDiff, nameOf, type DiffOptions, type Sides } from '../diff/hunks';
import { normalise, bareLines } from '../diff/text';
import type { ToolBlock } from '../session/model';
import { applied, piecesOf } from './apply';
import { changesOf, type Change } from './input';
import { piecesByFile, type DiffContent, type Piece } from './pieces';
import { fragments, place, type Stage } from './place';

/** What is known of a tool call. */
export type ProposedCall = Pick<
  ToolBlock,
  'toolKind' | 'title' | 'status' | 'content' | 'locations' | 'rawInput' | 'question' | 'rejected'
>;

export interface ProposalOptions extends DiffOptions {
  /**
   * The text of a file as it stands, unsaved changes included; `null` where there is none. Rejects where there is
   * something that can't be read as text: then nothing is known of its change.
   */
  readFile: (path: string) => Promise<string | null>;
  /** Where the call doesn't tell it: of a question that is yet to be put on its card, `before`. */
  stage?: Stage;
}

export interface Proposal {
  /** One for each file, in the order of their first mention. None: what the call would do isn't known. */
  files: FileDiff[];
  /** Its hunks, for the card of a call that carries no diff of its own. */
  pieces: DiffContent[];
}

/** Longest text of all hunks of a call that its card gets: they stay in memory. */
const MOST_PIECES = 256 * 1024;

/** What an agent says of one file. */
interface Said {
  file: string;
  /** Its diffs, where it gives some. */
  pieces: Piece[];
  /** What its input means. */
  changes: Change[];
}

/**
 * The changes that a tool call would make to files as they stand, or has made: what it says as diffs, and what its
 * input says where that isn't enough. Of what nobody can know there is no diff, or one that says that it is a piece.
 */
export async function proposedDiffs(
  call: ProposedCall,
  options: ProposalOptions,
): Promise<Proposal> {
  const contents = call.content.filter((item) => item.type === 'diff');
  const given = piecesByFile(contents, options.cwd);
  const changes = byFile(changesOf(call, options.cwd) ?? []);
  const stage = options.stage ?? stageOf(call);
  const files: FileDiff[] = [];
  const pieces: DiffContent[] = [];
  for (const file of new Set([...given.keys(), ...changes.keys()])) {
    // A large file takes its time, and there may be many.
    if (files.length > 0) await setImmediate();
    const said = { file, pieces: given.get(file) ?? [], changes: changes.get(file) ?? [] };
    const found = await sidesOf(said, stage, options);
    if (!found) continue;
    const diff = Object.assign(fileDiff(file, found.sides, options), found.facts);
    files.push(diff);
    if (contents.length === 0) pieces.push(...hunkPieces(diff, found.sides));
  }
  const size = pieces.reduce(
    (sum, item) => sum + (item.oldText ?? '').length + item.newText.length,
    0,
  );
  return { files, pieces: size > MOST_PIECES ? [] : pieces };
}

function byFile(changes: Change[]): Map<string, Change[]> {
  const files = new Map<string, Change[]>();
  for (const change of changes) {
    files.set(change.path, [...(files.get(change.path) ?? []), change]);
  }
  return files;
}

/** Whether a call has been carried out: what is asked or was rejected has not. */
function stageOf({ question, rejected, status }: ProposedCall): Stage {
  if (question || rejected) return 'before';
  return status === 'completed' ? 'after' : 'unknown';
}

type Found = { sides: Sides[]; facts: Partial<FileDiff> } | null;

async function sidesOf(said: Said, stage: Stage, options: ProposalOptions): Promise<Found> {
  const read = async (file: string): Promise<string | null> => {
    const text = await options.readFile(file);
    return text === null ? null : normalise(text);
  };
  const from = said.changes.find((change) => change.from !== undefined)?.from;
  const facts = from === undefined ? {} : { from: nameOf(from, options.cwd) };
  let text: string | null;
  try {
    text = await read(stage === 'before' ? (from ?? said.file) : said.file);
  } catch {
    // What can't be read as text can't be compared: the question shows what the agent said.
    return null;
  }
  if (stage !== 'before') {
    const sides = made(said, text, stage);
    return sides && { sides, facts };
  }
  const sides = proposed(said, text);
  if (!sides) return null;
  return sides[0]!.whole
    ? { sides, facts: { ...facts, status: statusOf(said, text, sides[0]!) } }
    : { sides, facts };
}

/** The sides of a change that is yet to be made. */
function proposed({ pieces, changes }: Said, file: string | null): Sides[] | null {
  const before = file ?? '';
  const [piece, ...others] = pieces;
  // The whole file: the agent has worked it out itself. Some say of a new file that it is empty.
  if (piece && others.length === 0 && (piece.oldText === file || isWhole(piece, before))) {
    return [{ before, after: piece.newText, whole: true }];
  }
  const after = changes.length > 0 ? appliedAll(changes, file) : null;
  if (after !== null) return [{ before, after, whole: true }];
  // A patch that is made to be shown may not fit where the edit does.
  const sure =
    changes.every(({ type }) => type === 'patch') && pieces.every(({ oldText }) => oldText);
  const placed = changes.length === 0 || sure ? place(file, pieces, 'before') : [];
  if (placed[0]?.whole) return placed;
  const parts = pieces.length > 0 ? pieces : changes.flatMap(piecesOf);
  return parts.length > 0 ? fragments(parts) : null;
}

/** Whether a piece is about all of a file: many agents take a file for UTF-8, whatever it is, and write it as that. */
function isWhole({ oldText }: Piece, file: string): boolean {
  if (oldText === file) return true;
  if (!oldText?.includes('\uFFFD') || !/^[\0-\xFF]*$/.test(file)) return false;
  return oldText === Buffer.from(file, 'latin1').toString();
}

function appliedAll(changes: Change[], file: string | null): string | null {
  let text = file;
  for (const [i, change] of changes.entries()) {
    const gone = i > 0 && changes[i - 1]!.type === 'delete';
    text = applied(change, gone ? null : text);
    if (text === null) return null;
  }
  return text;
}

/** The sides of a change that was made, or may have been. */
function made({ pieces, changes }: Said, file: string | null, stage: Stage): Sides[] | null {
  const parts = pieces.length > 0 ? pieces : changes.flatMap(piecesOf);
  if (parts.length === 0) return null;
  // What was overwritten isn't known any more.
  const overwritten = pieces.length === 0 && changes.some(({ type }) => type === 'text');
  return overwritten ? fragments(parts) : place(file, parts, stage);
}

function statusOf({ changes }: Said, file: string | null, { after }: Sides): FileDiff['status'] {
  const last = changes.at(-1);
  if (last ? last.type === 'delete' : after === '' && file !== null) return 'deleted';
  if (file === null) return 'new';
  return changes.some(({ from }) => from !== undefined) ? 'renamed' : 'modified';
}

/** The hunks of a diff as an agent would give them. */
function hunkPieces(diff: FileDiff, sides: Sides[]): DiffContent[] {
  const { path, status } = diff;
  const first = sides[0]!;
  if (!first.whole) {
    return sides.map(({ before, after }) => ({ path, oldText: before || null, newText: after }));
  }
  if (status === 'new') return [{ path, oldText: null, newText: first.after }];
  if (status === 'deleted') return [{ path, oldText: first.before, newText: '' }];
  // Where rows were left out, so are these.
  const rows = diff.hunks.reduce((sum, hunk) => sum + hunk.rows.filter(isChanged).length, 0);
  if (rows < diff.added + diff.removed) return [];
  const before = linesOf(first.before);
  const after = linesOf(first.after);
  return diff.hunks.map(({ oldStart, newStart, rows }) => {
    const count = (other: 'add' | 'del') => rows.filter(({ type }) => type !== other).length;
    return {
      path,
      oldText: before.slice(oldStart - 1, oldStart - 1 + count('add')).join(''),
      newText: after.slice(newStart - 1, newStart - 1 + count('del')).join(''),
    };
  });
}

const isChanged = ({ type }: DiffRow): boolean => type !== 'same';

/** Lines with their ends. */
function linesOf(text: string): string[] {
  const lines = bareLines(text);
  return lines.map((line, i) => (i < lines.length - 1 || text.endsWith('\n') ? `${line}\n` : line));
}
