/** Writes of agents over text that the user changed meanwhile. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Files, type Gate } from '../../src/client/files';
import type { Editor } from '../../src/nvim/editor';
import { tempDir } from '../harness';

/** An editor with buffers that are saved to disk, as Neovim does it: never over a change of the file that they lack. */
class FakeEditor {
  readonly buffers = new Map<string, { text: string; modified: boolean; seen: string }>();
  checks = 0;
  /** Called when a buffer has been saved, before that is answered. */
  saved = (): void => {};

  open(path: string): void {
    const text = readFileSync(path, 'utf8');
    this.buffers.set(path, { text, modified: false, seen: text });
  }

  type(path: string, text: string): void {
    Object.assign(this.buffers.get(path)!, { text, modified: true });
  }

  /** Called before something is written. */
  writing = (): void => {};

  async request(
    method: string,
    params: { path: string; text: string; was?: string },
  ): Promise<unknown> {
    if (method === 'buffers.check') this.checks++;
    if (method === 'buffer.write' || method === 'buffer.resolve') this.writing();
    if (method === 'buffers.unsaved') {
      return [...this.buffers].flatMap(([path, it]) =>
        it.modified ? { path, text: it.text } : [],
      );
    }
    const buffer = this.buffers.get(params.path);
    if (!buffer) return null;
    const disk = existsSync(params.path) ? readFileSync(params.path, 'utf8') : buffer.seen;
    if (!buffer.modified) Object.assign(buffer, { text: disk, seen: disk });
    if (method === 'buffer.read') return { text: buffer.text };
    if (params.was !== undefined && params.was !== buffer.text) return { stale: true };
    if (method === 'buffer.resolve') {
      Object.assign(buffer, { text: params.text, modified: true, seen: disk });
      return { ok: true };
    }
    if (disk !== buffer.seen && disk !== params.text) return { error: 'outdated' };
    writeFileSync(params.path, params.text);
    Object.assign(buffer, { text: params.text, modified: false, seen: params.text });
    this.saved();
    return { ok: true };
  }
}

const TEXT = 'one\ntwo\nthree\nfour\nfive\n';
const AGENTS = 'ONE\ntwo\nthree\nfour\nfive\n';
const USERS = 'one\ntwo\nthree\nfour\nFIVE\n';
const BOTH = 'ONE\ntwo\nthree\nfour\nFIVE\n';

let editor: FakeEditor;
let a: string;
let files: Files;
let manners: string[];
let wrote: string[];
let baseText: (path: string) => Promise<string | null>;

const open = (gate?: Gate): Files =>
  new Files({
    editor: editor as unknown as Editor,
    roots: () => [tempRoot],
    ...(gate && { gate }),
    baseText: (path) => baseText(path),
    onManner: (manner) => manners.push(manner),
    onWrote: (_, { after }) => wrote.push(after),
  });
let tempRoot: string;

beforeEach(() => {
  tempRoot = tempDir();
  editor = new FakeEditor();
  manners = [];
  wrote = [];
  baseText = async () => null;
  files = open();
  a = join(tempRoot, 'a');
  writeFileSync(a, TEXT);
});

const read = (params: object = {}): Promise<unknown> => files.readTextFile({ path: a, ...params });
const write = (content: string): Promise<unknown> => files.writeTextFile({ path: a, content });
const disk = (): string => readFileSync(a, 'utf8');

describe('a write over a file that the agent has read', () => {
  test('keeps what the user saved since, also where only a part was read', async () => {
    await read({ line: 1, limit: 1 });
    writeFileSync(a, USERS);
    await write(AGENTS);
    expect(disk()).toBe(BOTH);
  });

  test('keeps what the user typed and did not save', async () => {
    editor.open(a);
    await read();
    editor.type(a, USERS);
    await write(AGENTS);
    expect(disk()).toBe(BOTH);
  });

  test('is refused where the user changed the same lines, which are named', async () => {
    await read();
    writeFileSync(a, 'mine\nmine too\ntwo\nthree\nfour\nfive\n');
    await expect(write(AGENTS)).rejects.toThrow(/user has changed.*lines 1-2.*Read the file again/);
    expect(disk()).toMatch(/^mine\n/);
    await read();
    await write(AGENTS);
    expect(disk()).toBe(AGENTS);
  });

  test('stays refused until it is read again', async () => {
    await read();
    writeFileSync(a, 'mine\ntwo\n');
    await expect(write(AGENTS)).rejects.toThrow(/line 1/);
    await expect(write(AGENTS)).rejects.toThrow(/line 1/);
  });

  test('goes through as it is where nothing was changed since', async () => {
    await read();
    await write(AGENTS);
    expect(disk()).toBe(AGENTS);
  });

  test('keeps the user’s text in a second write that does not know it either', async () => {
    await read();
    writeFileSync(a, USERS);
    await write(AGENTS);
    await write(AGENTS.replace('three', 'THREE'));
    expect(disk()).toBe(BOTH.replace('three', 'THREE'));
  });

  test('does not bring back what the user has deleted since', async () => {
    await read();
    writeFileSync(a, 'one\ntwo\n');
    await write(AGENTS);
    expect(disk()).toBe('ONE\ntwo\n');
  });

  test('has CRLF and a byte order mark of its own where the file has them', async () => {
    const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
    writeFileSync(a, `\uFEFF${crlf(TEXT)}`);
    await read();
    writeFileSync(a, `\uFEFF${crlf(USERS)}`);
    await write(AGENTS);
    expect(disk()).toBe(`\uFEFF${crlf(BOTH)}`);
    await write(`\uFEFF${BOTH.replace('two', 'TWO')}`);
    expect(disk()).toBe(`\uFEFF${crlf(BOTH.replace('two', 'TWO'))}`);
    expect(wrote.filter((text) => text.startsWith('\uFEFF'))).toEqual([]);
  });

  test('keeps the user’s final line without a newline', async () => {
    await read();
    writeFileSync(a, `${TEXT}six`);
    await write(AGENTS);
    expect(disk()).toBe(`${AGENTS}six`);
  });

  test('creates the file anew that was deleted since', async () => {
    await read();
    rmSync(a);
    await write(AGENTS);
    expect(disk()).toBe(AGENTS);
  });

  test('knows the versions of no other session', async () => {
    await read();
    writeFileSync(a, USERS);
    files = open();
    await write(AGENTS);
    expect(disk()).toBe(AGENTS);
  });
});

describe('a write of an agent that reads the disk by itself', () => {
  test('keeps what is typed and not saved', async () => {
    editor.open(a);
    editor.type(a, USERS);
    await write(AGENTS);
    expect(disk()).toBe(BOTH);
    expect(editor.buffers.get(a)!.text).toBe(BOTH);
  });

  test('is refused where it touches that, and the unsaved text stays', async () => {
    editor.open(a);
    editor.type(a, 'mine\ntwo\nthree\nfour\nfive\n');
    await expect(write(AGENTS)).rejects.toThrow(/line 1/);
    await expect(write(AGENTS)).rejects.toThrow(/line 1/);
    expect(editor.buffers.get(a)!.text).toMatch(/^mine/);
  });

  test('is refused once over a saved change: then the agent has been told to look', async () => {
    await write(AGENTS);
    writeFileSync(a, AGENTS.replace('ONE', 'mine'));
    const next = AGENTS.replace('ONE', 'ONCE');
    await expect(write(next)).rejects.toThrow(/line 1/);
    await write(next);
    expect(disk()).toBe(next);
  });

  test('does not empty a buffer of a file that is yet to be written', async () => {
    rmSync(a);
    editor.buffers.set(a, { text: 'typed\n', modified: true, seen: '' });
    await expect(write(AGENTS)).rejects.toThrow(/line 1/);
    expect(editor.buffers.get(a)!.text).toBe('typed\n');
  });

  test('keeps what the user saved in this turn', async () => {
    editor.open(a);
    baseText = async () => TEXT;
    writeFileSync(a, USERS);
    files.saved(a, USERS);
    await write(AGENTS);
    expect(disk()).toBe(BOTH);
    // It does both at once.
    writeFileSync(a, AGENTS);
    await files.recheck();
    expect(disk()).toBe(BOTH);
  });

  test('keeps what is typed while the agent writes the file itself, which is empty just then', async () => {
    editor.open(a);
    baseText = async () => TEXT;
    editor.type(a, USERS);
    writeFileSync(a, '');
    editor.buffers.get(a)!.seen = '';
    await write(AGENTS);
    expect(disk()).toBe(BOTH);
  });

  test('that it has made on disk already brings back what the user saved there before', async () => {
    editor.open(a);
    baseText = async () => TEXT;
    writeFileSync(a, USERS);
    files.saved(a, USERS);
    writeFileSync(a, AGENTS);
    await write(AGENTS);
    expect(disk()).toBe(BOTH);
    expect(editor.buffers.get(a)).toMatchObject({ text: BOTH, modified: false });
    // The agent does not know of it, and goes on from what it wrote.
    const next = AGENTS.replace('two', 'TWO');
    writeFileSync(a, next);
    await write(next);
    expect(disk()).toBe(BOTH.replace('two', 'TWO'));
  });

  test('that it has made on disk already stays where it changes the same lines, or was made in another turn', async () => {
    editor.open(a);
    baseText = async () => TEXT;
    files.saved(a, TEXT.replace('one', 'mine'));
    writeFileSync(a, AGENTS);
    await write(AGENTS);
    expect(disk()).toBe(AGENTS);
    files.saved(a, BOTH);
    files.turnStarted();
    writeFileSync(a, TEXT);
    await write(TEXT);
    expect(disk()).toBe(TEXT);
  });

  test('that it has made on disk already comes into the buffer beside the unsaved text', async () => {
    editor.open(a);
    editor.type(a, USERS);
    writeFileSync(a, AGENTS);
    baseText = async () => TEXT;
    await write(AGENTS);
    expect(disk()).toBe(BOTH);
    expect(manners).toEqual(['by itself']);
  });

  test('that it has made on disk already is left to the user where nobody knows what was there', async () => {
    editor.open(a);
    editor.type(a, USERS);
    writeFileSync(a, AGENTS);
    await write(AGENTS);
    expect(editor.buffers.get(a)!.text).toBe(USERS);
    expect(disk()).toBe(AGENTS);
    expect(editor.checks).toBe(1);
  });

  test('and then writes by itself over the merged text gives way to it again', async () => {
    editor.open(a);
    editor.type(a, USERS);
    await write(AGENTS);
    writeFileSync(a, AGENTS);
    await files.recheck();
    expect(disk()).toBe(BOTH);
    expect(manners).toEqual(['through us', 'by itself']);
    await files.recheck();
    expect(disk()).toBe(BOTH);
  });

  test('and at the same time writes by itself gives way to the merged text, too', async () => {
    editor.open(a);
    editor.type(a, USERS);
    editor.saved = () => {
      editor.saved = () => {};
      writeFileSync(a, AGENTS);
    };
    await write(AGENTS);
    await files.recheck();
    expect(disk()).toBe(BOTH);
    expect(editor.buffers.get(a)!.text).toBe(BOTH);
  });

  test('and writes by itself just before the merged text is written is merged with that', async () => {
    editor.open(a);
    baseText = async () => TEXT;
    editor.type(a, USERS);
    editor.writing = () => {
      editor.writing = () => {};
      writeFileSync(a, AGENTS);
    };
    await write(AGENTS);
    expect(disk()).toBe(BOTH);
    expect(editor.buffers.get(a)).toMatchObject({ text: BOTH, modified: false });
  });

  test('is refused where somebody else changes the file just before the merged text is written', async () => {
    editor.open(a);
    baseText = async () => TEXT;
    editor.type(a, USERS);
    editor.writing = () => writeFileSync(a, 'else\n');
    await expect(write(AGENTS)).rejects.toThrow();
    expect(disk()).toBe('else\n');
    expect(editor.buffers.get(a)).toMatchObject({ text: USERS, modified: true });
  });

  test('and has seen there what was merged keeps what is typed since', async () => {
    editor.open(a);
    editor.type(a, USERS);
    await write(AGENTS);
    editor.type(a, `${BOTH}six\n`);
    await write(BOTH.replace('two', 'TWO'));
    expect(disk()).toBe(`${BOTH.replace('two', 'TWO')}six\n`);
  });

  test('is left alone by that where somebody else wrote something else', async () => {
    editor.open(a);
    editor.type(a, USERS);
    await write(AGENTS);
    writeFileSync(a, 'else\n');
    await files.recheck();
    expect(disk()).toBe('else\n');
  });
});

describe('a write that is asked about', () => {
  const answer = (ask: Gate['ask']): Files => open({ decided: () => null, ask });

  test('shows what would be there, the user’s changes included', async () => {
    let shown: unknown;
    files = answer(async (proposal) => {
      shown = proposal;
      return { text: proposal.after };
    });
    await read();
    writeFileSync(a, USERS);
    await write(AGENTS);
    expect(shown).toEqual({ path: a, named: a, before: USERS, after: BOTH, opaque: false });
    expect(disk()).toBe(BOTH);
  });

  test('is merged with what was typed while it was asked', async () => {
    editor.open(a);
    files = answer(async ({ after }) => {
      editor.type(a, USERS);
      return { text: after };
    });
    await write(AGENTS);
    expect(disk()).toBe(BOTH);
  });

  test('is not asked about where it changes nothing, or can’t be made', async () => {
    files = answer(async () => {
      throw new Error('asked');
    });
    await write(TEXT);
    await read();
    writeFileSync(a, 'mine\n');
    await expect(write(AGENTS)).rejects.toThrow(/Read the file again/);
  });

  test('lets reads of the file go on meanwhile', async () => {
    let allow = (): void => {};
    const allowed = new Promise<void>((resolve) => (allow = resolve));
    files = answer(async ({ after }) => {
      await allowed;
      return { text: after };
    });
    const writing = write(AGENTS);
    expect(await read()).toEqual({ content: TEXT });
    allow();
    await writing;
    expect(disk()).toBe(AGENTS);
  });

  test('that the user changed by hand is what the agent’s next write is merged with', async () => {
    files = open({
      decided: (_, content) => (content === AGENTS ? BOTH : content),
      ask: undefined!,
    });
    await read();
    await write(AGENTS);
    expect(disk()).toBe(BOTH);
    await write(AGENTS.replace('two', 'TWO'));
    expect(disk()).toBe(BOTH.replace('two', 'TWO'));
  });
});

test('what the user types while a write is on its way is merged, too', async () => {
  editor.open(a);
  await read();
  let keys = ['FI', 'FIV', 'FIVE'];
  editor.writing = () => {
    const [key, ...more] = keys;
    if (key !== undefined) editor.type(a, TEXT.replace('five', key));
    keys = more;
  };
  await files.writeTextFile({ path: a, content: AGENTS });
  expect(readFileSync(a, 'utf8')).toBe(BOTH);
  expect(editor.buffers.get(a)!.text).toBe(BOTH);
});

test('also what is typed while a write of the agent by itself is put right', async () => {
  editor.open(a);
  await read();
  editor.type(a, USERS);
  writeFileSync(a, AGENTS);
  let typed = false;
  editor.writing = () => {
    if (!typed) editor.type(a, USERS.replace('three', 'THREE'));
    typed = true;
  };
  await files.writeTextFile({ path: a, content: AGENTS });
  expect(editor.buffers.get(a)!.text).toBe(BOTH.replace('three', 'THREE'));
});
