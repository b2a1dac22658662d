/** Taking back a whole turn, and taking that back. */
import { createHash } from 'node:crypto';
import { errorText } from '../acp/connection';
import { merge } from '../diff/merge';
import { apply, type ApplyParts } from './apply';
import { equal, same, textOf, type Content } from './content';
import { rejectedFiles, type Target } from './decide';
import { compareLines, countLines, type PendingFile, type PendingFiles } from './pending';
import { lockOf, nameFrom } from './report';
import type { Redo, Redone, Turn } from './state';
import type { UndoPlan } from './view';

export interface UndoParts extends ApplyParts {
  pending: PendingFiles;
  cwd: string;
}

/** What would be done, and how it is told. */
interface Plan extends UndoPlan {
  turn: Turn;
  redo: Redo | null;
  /** What is done together or not at all. */
  jobs: Target[][];
}

/** `+3 −9`, as the file would change. */
function counts(before: Content, after: Content): string {
  const { added, removed } = countLines(compareLines(before, after).hunks);
  return added + removed > 0 ? ` (+${added} −${removed})` : '';
}

function undoStep(file: PendingFile, cwd: string): string {
  const { path, from, before, after } = file;
  const name = nameFrom(cwd, path);
  const why = lockOf(file);
  if (why !== null) return `leaves ${name} as it is: ${why}`;
  if (before.kind === 'none') return `deletes ${name}`;
  if (from !== undefined) {
    return `renames ${name} back to ${nameFrom(cwd, from)}${counts(after, before)}`;
  }
  if (after.kind === 'none') return `brings back ${name}${counts(after, before)}`;
  return 'mode' in before && 'mode' in after && equal({ ...after, mode: before.mode }, before)
    ? `gives ${name} its mode ${before.mode.slice(3)} back`
    : `restores ${name}${counts(after, before)}`;
}

function idOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** What taking back the last turn would do; null where there is none. */
async function undoPlan({ state, pending, cwd }: UndoParts): Promise<Plan | null> {
  for (const turn of state.turns.filter(({ undone }) => !undone).reverse()) {
    const files = await pending.of(turn);
    // A turn that changed nothing, or whose changes are gone, is no step.
    if (files.length === 0) continue;
    const jobs = files
      .filter((file) => lockOf(file) === null)
      .map((file) => rejectedFiles(file, 'all'));
    return {
      id: idOf([
        'undo',
        turn.id,
        ...files.map(({ path, from, base, now }) => [path, from, base, now]),
      ]),
      title: turn.title,
      steps: files.map((file) => undoStep(file, cwd)),
      turn,
      redo: null,
      jobs,
    };
  }
  return null;
}

/** What a file becomes when a change that was taken back is made again: with what the user did since. */
function redone(before: Content, after: Content, now: Content): { content: Content; note: string } {
  const texts = [after, now, before].map(textOf);
  const [base, ours, theirs] = texts as [string, string, string];
  if (texts.includes(null) || now.kind !== 'text' || before.kind !== 'text') {
    return { content: before, note: '' };
  }
  const merged = merge(base, ours, theirs, { theirs: 'the agent' });
  const note =
    merged.conflicts.length > 0 ? ', with both sides marked where you changed it too' : '';
  return { content: { ...before, text: merged.text }, note };
}

/** What taking back the last undo would do. */
async function redoPlan({ state, tree, ledger, cwd }: UndoParts): Promise<Plan | null> {
  const redo = state.redo.at(-1);
  const turn = state.turns.find(({ id }) => id === redo?.turn);
  if (!redo || !turn) return null;
  const jobs: Plan['jobs'] = [];
  const steps: string[] = [];
  const presents: unknown[] = [];
  for (const { path, before, after } of redo.files) {
    const present = await ledger.present(path);
    presents.push([path, present]);
    const now = await tree.read(path, present);
    const agents = await tree.read(path, before);
    const name = nameFrom(cwd, path);
    const touched = !same(present, after);
    if (agents.kind === 'none' && touched) {
      steps.push(`leaves ${name} as it is: you changed it since`);
      continue;
    }
    const { content, note } = touched
      ? redone(agents, await tree.read(path, after), now)
      : { content: agents, note: '' };
    jobs.push([{ path, content }]);
    if (content.kind === 'none') steps.push(`deletes ${name}`);
    else if (now.kind === 'none') steps.push(`brings back ${name}${counts(now, content)}`);
    else steps.push(`changes ${name}${counts(now, content)}${note}`);
  }
  const id = idOf(['redo', turn.id, ...presents]);
  return { id, title: turn.title, steps, turn, redo, jobs };
}

/** What is left of a plan for the editor. */
export async function planOf(parts: UndoParts, redo: boolean): Promise<UndoPlan | null> {
  const plan = await (redo ? redoPlan(parts) : undoPlan(parts));
  return plan && { id: plan.id, title: plan.title, steps: plan.steps };
}

/** Does what the plan `id` says. Gives what failed, for people. */
export async function carryOut(parts: UndoParts, id: string): Promise<string[]> {
  const plans = [await undoPlan(parts), await redoPlan(parts)];
  const plan = plans.find((each) => each?.id === id);
  if (!plan) {
    throw new Error(
      'Nothing was done: files have changed since you were asked. Please look again.',
    );
  }
  const { state, tree, ledger } = parts;
  const done: Redone[] = [];
  const failed: string[] = [];
  // What goes makes room for what comes back.
  const goes = (targets: Target[]): number => (targets[0]!.content.kind === 'none' ? 0 : 1);
  for (const targets of plan.jobs.sort((a, b) => goes(a) - goes(b))) {
    try {
      const files = await Promise.all(
        targets.map(async ({ path, content }) => ({
          path,
          before: await ledger.present(path),
          after: await tree.keep(path, content),
        })),
      );
      await apply(parts, targets);
      done.push(...files);
    } catch (error) {
      failed.push(errorText(error));
    }
  }
  await settle(parts, plan, done);
  if (plan.redo) state.redo.pop();
  else if (done.length > 0) state.redo.push({ turn: plan.turn.id, files: done });
  // What failed can be taken back the next time.
  plan.turn.undone = plan.redo === null && failed.length === 0;
  return failed;
}

/**
 * What was taken back is no change of the agent's in scopes that began later. In the session's, what was kept in these files is
 * to be decided anew, as it is no more.
 */
async function settle({ state, bases }: UndoParts, { turn }: Plan, done: Redone[]): Promise<void> {
  const later = state.turns.slice(state.turns.indexOf(turn) + 1);
  const scopes = [...later, ...(later.length > 0 && state.turn ? [state.turn] : [])];
  for (const { path, before, after } of done) {
    await bases.userChanged(path, before, after, { scopes });
    for (const scope of [state.session, later.length === 0 ? state.turn : null]) {
      const plain = scope === state.session ? state.whole : turn;
      if (scope && plain && scope.bases.has(path)) {
        scope.bases.set(path, await bases.of(plain, path));
      }
    }
  }
}
