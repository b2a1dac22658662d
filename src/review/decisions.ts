/** Keeping and rejecting what is pending. */
import { errorText } from '../acp/connection';
import { bare } from '../diff/lines';
import { apply, type ApplyParts } from './apply';
import { isByBytes } from './content';
import {
  countOf,
  keptBase,
  keptElsewhere,
  partAt,
  rejectedElsewhere,
  rejectedFiles,
  type Part,
  type Target,
} from './decide';
import type { PendingFile, PendingFiles } from './pending';
import { lockOf, nameFrom } from './report';
import type { Scope } from './state';
import { unified } from './unified';

export interface DecisionParts extends ApplyParts {
  pending: PendingFiles;
  cwd: string;
}

/** What is to be decided: all, one file, or in it the hunk at a line (0: what is not lines). */
export interface Choice {
  path?: string;
  line?: number;
  /** What stands there, as the user sees it. */
  text?: string;
}

/** Decides what is pending in `scope`. What fails is thrown as one error, after all else is done. */
export async function decide(
  parts: DecisionParts,
  scope: Scope,
  action: 'keep' | 'reject',
  choice: Choice,
): Promise<void> {
  const failed: string[] = [];
  for (const [file, part] of await chosen(parts, scope, choice)) {
    try {
      await (action === 'keep' ? keep(parts, scope, file, part) : reject(parts, scope, file, part));
    } catch (error) {
      failed.push(errorText(error));
    }
  }
  if (failed.length > 0) throw new Error(failed.join('\n'));
  // What the last turn took back of earlier ones is no change of the session's; but all was decided.
  const { state, pending } = parts;
  if (choice.path !== undefined || scope !== state.session || !state.turn) return;
  for (const file of await pending.of(state.turn)) {
    await set(parts, state.turn, keptBase(file, 'all'));
  }
}

/** What was chosen, in the order in which it can be done: what goes makes room for what comes back. */
async function chosen(
  { pending, cwd }: DecisionParts,
  scope: Scope,
  { path, line, text }: Choice,
): Promise<[PendingFile, Part][]> {
  const files = await pending.of(scope);
  if (path === undefined) {
    const goes = ({ before }: PendingFile): number => (before.kind === 'none' ? 0 : 1);
    return files.sort((a, b) => goes(a) - goes(b)).map((file) => [file, 'all']);
  }
  const file = files.find((each) => each.path === path);
  const name = nameFrom(cwd, path);
  if (!file) throw new Error(`Nothing is to be decided in ${name} any more`);
  const part = line === undefined ? 'all' : partAt(file, line);
  if (line && text !== undefined && !shows(file, line, text)) {
    throw new Error(`${name} has changed meanwhile: nothing was decided, please look at it again`);
  }
  if (part === null) {
    throw new Error(`${name} has no change to decide ${line ? `at line ${line}` : 'beside lines'}`);
  }
  return [[file, part]];
}

/** Whether the file has this text in a line. What the bytes of some files mean, only Neovim knows. */
function shows({ after, newLines }: PendingFile, line: number, text: string): boolean {
  return isByBytes(after) || bare(newLines[line - 1] ?? '') === text.replace(/\r$/, '');
}

async function set({ bases }: DecisionParts, scope: Scope, targets: Target[]): Promise<void> {
  for (const { path, content } of targets) await bases.set(scope, path, content);
}

/** What was kept is kept in both scopes; a turn that is taken back takes it back, too. */
async function keep(
  parts: DecisionParts,
  scope: Scope,
  file: PendingFile,
  part: Part,
): Promise<void> {
  const { state, pending } = parts;
  for (const other of [state.session, state.turn]) {
    if (!other || other === scope) continue;
    const there = (await pending.of(other)).find(({ path }) => path === file.path);
    if (!there) continue;
    // The session holds all that the turn has.
    const whole = scope === state.session && part === 'all';
    await set(parts, other, whole ? keptBase(there, part) : keptElsewhere(there, file, part));
  }
  await set(parts, scope, keptBase(file, part));
  state.kept += countOf(file, part);
}

async function reject(
  parts: DecisionParts,
  scope: Scope,
  file: PendingFile,
  part: Part,
): Promise<void> {
  const { tree, state, bases, cwd } = parts;
  const { path, from, now } = file;
  const name = nameFrom(cwd, path);
  const why = lockOf(file);
  if (why !== null) throw new Error(`${name}: ${why}`);
  const count = countOf(file, part);
  const hunks = part === 'all' ? file.hunks : part === 'rest' ? [] : [part];
  const patch = `${unified(file, (each) => nameFrom(cwd, each), hunks).join('\n')}\n`;
  const former = await bases.remember(path, now, count, patch);

  await apply(parts, rejectedFiles(file, part));
  // In what began later, the lines that came back would be changes.
  const later = scope === state.session ? [state.turn, ...state.turns] : [];
  for (const other of later) {
    if (!other) continue;
    const origin = await bases.origin(other, path);
    const base = await tree.read(origin, await bases.of(other, origin));
    const targets = rejectedElsewhere(base, file, part);
    if (typeof part === 'string') {
      // It may have had a third name when that scope began.
      if (origin !== path) other.bases.set(origin, null);
      await set(parts, other, targets);
    } else {
      await set(
        parts,
        other,
        targets.map(({ content }) => ({ path: origin, content })),
      );
    }
  }
  if (from === undefined) bases.rejected(former);
  state.rejected += count;
  state.patches.push({ path, name, patch });
}
