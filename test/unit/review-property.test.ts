/**
 * Random edits of the user and of the agent, interleaved. Each line is unique and tagged with who wrote it, so that a model of a
 * few lines says what must be left when all is rejected.
 */
import { execFileSync } from 'node:child_process';
import { realpathSync, renameSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Baseline } from '../../src/baseline/baseline';
import { openFolderBaseline } from '../../src/baseline/folder';
import { openGitBaseline } from '../../src/baseline/git';
import { bare, splitLines } from '../../src/diff/lines';
import { merge } from '../../src/diff/merge';
import { tempDir } from '../harness';
import { lines, reviewOf, type Bench } from './review-fixture';

const SEEDS = Number(process.env.SEEDS ?? 100);

/** A file as the model knows it. */
interface Model {
  /** Where it stands; null while it is deleted. */
  path: string | null;
  /** Where it stands when all is rejected; null for what the agent created. */
  home: string | null;
  /** Lines that must be left when all is rejected: what was there and what the user typed, but for what the user deleted. */
  own: Set<string>;
}

type Actor = 'user' | 'agent';

interface Step {
  op:
    | 'edit'
    | 'save'
    | 'open'
    | 'disk'
    | 'through'
    | 'create'
    | 'delete'
    | 'rename'
    | 'turn'
    | 'look'
    | 'keep'
    | 'reject'
    | 'restart';
  file: number;
  /** Places of changes in the file, and how many lines come there; 0: one is deleted. */
  changes: [place: number, count: number][];
  pick: number;
}

class Play {
  readonly files: Model[];
  turns = 0;
  #running = false;
  #lines = 0;
  #names = 0;

  constructor(
    readonly bench: Bench,
    names: string[],
    readonly decisions: boolean,
    /** A renamed file is only known again when nothing else in it has changed. */
    readonly plainRenames: boolean,
  ) {
    this.files = names.map((name) => ({
      path: name,
      home: name,
      own: new Set(contents(bench.text(name)!)),
    }));
  }

  get running(): boolean {
    return this.#running;
  }

  async step(step: Step): Promise<void> {
    const { bench } = this;
    const there = this.files.filter(({ path }) => path !== null);
    const file = there[step.file % Math.max(1, there.length)];
    const path = file?.path;
    const loaded = path && bench.editor.loaded.has(bench.at(path));
    switch (step.op) {
      case 'turn':
        if (this.#running) await bench.review.turnEnded();
        else await bench.review.turnStarted(`Turn ${++this.turns}`);
        this.#running = !this.#running;
        return;
      case 'look':
        if (this.#running) await bench.review.touched();
        else await bench.review.show('turn');
        return;
      case 'open':
        if (path && !loaded) bench.editor.open(bench.at(path));
        return;
      case 'edit':
        if (file && path && loaded) this.#type(file, path, step);
        return;
      case 'save':
        if (path && loaded) await bench.save(path);
        return;
      case 'disk':
        if (file && path && (this.#running || !bench.editor.isModified(bench.at(path)))) {
          await this.#writeDisk(file, path, step);
        }
        return;
      case 'through':
        if (file && path && this.#running) await this.#writeThrough(path, step);
        return;
      case 'create':
        this.#create(step);
        bench.editor.check();
        return;
      case 'delete':
        if (file && path && !bench.editor.isModified(bench.at(path))) this.#delete(file, path);
        return;
      case 'rename':
        if (file && path && !bench.editor.isModified(bench.at(path))) {
          this.#rename(file, path, step);
          if (this.#running) await bench.review.touched();
        }
        return;
      case 'keep':
      case 'reject':
        if (this.decisions) await this.#decide(step.op, step);
        return;
      case 'restart':
        if (!this.#running) await bench.restart();
        return;
    }
  }

  /** Ends what is under way: unsaved text is saved, the turn ends. */
  async end(): Promise<void> {
    const { bench } = this;
    for (const path of [...bench.editor.loaded.keys()]) {
      if (bench.editor.isModified(path)) await bench.save(path.slice(bench.top.length + 1));
    }
    if (this.#running) await bench.review.turnEnded();
    this.#running = false;
  }

  get actor(): Actor {
    return this.#running ? 'agent' : 'user';
  }

  /** A text after the changes of a step; tells the model what the user did. */
  #changed(text: string, { changes }: Step, actor: Actor, own: Set<string>): string {
    const all = contents(text);
    for (const [place, count] of changes) {
      // The first line stays: by it a renamed file is known again.
      const at = Math.min(1, all.length) + (place % Math.max(1, all.length));
      if (count === 0) {
        const [gone] = all.splice(at, 1);
        if (gone !== undefined && actor === 'user') own.delete(gone);
        continue;
      }
      const more = Array.from({ length: count }, () => `${actor} ${++this.#lines}`);
      all.splice(at, 0, ...more);
      if (actor === 'user') for (const line of more) own.add(line);
    }
    return lines(...all);
  }

  #type(file: Model, path: string, step: Step): void {
    const at = this.bench.at(path);
    const { text } = this.bench.editor.loaded.get(at)!;
    file.home ??= path;
    this.bench.editor.type(at, this.#changed(text, step, 'user', file.own));
  }

  /** On disk, past the editor. Where a buffer has unsaved text, the user is asked. */
  async #writeDisk(file: Model, path: string, step: Step): Promise<void> {
    const { bench } = this;
    const at = bench.at(path);
    const before = bench.text(path)!;
    const theirs = this.#changed(before, step, this.actor, file.own);
    if (this.actor === 'user') file.home ??= path;
    bench.put(path, theirs);
    if (bench.editor.isModified(at)) {
      const buffer = bench.editor.loaded.get(at)!;
      const mine = buffer.text;
      const merged = merge(before, mine, theirs);
      const ways = merged.conflicts.length > 0 ? [mine, theirs] : [mine, theirs, merged.text];
      Object.assign(buffer, { text: ways[step.pick % ways.length]!, disk: theirs });
      await bench.review.resolved(at, mine, buffer.text);
    }
    bench.editor.check();
    // After each tool call the session looks what it has changed.
    if (this.#running) await bench.review.touched();
  }

  /** `fs/write_text_file`. */
  async #writeThrough(path: string, step: Step): Promise<void> {
    const { bench } = this;
    const at = bench.at(path);
    const disk = bench.text(path)!;
    const before = bench.editor.loaded.get(at)?.text ?? disk;
    const after = this.#changed(before, step, 'agent', new Set());
    const answer = await bench.editor.request('buffer.write', { path: at, text: after });
    if (answer === null) bench.put(path, after);
    await bench.review.wrote(at, before, after, disk);
  }

  #create(step: Step): void {
    const name = `new-${++this.#names}.txt`;
    const own = new Set<string>();
    this.bench.put(name, this.#changed('', { ...step, changes: [[0, 3]] }, this.actor, own));
    this.files.push({ path: name, home: this.#running ? null : name, own });
  }

  #delete(file: Model, path: string): void {
    rmSync(this.bench.at(path));
    file.path = null;
    if (!this.#running) Object.assign(file, { home: null, own: new Set() });
    this.bench.editor.check();
  }

  #rename(file: Model, path: string, step: Step): void {
    const name = `moved-${++this.#names}.txt`;
    renameSync(this.bench.at(path), this.bench.at(name));
    file.path = name;
    // What the user renames and changes at once may be another file.
    if (this.#running && !this.plainRenames) {
      this.bench.put(name, this.#changed(this.bench.text(name)!, step, 'agent', file.own));
    }
    if (!this.#running && file.home !== null) file.home = name;
    this.bench.editor.check();
  }

  async #decide(action: 'keep' | 'reject', step: Step): Promise<void> {
    const { bench } = this;
    const view = await bench.review.show('session');
    const shown = view.files[step.pick % Math.max(1, view.files.length)];
    const hunk = shown?.hunks[step.file % Math.max(1, shown.hunks.length)];
    const file = this.files.find(({ path }) => shown && path === bench.at(shown.path));
    const model =
      file ?? this.files.find(({ path }) => shown && bench.at(path ?? '') === shown.path);
    if (!shown || !hunk || !model || shown.change !== 'modified') return;
    if (bench.editor.isModified(shown.path)) return;
    const text = contents(bench.text(shown.name)!);
    await bench.review.decide('session', action, { path: shown.path, line: hunk.line });
    if (action === 'reject') return;
    for (const line of text.slice(hunk.line - 1, hunk.line - 1 + hunk.count)) model.own.add(line);
    for (const line of hunk.deleted) model.own.delete(line);
  }

  /** All files and their lines. */
  tree(): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const name of new Set(this.files.flatMap(({ path, home }) => [path, home]))) {
      const text = name === null ? null : this.bench.text(name);
      if (name !== null && text !== null) found.set(name, contents(text));
    }
    return found;
  }
}

function contents(text: string): string[] {
  return splitLines(text).map(bare);
}

const step = fc.record<Step>({
  op: fc.constantFrom<Step['op']>(
    ...(['edit', 'edit', 'edit', 'save', 'save', 'open', 'open', 'disk', 'disk', 'disk'] as const),
    ...(['through', 'through', 'create', 'delete', 'rename', 'turn', 'turn', 'turn'] as const),
    ...(['look', 'look', 'keep', 'reject', 'restart'] as const),
  ),
  file: fc.nat(20),
  changes: fc.array(fc.tuple(fc.nat(12), fc.nat(2)), { minLength: 1, maxLength: 3 }),
  pick: fc.nat(20),
});

const start = {
  'a.txt': lines('a 1', 'a 2', 'a 3', 'a 4', 'a 5'),
  'src/b.txt': lines('b 1', 'b 2'),
};
const turn: Step = { op: 'turn', file: 0, changes: [], pick: 0 };

async function play(
  steps: Step[],
  decisions: boolean,
  open?: (top: string) => Promise<Baseline>,
): Promise<Play> {
  const bench = await reviewOf(start, open);
  const played = new Play(bench, Object.keys(start), decisions, open !== undefined);
  for (const each of [turn, ...steps]) await played.step(each);
  await played.end();
  expect(bench.faults).toEqual([]);
  return played;
}

/** Rejecting all leaves what is the user’s or nobody’s, where it was and in its order. */
async function checkRejected(played: Play): Promise<void> {
  const { bench } = played;
  const before = played.tree();
  await bench.review.decide('session', 'reject');
  expectOwn(played, before);
  expect((await bench.review.show('session')).files).toEqual([]);
  expect((await bench.review.show('turn')).files).toEqual([]);
}

/** The tree is that of the user alone. */
function expectOwn(played: Play, before: Map<string, string[]>): void {
  const { files } = played;
  const after = played.tree();
  for (const { path, home, own } of files) {
    // In what the agent created, only what the user typed is left.
    const place = home ?? (own.size > 0 ? path : null);
    if (place === null) {
      if (path !== null) expect(after.get(path), path).toBeUndefined();
      continue;
    }
    const left = after.get(place) ?? [];
    expect([...left].sort(), place).toEqual([...own].sort());
    if (path !== place) expect(after.get(path ?? ''), path ?? '').toBeUndefined();
    const former = before.get(path ?? '') ?? [];
    const shared = former.filter((line) => own.has(line));
    expect(
      left.filter((line) => former.includes(line)),
      place,
    ).toEqual(shared);
  }
}

async function inGit(top: string): Promise<Baseline> {
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: top });
  git('init', '-q');
  git('add', '.');
  return (await openGitBaseline({ root: top, stateDir: realpathSync(tempDir()) }))!;
}

function inFolder(root: string): Promise<Baseline> {
  return openFolderBaseline({ root, stateDir: realpathSync(tempDir()) });
}

const steps = fc.array(step, { minLength: 5, maxLength: 40 });
const timeout = 60_000 + SEEDS * 1000;

/** Plays random steps, and checks what is left. */
async function forAll(
  check: (played: Play) => Promise<void>,
  {
    decisions = false,
    numRuns = SEEDS,
    open,
  }: { decisions?: boolean; numRuns?: number; open?: (top: string) => Promise<Baseline> } = {},
): Promise<void> {
  const property = fc.asyncProperty(steps, async (all) => {
    const played = await play(all, decisions, open);
    await check(played);
    expect(played.bench.faults).toEqual([]);
  });
  await fc.assert(property, { numRuns });
}

test(
  'rejecting all gives the tree without the agent’s edits, and nothing that the user typed is lost',
  { timeout },
  () => forAll(checkRejected),
);

test('decisions about single hunks hold, whatever comes after them', { timeout }, () =>
  forAll(checkRejected, { decisions: true }),
);

test('keeping all leaves the tree as it is, and nothing to decide', { timeout }, () =>
  forAll(async (played) => {
    const { bench } = played;
    const before = played.tree();
    await bench.review.decide('session', 'keep');
    expect(played.tree()).toEqual(before);
    for (const scope of ['session', 'turn'] as const) {
      expect((await bench.review.show(scope)).files).toEqual([]);
    }
    expect(bench.review.pending()).toBeNull();
  }),
);

test(
  'taking back turn by turn ends at the same tree, and taking that back brings all back',
  { timeout },
  () =>
    forAll(async (played) => {
      const { bench } = played;
      const before = played.tree();
      const plans: string[] = [];
      for (let plan; (plan = await bench.review.undoPlan(false)); plans.push(plan.title)) {
        await bench.review.undo(plan.id);
      }
      // No more than the last ten can be taken back.
      if (played.turns <= 10) expectOwn(played, before);
      for (let plan; (plan = await bench.review.undoPlan(true));) await bench.review.undo(plan.id);
      expect(played.tree()).toEqual(before);
    }),
);

for (const [name, open] of [
  ['git', inGit],
  ['a folder', inFolder],
] as const) {
  test(`the same with ${name} as the record`, { timeout }, () =>
    forAll(checkRejected, { numRuns: Math.max(3, Math.round(SEEDS / 100)), open }),
  );
}
