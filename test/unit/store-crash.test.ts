import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempDir, whenDone } from '../harness';
import { comparable, Life, readBack, storeIn } from './store-life';

const ATTACHED = [{ type: 'file' as const, path: '/project/ö.ts' }];

/** A session with all that there is, and what it held after each flush, by the length of its file. */
function lived() {
  const { store, sessions } = storeIn(tempDir());
  const journal = store.create({ agent: 'demo', cwd: '/project' });
  const life = new Life(journal);
  const states = new Map<number, object>();
  const path = (): string => join(sessions, readdirSync(sessions)[0]!, `${journal.key}.jsonl`);
  const flush = (): void => {
    life.flush();
    states.set(readFileSync(path()).length, life.kept);
  };
  life.type('fix thé bug 🐞');
  flush();
  life.type('', []);
  life.prompt('fix thé bug 🐞');
  life.recorder.bind('agent-1');
  flush();
  life.says('I am löok');
  flush();
  life.says('ing at it. \ud83d');
  flush();
  life.says('\udc1e');
  life.asks({
    toolCallId: 'c',
    title: 'make',
    content: [{ type: 'content', content: { type: 'text', text: 'a' } }],
  });
  flush();
  life.prompt('and then?', ATTACHED);
  life.type('more', ATTACHED);
  flush();
  life.prompt('last', []);
  life.type('mo');
  life.reducer.waiting(life.waiting.reverse());
  flush();
  life.remove(life.waiting[1]!);
  life.type('and then?\nmo', ATTACHED);
  life.recorder.title('The bug');
  flush();
  life.end();
  flush();
  return { key: journal.key, bytes: readFileSync(path()), states, journal };
}

describe('a journal that was cut off', () => {
  it('holds at every byte what its complete lines say', () => {
    const { bytes, states, journal } = lived();
    journal.close();
    expect(states.size).toBe(9);
    let complete: object | null = null;
    for (let length = 0; length <= bytes.length; length++) {
      const stored = readBack(bytes, length);
      const state = stored && comparable(stored);
      if (bytes[length - 1] === 0x0a) complete = state;
      expect(state).toEqual(complete);
      if (states.has(length)) expect(state).toEqual(states.get(length));
    }
  });

  it('never holds a text twice or not at all, wherever it was cut', () => {
    const { bytes, journal } = lived();
    journal.close();
    const count = (text: string, word: string): number => text.split(word).length - 1;
    let typed = false;
    let queued = false;
    for (let length = 0; length <= bytes.length; length++) {
      if (bytes[length - 1] !== 0x0a) continue;
      const text = JSON.stringify(readBack(bytes, length)?.blocks ?? []);
      const draft = readBack(bytes, length)?.draft.text ?? '';
      const bugs = count(text, 'fix thé bug') + count(draft, 'fix thé bug');
      const thens = count(text, 'and then?') + count(draft, 'and then?');
      typed ||= bugs === 1;
      queued ||= thens === 1;
      expect(bugs).toBe(typed ? 1 : 0);
      expect(thens).toBe(queued ? 1 : 0);
    }
    expect(typed && queued).toBe(true);
  });

  it('is gone on with, wherever it was cut', async () => {
    const { bytes, key, journal } = lived();
    journal.close();
    const head = bytes.indexOf(0x0a) + 1;
    const { store, faults, sessions } = storeIn(tempDir());
    const path = join(sessions, '0123456789abcdef', `${key}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    for (let length = head; length <= bytes.length; length++) {
      const nearEnd = bytes.subarray(length - 2, length + 1).includes(0x0a);
      if (!nearEnd && length % 17 > 0) continue;
      writeFileSync(path, bytes.subarray(0, length));
      const { journal: again, stored } = await store.open(key);
      const life = new Life(again, stored);
      for (const { block, attachments } of stored.queue) life.attachments.set(block, attachments);
      life.prompt('go on');
      life.says('yes');
      life.flush();
      expect(comparable(readBack(readFileSync(path))!)).toEqual(life.kept);
      again.close();
    }
    expect(faults).toEqual([]);
  });
});

describe('what a dead process left', () => {
  it('is a line without an end: it is ended, and stays ignored though it is whole', async () => {
    const { store, faults, sessions } = storeIn(tempDir());
    const first = new Life(store.create({ agent: 'demo', cwd: '/project' }));
    first.prompt('one');
    first.flush();
    first.journal.close();
    const path = join(sessions, readdirSync(sessions)[0]!, `${first.journal.key}.jsonl`);
    appendFileSync(path, '{"k":"title","title":"never finished"}');
    expect((await store.read(first.journal.key))!.title).toBeNull();
    const { journal, stored } = await store.open(first.journal.key);
    const second = new Life(journal, stored);
    second.says('two');
    second.flush();
    journal.close();
    const read = (await store.read(first.journal.key))!;
    expect(read.title).toBeNull();
    expect(read.blocks.map(({ kind }) => kind)).toEqual(['user', 'turn', 'message']);
    expect(faults).toEqual([]);
  });

  it('is skipped and told once where it can not be read', async () => {
    const { store, faults, sessions } = storeIn(tempDir());
    const life = new Life(store.create({ agent: 'demo', cwd: '/project' }));
    life.prompt('one');
    life.flush();
    life.journal.close();
    const { key } = life.journal;
    const path = join(sessions, readdirSync(sessions)[0]!, `${key}.jsonl`);
    appendFileSync(path, '\u0000\u0000\nnonsense\n{"k":"text","id":"b99","text":"?"}\n');
    appendFileSync(path, '[1]\n{"k":"block","block":{"kind":"user","id":"b7","text":5}}\n');
    appendFileSync(
      path,
      '{"k":"mood","of":"a later version"}\n{"k":"title","title":"still read"}\n',
    );
    const stored = await store.read(key);
    await store.read(key);
    expect(stored).toMatchObject({ title: 'still read', blocks: [{ text: 'one' }] });
    expect(faults).toEqual([expect.stringMatching(/5 of its records can't be read/)]);
    expect(faults.join()).not.toContain('nonsense');
  });

  it('is of a newer version: it is read, said so, and left as it is', async () => {
    const { store, faults, sessions } = storeIn(tempDir());
    const folder = join(sessions, '0123456789abcdef');
    mkdirSync(folder, { recursive: true });
    const key = '20300101T000000-0123456789';
    const path = join(folder, `${key}.jsonl`);
    const text =
      '{"k":"head","v":2,"agent":"a","cwd":"/p","time":1}\n{"k":"block","block":{"id":"b1","kind":"hologram"}}\n' +
      '{"k":"title","title":"from tomorrow"}\n';
    writeFileSync(path, text);
    const { journal, stored } = await store.open(key);
    expect(journal.readonly).toBe(true);
    expect(stored.title).toBe('from tomorrow');
    const life = new Life(journal, stored);
    life.prompt('hello');
    life.flush();
    journal.close();
    await expect(store.rename(key, 'x')).rejects.toThrow(/newer version/);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(folder)).toEqual([`${key}.jsonl`]);
    expect(faults).toEqual([expect.stringMatching(/newer version .* only read/)]);
  });
});

/** A process that keeps a session, told what to do by its arguments. */
describe('another process', () => {
  let program: string;
  beforeAll(async () => {
    program = join(tempDir(), 'writer.cjs');
    const entry = `
      import { Life, storeIn } from './store-life';
      const [, , dir, what] = process.argv;
      const { store } = storeIn(dir);
      const say = (text) => process.stdout.write(text + '\\n');
      if (what === 'write') {
        const life = new Life(store.create({ agent: 'demo', cwd: dir }));
        life.prompt('count');
        for (let n = 1; ; n++) {
          life.says(n + ' ');
          life.type('draft ' + n);
          life.flush();
          if (n === 1) say(life.journal.key);
          require('node:fs').writeSync(1, n + '\\n');
        }
      } else {
        store.open(what).then(() => { say('open'); setInterval(() => {}, 1000); }, (error) => say(error.name));
      }`;
    await build({
      stdin: { contents: entry, resolveDir: import.meta.dirname, loader: 'ts' },
      outfile: program,
      bundle: true,
      platform: 'node',
      logLevel: 'error',
    });
  });

  const run = (...args: string[]) => {
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => void (out += chunk.toString()));
    whenDone(() => void child.kill('SIGKILL'));
    return { child, said: () => out.trim().split('\n'), closed: once(child, 'close') };
  };

  it('that was killed while it wrote has lost nothing that it had told', async () => {
    for (let n = 0; n < 8; n++) {
      const dir = tempDir();
      const writer = run(dir, 'write');
      await once(writer.child.stdout, 'data');
      await delay(n * 9);
      writer.child.kill('SIGKILL');
      await writer.closed;
      const [key, ...told] = writer.said();
      const { store, faults } = storeIn(dir);
      const last = Number(told.at(-1) ?? 0);
      const { stored, journal } = await store.open(key!);
      const message = stored.blocks.find(({ kind }) => kind === 'message');
      const numbers = String((message as { text: unknown }).text)
        .trim()
        .split(' ')
        .map(Number);
      expect(numbers).toEqual(numbers.map((_, i) => i + 1));
      expect(numbers.length).toBeGreaterThanOrEqual(last);
      expect(Number(stored.draft.text.replace('draft ', ''))).toBeGreaterThanOrEqual(last);
      expect(stored.interrupted).toBe(true);
      expect(faults).toEqual([]);
      journal.close();
    }
  });

  it('that has a session open keeps it from others until it is gone', async () => {
    const dir = tempDir();
    const { store } = storeIn(dir);
    const life = new Life(store.create({ agent: 'demo', cwd: dir }));
    life.prompt('hello');
    life.flush();
    const { key } = life.journal;
    await expect(store.open(key)).rejects.toThrow('open here already');
    const late = run(dir, key);
    await late.closed;
    expect(late.said()).toEqual(['SessionBusy']);
    life.journal.close();
    const other = run(dir, key);
    await once(other.child.stdout, 'data');
    expect(other.said()).toEqual(['open']);
    await expect(store.open(key)).rejects.toMatchObject({
      name: 'SessionBusy',
      pid: other.child.pid,
    });
    await expect(store.remove(key)).rejects.toThrow('in another Neovim');
    await expect(store.rename(key, 'x')).rejects.toThrow('in another Neovim');
    expect(await store.list()).toMatchObject([{ key, busy: true }]);
    expect((await store.read(key))!.blocks).toHaveLength(1);
    other.child.kill('SIGKILL');
    await other.closed;
    expect(await store.list()).toMatchObject([{ key, busy: false }]);
    const { journal } = await store.open(key);
    journal.close();
  });

  it('that has the number of a dead one is not taken for it', async () => {
    const { store, sessions } = storeIn(tempDir());
    const life = new Life(store.create({ agent: 'demo', cwd: '/project' }));
    life.prompt('hello');
    life.flush();
    life.journal.close();
    const { key } = life.journal;
    const lock = join(sessions, readdirSync(sessions)[0]!, `${key}.lock`);
    writeFileSync(lock, JSON.stringify({ pid: process.ppid, start: '1' }));
    const { journal } = await store.open(key);
    journal.close();
    // One that has only just begun to write its name is waited for.
    writeFileSync(lock, '');
    await expect(store.open(key)).rejects.toMatchObject({ name: 'SessionBusy' });
  });
});

describe('a line of a journal', () => {
  it('is what belongs together', () => {
    const { bytes, journal } = lived();
    journal.close();
    const lines = bytes.toString().trim().split('\n');
    const together = lines.map((line) => JSON.parse(line) as { k: string }[]);
    const sent = together.find(
      (line) => Array.isArray(line) && line.some(({ k }) => k === 'queued'),
    );
    expect(sent?.map(({ k }) => k)).toEqual(['block', 'queued', 'draft', 'attached']);
  });
});
