/** Brings files to what was decided: through the loaded buffer where there is one, else on disk. */
import type { Editor } from '../nvim/editor';
import type { Bases } from './bases';
import { equal, isByBytes, same, textOf, type Content } from './content';
import type { Target } from './decide';
import type { Ledger } from './ledger';
import type { State } from './state';
import type { Tree } from './tree';

export interface ApplyParts {
  tree: Tree;
  state: State;
  bases: Bases;
  ledger: Ledger;
  editor: Editor;
}

/** Whether only the lines are to change, which a buffer can do. */
function onlyLines(now: Content, target: Content): boolean {
  return (
    now.kind === 'text' &&
    target.kind === 'text' &&
    now.text !== target.text &&
    now.encoding === target.encoding &&
    now.bom === target.bom
  );
}

function changedMeanwhile(name: string): Error {
  return new Error(`${name}: it has changed meanwhile, please look at it again`);
}

/**
 * Makes the file at a path what it shall be. Throws, in words for people, when it was changed since it was looked at or can't
 * be written; then it is as it was.
 */
async function applyOne(parts: ApplyParts, { path, content }: Target): Promise<void> {
  const { tree, state, bases, ledger, editor } = parts;
  const name = tree.nameOf(path);
  const now = await tree.read(path, await ledger.present(path));
  const seen = state.seen.get(path);
  if (!equal(await tree.disk(path), seen ? await tree.read(path, seen.disk) : now)) {
    throw changedMeanwhile(name);
  }
  const target = await tree.keep(path, content);
  const [was, text] = [textOf(now)!, textOf(content)!];
  let answer = onlyLines(now, content)
    ? await editor.request('buffer.write', { path, text, was })
    : null;
  if (answer && 'error' in answer) throw new Error(`${name}: ${answer.error}`);
  if (answer && 'stale' in answer) {
    // To Neovim, the bytes may mean other characters: then the buffer gets them by the way of the file.
    if (!isByBytes(now) || !same(seen?.now ?? null, seen?.disk ?? null)) {
      throw changedMeanwhile(name);
    }
    answer = null;
  }
  let written = await tree.disk(path);
  // What no buffer does: files without one, and their modes.
  if (!answer || (textOf(written) === textOf(content) && !equal(written, content))) {
    await tree.restore(path, target);
    written = await tree.disk(path);
  }
  if (equal(written, now) && !equal(now, content)) throw new Error(`${name}: it was not written`);
  const result = equal(written, content) ? target : await tree.keep(path, written);
  ledger.saw(path, result);
  // Something of the user's, such as a formatter that runs when files are saved, had its way with it.
  await bases.userChanged(path, target, result);
}

/** What goes makes room first where the other needs it; else nothing goes before the other is there. */
function ordered(targets: Target[]): Target[] {
  const [gone, there] = [
    targets.filter(({ content }) => content.kind === 'none'),
    targets.filter(({ content }) => content.kind !== 'none'),
  ];
  const isInTheWay = gone.some(({ path }) =>
    there.some((each) => path.startsWith(`${each.path}/`) || each.path.startsWith(`${path}/`)),
  );
  return isInTheWay ? [...gone, ...there] : [...there, ...gone];
}

/** Brings the files of one change to what they shall be: all of them or none. Throws in words for people. */
export async function apply(parts: ApplyParts, targets: Target[]): Promise<void> {
  const { tree, ledger } = parts;
  const former: Target[] = [];
  try {
    for (const target of ordered(targets)) {
      const content = await tree.read(target.path, await ledger.present(target.path));
      await applyOne(parts, target);
      former.unshift({ path: target.path, content });
    }
  } catch (error) {
    for (const target of former) await applyOne(parts, target);
    throw error;
  }
}
