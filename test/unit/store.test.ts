import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Recorder } from '../../src/store/recorder';
import { transcriptOf } from '../../src/store/transcript';
import { tempDir } from '../harness';
import { comparable, Life, modeOf, recordsOf, storeIn, terminal } from './store-life';

const DAY = 24 * 3600 * 1000;

function begun(of: ReturnType<typeof storeIn>, cwd = '/project', text = 'hello') {
  const life = new Life(of.store.create({ agent: 'demo', cwd }));
  life.prompt(text);
  life.flush();
  return life;
}

/** All files below a folder, by their names in it. */
function files(dir: string): string[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => statSync(join(dir, name)).isFile());
}

function pathOf({ sessions }: { sessions: string }, key: string): string {
  return join(
    sessions,
    files(sessions).find((name) => name.endsWith(`${key}.jsonl`))!,
  );
}

describe('a session', () => {
  it('has no file before it holds a prompt, a draft or a queue', () => {
    const at = storeIn(tempDir());
    const life = new Life(at.store.create({ agent: 'demo', cwd: '/project', title: 'T' }));
    life.recorder.bind('agent-1');
    life.recorder.settings({ mode: 'plan' });
    life.reducer.notice('info', 'hello', '', 0);
    life.type('  \n');
    life.flush();
    expect(life.journal.kept).toBe(false);
    expect(existsSync(at.sessions)).toBe(false);
    life.type('  \nwhy');
    life.flush();
    expect(life.journal.kept).toBe(true);
    expect(recordsOf(pathOf(at, life.journal.key)).map(({ k }) => k)).toEqual([
      'head',
      'title',
      'agent',
      'settings',
      'draft',
      'block',
      'summary',
      'draft',
      'summary',
    ]);
  });

  it('leaves no file when it ends with neither prompt nor draft', async () => {
    const at = storeIn(tempDir());
    const life = new Life(at.store.create({ agent: 'demo', cwd: '/project' }));
    life.type('why');
    life.flush();
    life.type('');
    life.recorder.close();
    expect(files(at.sessions)).toEqual([]);
    // The same for one that was opened.
    const other = new Life(at.store.create({ agent: 'demo', cwd: '/project' }));
    other.type('why');
    other.recorder.close();
    expect(files(at.sessions)).toEqual([expect.stringMatching(/\.jsonl$/)]);
    const { journal, stored } = await at.store.open(other.journal.key);
    const again = new Life(journal, stored);
    expect(again.draft.text).toBe('why');
    again.type('');
    again.recorder.close();
    expect(files(at.sessions)).toEqual([]);
  });

  it('can be read by its user alone', () => {
    const at = storeIn(tempDir());
    mkdirSync(at.sessions, { mode: 0o755 });
    const life = begun(at);
    const path = pathOf(at, life.journal.key);
    expect(modeOf(at.sessions)).toBe('700');
    expect(modeOf(dirname(path))).toBe('700');
    expect(modeOf(path)).toBe('600');
    expect(modeOf(path.replace('.jsonl', '.lock'))).toBe('600');
  });

  it('lies in the folder of the real path', async () => {
    const at = storeIn(tempDir());
    const project = tempDir();
    const link = join(tempDir(), 'link');
    symlinkSync(project, link);
    begun(at, link).recorder.close();
    begun(at, '/gone/for/good').recorder.close();
    expect(await at.store.list(project)).toMatchObject([{ cwd: link }]);
    expect(await at.store.list('/gone/for/good')).toHaveLength(1);
    expect(await at.store.list('/elsewhere')).toEqual([]);
    expect(await at.store.list()).toHaveLength(2);
  });

  it('that no file is of is no session, whatever its key', async () => {
    const { store } = storeIn(tempDir());
    for (const key of ['', '../../etc/passwd', '20250101T000000-0123456789']) {
      expect(await store.read(key)).toBeNull();
      await expect(store.open(key)).rejects.toThrow('no such session');
      await store.remove(key);
    }
  });

  it('comes back as it was left', async () => {
    const at = storeIn(tempDir());
    const life = begun(at);
    life.recorder.bind('agent-1');
    life.recorder.title('Hello');
    life.recorder.settings({ mode: 'plan', thinking: true });
    life.says('Hi.');
    life.end();
    life.type('and', [{ type: 'file', path: '/project/a' }]);
    at.clock.now += 5000;
    life.recorder.close();
    const { journal, stored } = await at.store.open(life.journal.key);
    expect(stored).toMatchObject({
      key: life.journal.key,
      agent: 'demo',
      cwd: '/project',
      agentSession: 'agent-1',
      title: 'Hello',
      settings: { mode: 'plan', thinking: true },
      draft: { text: 'and', attachments: [{ type: 'file', path: '/project/a' }] },
      updated: at.clock.now,
      interrupted: false,
      queue: [],
    });
    journal.close();
  });

  it('that is only looked at is not written to', async () => {
    const at = storeIn(tempDir());
    const life = begun(at);
    life.prompt('later', [{ type: 'conversation' }]);
    life.end();
    life.flush();
    life.recorder.close();
    const path = pathOf(at, life.journal.key);
    const before = readFileSync(path);
    const { journal, stored } = await at.store.open(life.journal.key);
    const { recorder } = new Life(journal, stored);
    // Whoever opens it says again what it holds.
    recorder.queued(stored.queue[0]!.block, [{ type: 'conversation' }]);
    recorder.draft(stored.draft);
    recorder.title(stored.title);
    recorder.flush();
    recorder.close();
    expect(readFileSync(path)).toEqual(before);
  });

  it('whose turn was lost says so once, however often it is opened', async () => {
    const at = storeIn(tempDir());
    const life = begun(at);
    life.update({
      sessionUpdate: 'tool_call',
      toolCallId: 'c',
      title: 'make',
      status: 'in_progress',
    });
    life.flush();
    const [before] = await at.store.list();
    life.journal.close();
    for (let n = 0; n < 3; n++) {
      const { journal, stored } = await at.store.open(life.journal.key);
      expect(stored.interrupted).toBe(n === 0);
      const again = new Life(journal, stored);
      expect([...again.transcript.blocks.values()].map(({ kind }) => kind)).toEqual([
        'user',
        'tool',
        'turn',
      ]);
      expect(again.transcript.blocks.get('b2')).toMatchObject({ status: 'ended' });
      expect(again.transcript.blocks.get('b3')).toMatchObject({
        stopReason: 'interrupted',
        tools: 1,
      });
      again.recorder.close();
    }
    // Nothing was said in it meanwhile.
    expect(await at.store.list()).toMatchObject([
      { updated: expect.closeTo(before!.updated, -2) as number },
    ]);
  });

  it('whose prompt waited for its agent has it in the queue, with what goes along', async () => {
    const at = storeIn(tempDir());
    const life = new Life(at.store.create({ agent: 'demo', cwd: '/project' }));
    const attachments = [{ type: 'text' as const, text: 'let a;' }];
    const id = life.reducer.user('hello', [], 0, false);
    life.recorder.queued(id, attachments);
    life.flush();
    const { key } = life.journal;
    expect((await at.store.read(key))!.queue).toEqual([{ block: id, text: 'hello', attachments }]);
    life.journal.close();
    const { journal, stored } = await at.store.open(key);
    const again = new Life(journal, stored);
    expect(again.waiting).toEqual([id]);
    again.start(id);
    again.flush();
    expect((await at.store.read(key))!.queue).toEqual([]);
    journal.close();
  });

  it('is deleted, open or not', async () => {
    const at = storeIn(tempDir());
    const life = begun(at);
    await at.store.remove(life.journal.key);
    life.prompt('more');
    life.flush();
    life.recorder.close();
    expect(files(at.sessions)).toEqual([]);
    const other = begun(at);
    other.recorder.close();
    await at.store.remove(other.journal.key);
    expect(files(at.sessions)).toEqual([]);
    expect(at.faults).toEqual([]);
  });

  it('is renamed, and not newer for that', async () => {
    const at = storeIn(tempDir());
    const life = begun(at);
    life.recorder.close();
    const [before] = await at.store.list();
    at.clock.now += DAY;
    await at.store.rename(life.journal.key, 'A new name');
    expect(await at.store.list()).toEqual([{ ...before, title: 'A new name' }]);
    expect((await at.store.read(life.journal.key))!.title).toBe('A new name');
  });
});

describe('a session that begins like another', () => {
  it('is kept whole from its first flush on', async () => {
    const at = storeIn(tempDir());
    const life = begun(at);
    life.says('Hi.');
    life.end();
    life.flush();
    const { key } = life.journal;
    const stored = (await at.store.read(key))!;
    const journal = at.store.create({ agent: 'demo', cwd: '/project', title: 'Fork' });
    const fork = new Recorder({ journal, transcript: transcriptOf(stored) });
    fork.flush();
    const copy = (await at.store.read(journal.key))!;
    expect(copy.title).toBe('Fork');
    expect((await at.store.list()).map(({ title }) => title).sort()).toEqual(['Fork', null]);
    expect(comparable(copy)).toEqual(comparable(stored));
    fork.close();
    life.recorder.close();
  });

  it('has not what waits there', async () => {
    const at = storeIn(tempDir());
    const life = begun(at);
    life.prompt('later');
    life.flush();
    const stored = (await at.store.read(life.journal.key))!;
    expect(transcriptOf(stored).order).toEqual(['b1', 'b3', 'b2']);
    expect(transcriptOf({ ...stored, queue: [] }).order).toEqual(['b1', 'b2']);
    life.recorder.close();
  });
});

describe('the list', () => {
  it('tells how a session began, what was said last, and what waits', async () => {
    const at = storeIn(tempDir());
    const life = begun(at, '/project', `How?\n${'x'.repeat(1000)}`);
    life.says('# So\n\nand so.\n');
    life.end();
    life.prompt('Why?');
    life.says(`${'A line of a long answer that nobody reads to its end. '.repeat(9)}\n`.repeat(50));
    life.says('Because \u001b[31mof\u202e that.');
    life.recorder.bind('agent-1');
    life.type('mm');
    life.recorder.close();
    const [row] = await at.store.list();
    expect(row).toMatchObject({
      key: life.journal.key,
      agent: 'demo',
      agentSession: 'agent-1',
      title: null,
      prompts: 2,
      draft: true,
      busy: false,
    });
    expect(row!.first).toMatch(/^How\?\nx+$/);
    expect(row!.first.length).toBe(500);
    expect(row!.last[0]).toBe('> Why?');
    expect(row!.last.at(-1)).toMatch(/^Because \^\[\[31mof.* that\.$/);
    expect(row!.last.length).toBeGreaterThan(3);
    expect(Buffer.byteLength(row!.last.join('\n'))).toBeLessThanOrEqual(2048);
  });

  it('tells of a session that crashed, and of one that is open', async () => {
    const at = storeIn(tempDir());
    const life = begun(at);
    life.says('x'.repeat(100_000));
    life.flush();
    expect(await at.store.list()).toMatchObject([{ first: 'hello', prompts: 1, draft: false }]);
    life.type('w');
    life.flush();
    expect(await at.store.list()).toMatchObject([{ draft: true, busy: false }]);
    truncateSync(pathOf(at, life.journal.key), statSync(pathOf(at, life.journal.key)).size - 3);
    expect(await at.store.list()).toMatchObject([{ first: 'hello', draft: true }]);
  });

  it('leaves out what is no session, and is in order of use', async () => {
    const at = storeIn(tempDir());
    const keys = ['a', 'b', 'c'].map((text) => {
      at.clock.now += 1000;
      const life = begun(at, '/project', text);
      life.recorder.close();
      return life.journal.key;
    });
    const folder = dirname(pathOf(at, keys[0]!));
    writeFileSync(join(folder, 'notes.jsonl'), 'mine');
    writeFileSync(join(folder, '20250101T000000-0123456789.jsonl'), '{"k":"he');
    writeFileSync(join(at.sessions, 'stray'), '');
    // Whoever reads a pipe waits for ever.
    execFileSync('mkfifo', [join(folder, '20250101T000000-0123456780.jsonl')]);
    mkdirSync(join(folder, '20250101T000000-0123456781.jsonl'));
    expect((await at.store.list()).map(({ first }) => first)).toEqual(['c', 'b', 'a']);
    expect(await at.store.read('20250101T000000-0123456780')).toBe(null);
    expect(at.faults).toEqual([]);
  });

  it('reads of long sessions their beginnings and ends only', async () => {
    const at = storeIn(tempDir());
    const life = begun(at);
    life.end();
    life.recorder.close();
    const path = pathOf(at, life.journal.key);
    const bytes = readFileSync(path);
    // 500 of 20 MB, with a hole in the middle.
    for (let n = 0; n < 500; n++) {
      const name = `20250101T000000-${n.toString(16).padStart(10, '0')}.jsonl`;
      const long = join(dirname(path), name);
      writeFileSync(long, bytes);
      truncateSync(long, 20_000_000);
      appendFileSync(long, Buffer.concat([Buffer.from('\n'), bytes]));
    }
    const start = performance.now();
    const rows = await at.store.list('/project');
    expect(performance.now() - start).toBeLessThan(3000);
    expect(rows).toHaveLength(501);
    expect(new Set(rows.map(({ first }) => first))).toEqual(new Set(['hello']));
  });
});

describe('retention', () => {
  /** Sessions of so many bytes and days. */
  function kept(at: ReturnType<typeof storeIn>, ...all: [bytes: number, days: number][]): string[] {
    return all.map(([bytes, days]) => {
      const life = begun(at, '/project', 'x'.repeat(bytes));
      life.recorder.close();
      const time = new Date(at.clock.now - days * DAY);
      utimesSync(pathOf(at, life.journal.key), time, time);
      return life.journal.key;
    });
  }
  const rest = async ({ store }: ReturnType<typeof storeIn>): Promise<string[]> =>
    (await store.list()).map(({ key }) => key).sort();

  it('removes what was not used for too long', async () => {
    const at = storeIn(tempDir(), { maxAgeMs: 90 * DAY, maxBytes: 1e9 });
    const [, young] = kept(at, [10, 91], [10, 89]);
    await at.store.sweep();
    expect(await rest(at)).toEqual([young]);
  });

  it('removes the oldest of what is too much', async () => {
    const at = storeIn(tempDir(), { maxAgeMs: 90 * DAY, maxBytes: 50_000 });
    const [, b, c] = kept(at, [20_000, 3], [20_000, 2], [20_000, 1]);
    await at.store.sweep();
    expect(await rest(at)).toEqual([b, c].sort());
  });

  it('never removes what is in use, and clears away what the dead left', async () => {
    const at = storeIn(tempDir(), { maxAgeMs: 90 * DAY, maxBytes: 1 });
    const life = begun(at);
    const path = pathOf(at, life.journal.key);
    utimesSync(path, new Date(0), new Date(0));
    const other = begun(at, '/other');
    other.recorder.close();
    const folder = dirname(pathOf(at, other.journal.key));
    writeFileSync(join(folder, '20250101T000000-0123456789.lock'), '{"pid":99999999,"start":null}');
    const claim = join(folder, '20250101T000000-0123456789.lock.claim');
    writeFileSync(claim, '');
    utimesSync(claim, new Date(0), new Date(0));
    await at.store.sweep();
    expect(files(at.sessions).sort()).toEqual(
      files(dirname(path))
        .map((name) => join(path.split('/').at(-2)!, name))
        .sort(),
    );
    expect(existsSync(path)).toBe(true);
    expect(existsSync(folder)).toBe(false);
    life.recorder.close();
    expect(at.faults).toEqual([]);
  });
});

describe('what can not be written', () => {
  it.skipIf(process.getuid?.() === 0)(
    'because of its folder is told once and kept until it can',
    () => {
      const dir = tempDir();
      const at = storeIn(dir);
      chmodSync(dir, 0o500);
      const life = begun(at);
      life.says('one');
      life.flush();
      chmodSync(dir, 0o700);
      expect(at.faults).toHaveLength(1);
      life.says(' two');
      life.flush();
      expect(recordsOf(pathOf(at, life.journal.key)).at(-1)).toMatchObject({ text: ' two' });
    },
  );

  it('because a file is in the way is told once and kept until it can', async () => {
    const dir = tempDir();
    const at = storeIn(dir);
    writeFileSync(at.sessions, 'in the way');
    const life = begun(at);
    life.says('one');
    life.flush();
    life.says(' two');
    life.flush();
    expect(at.faults).toEqual([expect.stringMatching(/sessions.*can't be kept \(.*file/)]);
    rmSync(at.sessions);
    life.says(' three');
    life.flush();
    const stored = (await at.store.read(life.journal.key))!;
    expect(stored.blocks.map((block) => 'text' in block && String(block.text))).toEqual([
      'hello',
      'one two three',
    ]);
    life.recorder.close();
  });

  it.each([
    ['all', (at: { sessions: string }) => rmSync(at.sessions, { recursive: true })],
    [
      'its file',
      (at: { sessions: string }) => {
        for (const name of files(at.sessions)) {
          if (name.endsWith('.jsonl')) rmSync(join(at.sessions, name));
        }
      },
    ],
  ])('because %s was deleted begins again, whole', async (_, remove) => {
    const at = storeIn(tempDir());
    const life = begun(at);
    life.recorder.bind('agent-1');
    life.recorder.settings({ mode: 'plan' });
    life.prompt('later', [{ type: 'file', path: '/a' }]);
    life.type('mm');
    life.reducer.terminalChanged(terminal('t', 'out'), '', 0);
    life.update({
      sessionUpdate: 'tool_call',
      toolCallId: 'c',
      content: [{ type: 'terminal', terminalId: 't' }],
    });
    life.flush();
    const before = (await at.store.read(life.journal.key))!;
    remove(at);
    life.says('still here');
    life.flush();
    const after = (await at.store.read(life.journal.key))!;
    expect(after).toMatchObject({
      ...before,
      blocks: expect.anything() as object,
      updated: expect.anything() as number,
    });
    expect(after.blocks).toMatchObject([
      ...before.blocks.slice(0, 2),
      { kind: 'message' },
      before.blocks[2],
    ]);
    expect(at.faults).toEqual([]);
    life.recorder.close();
  });
});
