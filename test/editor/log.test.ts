import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually, startNvim } from '../harness';
import type { Nvim } from '../harness';

let nvim: Nvim;
let state: string;
beforeEach(async () => {
  nvim = await startNvim();
  state = join(await nvim.lua<string>(`return vim.fn.stdpath('state')`), 'acp');
});

/** Empty for what is gone by now. */
function readlink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Writes a wire log of `count` lines and gives its path. */
function wireLog(name: string, count: number): string {
  const path = join(state, 'wire', name);
  mkdirSync(join(state, 'wire'), { recursive: true });
  writeFileSync(path, lines(0, count));
  return path;
}

function lines(from: number, to: number): string {
  let text = '';
  for (let n = from; n < to; n++)
    text += `{"t":${n},"dir":"a2c","frame":{"method":"session/update","params":{"n":${n}}},"b":50}\n`;
  return text;
}

const open = (session?: string): Promise<unknown> =>
  nvim.lua(`require('acp.log').open(...)`, ...(session ? [session] : []));
const shown = (): Promise<string[]> =>
  nvim.lua<string[]>(`return vim.api.nvim_buf_get_lines(0, 0, -1, false)`);
const lastShown = async (): Promise<string | undefined> => (await shown()).at(-1);

test('what the plugin keeps can be read by its owner alone', async () => {
  await nvim.lua(`
    require('acp.log').write('warn', 'sidecar: words of an agent')
    require('acp.ui.history').add('a prompt')`);
  await eventually(() => {
    for (const name of ['acp.log', 'history'])
      expect([name, statSync(join(state, name)).mode & 0o777]).toEqual([name, 0o600]);
  });
});

describe('open()', () => {
  test('shows the newest wire log where the chat has none, read-only', async () => {
    wireLog('20250101-000000-old-1.jsonl', 1);
    wireLog('20260101-000000-new-1.jsonl', 3);
    wireLog('20260101-000000-new-1.older.jsonl', 9);
    await open();
    expect(await shown()).toHaveLength(3);
    expect(await nvim.lua(`return vim.bo.modifiable`)).toBe(false);
    expect(await nvim.lua(`return vim.wo.wrap`)).toBe(false);
  });

  test("shows the log of the chat's agent", async () => {
    const path = wireLog('20250101-000000-mine-1.jsonl', 2);
    wireLog('20260101-000000-other-1.jsonl', 5);
    await nvim.lua(`require('acp.state').apply('s1', { log = ... })`, path);
    await open('s1');
    expect(await shown()).toHaveLength(2);
  });

  test('hides what is the same on each line from the eye, not from a yank', async () => {
    const path = wireLog('20260101-000000-a-1.jsonl', 0);
    const line =
      '{"t":1,"dir":"a2c","frame":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ad62","update":{}}},"b":9}';
    appendFileSync(path, `${line}\n`);
    await open();
    await nvim.waitForScreen(
      '{"t":1,"dir":"a2c","frame":{"method":"session/update","params":{"update":{}}},"b":9}',
    );
    expect(await shown()).toEqual([line]);
  });

  test('goes to the window that shows it already', async () => {
    wireLog('20260101-000000-a-1.jsonl', 3);
    await open();
    await nvim.command('wincmd p');
    await open();
    expect(await nvim.lua(`return #vim.api.nvim_list_wins()`)).toBe(2);
    expect(await shown()).toHaveLength(3);
  });

  test('says when there is none, and when it is off', async () => {
    await open();
    await nvim.waitForScreen('there is no wire log yet');
    await nvim.lua(`require('acp.config').setup({ log = { wire = false } })`);
    await open();
    await nvim.waitForScreen('the option log.wire is off');
  });
});

describe('following', () => {
  test('shows what is appended, and stays at the end', async () => {
    const path = wireLog('20260101-000000-a-1.jsonl', 100);
    await open();
    appendFileSync(path, lines(100, 200));
    await eventually(async () => expect(await lastShown()).toContain('"n":199}'));
    expect(await nvim.lua(`return vim.fn.line('.')`)).toBe(200);
    await nvim.waitForScreen('"n":199}');
  });

  test('leaves the cursor alone when it is not at the end', async () => {
    const path = wireLog('20260101-000000-a-1.jsonl', 100);
    await open();
    await nvim.input('gg');
    await eventually(async () => expect(await nvim.lua(`return vim.fn.line('.')`)).toBe(1));
    appendFileSync(path, lines(100, 200));
    await eventually(async () => expect(await lastShown()).toContain('"n":199}'));
    expect(await nvim.lua(`return vim.fn.line('.')`)).toBe(1);
  });

  test('shows a line only when it is whole', async () => {
    const path = wireLog('20260101-000000-a-1.jsonl', 1);
    await open();
    appendFileSync(path, '{"t":1,"dir":');
    appendFileSync(join(state, 'wire', 'x'), '');
    appendFileSync(path, '"ev","exit":0}\n{"half');
    await eventually(async () => expect(await lastShown()).toBe('{"t":1,"dir":"ev","exit":0}'));
  });

  test('shows a line of many megabytes, which comes in pieces', async () => {
    const path = wireLog('20260101-000000-a-1.jsonl', 1);
    await open();
    const line = `{"t":1,"dir":"a2c","text":"${'0123456789abcde\u00e9'.repeat(500_000)}"}`;
    appendFileSync(path, `${line}\n`);
    const measure = `local line = vim.fn.getline('$') return { #line, vim.fn.sha256(line) }`;
    const digest = createHash('sha256').update(line).digest('hex');
    await eventually(async () =>
      expect(await nvim.lua(measure)).toEqual([Buffer.byteLength(line), digest]),
    );
  });

  test('goes on when the file is begun anew, and misses no line', async () => {
    const path = wireLog('20260101-000000-a-1.jsonl', 10);
    await open();
    appendFileSync(path, lines(10, 20));
    renameSync(path, path.replace('.jsonl', '.older.jsonl'));
    writeFileSync(path, lines(20, 23));
    await eventually(async () => expect(await lastShown()).toContain('"n":22}'));
    expect(await shown()).toHaveLength(23);
  });

  test('reads the end of a large log, from the start of a line', async () => {
    wireLog('20260101-000000-a-1.jsonl', 60_000);
    await open();
    const all = await shown();
    expect(all.length).toBeLessThan(20_000);
    expect(all.length).toBeGreaterThan(5_000);
    expect(all[0]).toMatch(/^\{"t":\d+,/);
    expect(all.at(-1)).toContain('"n":59999}');
  });

  test('shows the last line of a log however long it is', async () => {
    const path = wireLog('20260101-000000-a-1.jsonl', 60_000);
    appendFileSync(path, `{"t":1,"text":"${'x'.repeat(2_000_000)}"}\n`);
    await open();
    expect((await lastShown())?.length).toBe(2_000_017);
    expect((await shown())[0]).toMatch(/^\{"t":\d+,/);
  });

  test('keeps the newest 20,000 lines', async () => {
    const path = wireLog('20260101-000000-a-1.jsonl', 10);
    await open();
    appendFileSync(path, lines(10, 30_000));
    await eventually(async () => expect(await lastShown()).toContain('"n":29999}'));
    expect(await nvim.lua(`return vim.fn.line('$')`)).toBe(20_000);
    expect(await nvim.lua(`return vim.fn.line('.')`)).toBe(20_000);
  });

  test.runIf(process.platform === 'linux')('ends with the buffer', async () => {
    const path = wireLog('20260101-000000-a-1.jsonl', 3);
    const folder = `/proc/${nvim.pid}/fd`;
    const isOpen = () => readdirSync(folder).some((fd) => readlink(join(folder, fd)) === path);
    await open();
    expect(isOpen()).toBe(true);
    await nvim.command('close');
    expect(isOpen()).toBe(false);
    expect(await nvim.lua(`return vim.fn.bufnr('acp://log')`)).toBe(-1);
  });
});

describe('write()', () => {
  test('adds a line with its time and level', async () => {
    await nvim.lua(`require('acp.log').write('error', 'sidecar ended with code 1')`);
    await eventually(() =>
      expect(readFileSync(join(state, 'acp.log'), 'utf8')).toMatch(
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d error sidecar ended with code 1\n$/,
      ),
    );
  });

  test('begins anew when the log is large', async () => {
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, 'acp.log'), 'x'.repeat(1024 * 1024 + 1));
    await nvim.lua(`require('acp.log').write('info', 'new')`);
    await eventually(() => expect(existsSync(join(state, 'acp.log.older'))).toBe(true));
    await eventually(() => expect(readFileSync(join(state, 'acp.log'), 'utf8')).toMatch(/new\n$/));
    expect(readFileSync(join(state, 'acp.log')).length).toBeLessThan(100);
  });

  test('may be called where Neovim takes no calls', async () => {
    await nvim.lua(
      `local timer = vim.uv.new_timer()
      timer:start(0, 0, function() require('acp.log').write('warn', 'from afar') timer:close() end)`,
    );
    await eventually(() =>
      expect(readFileSync(join(state, 'acp.log'), 'utf8')).toContain('from afar'),
    );
  });
});
