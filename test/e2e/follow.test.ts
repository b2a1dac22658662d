/** :AcpFollow by keys, with an agent that says where it works. */
import { expect, it } from 'vitest';
import { eventually, startNvim, type Nvim, type Step } from '../harness';
import { init } from './e2e';
import { COUNT_TURNS, project, turnAgent } from './turns';

const TEXT = Array.from({ length: 100 }, (_, i) => `line ${i + 1}\n`).join('');

/** The agent reads a file; then it waits until the test makes `go-on` in the project. */
const reads = (name: string, line: number, gate: string): Step[] => [
  {
    update: {
      sessionUpdate: 'tool_call',
      toolCallId: `${name}:${line}`,
      kind: 'read',
      title: `Read ${name}`,
      status: 'completed',
      locations: [{ path: `\${new.params.cwd}/${name}`, line }],
    },
  },
  { sh: `until test -e ${gate}; do sleep 0.02; done` },
];

const place = (nvim: Nvim, win = 1): Promise<[string, number]> =>
  nvim.lua(
    `local win = vim.fn.win_getid(...)
    local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win))
    return { vim.fs.basename(name), vim.api.nvim_win_get_cursor(win)[1] }`,
    win,
  );

it('goes where the agent works without taking focus, waits for who types, and is back at the end', async () => {
  const steps = [
    ...reads('b.txt', 50, 'first'),
    ...reads('c.txt', 70, 'second'),
    ...reads('b.txt', 90, 'third'),
  ];
  const agent = turnAgent({ 'look around': steps });
  const nvim = await startNvim({ init: init({ nanocoder: agent }) + COUNT_TURNS });
  project(nvim, { 'a.txt': TEXT, 'b.txt': TEXT, 'c.txt': TEXT });
  const is = (...expected: [string, number]) =>
    eventually(async () => expect(await place(nvim)).toEqual(expected));
  await nvim.input(':edit a.txt<CR>30Gzt:AcpFollow<CR>');
  await eventually(async () => expect(await nvim.messages()).toContain(':AcpChat'));
  await nvim.input(':AcpChat<CR>');
  await nvim.waitForScreen('<C-s> send');
  await nvim.input('look around<C-s><Esc>:AcpFollow<CR>');
  await is('b.txt', 50);
  await nvim.waitForScreen('· following');
  // The cursor is where it was.
  expect(await nvim.lua('return vim.bo.filetype')).toBe('acp-prompt');

  // Somebody types there: it waits until they are done.
  await nvim.input('<C-w>ti');
  await eventually(() => expect(nvim.mode).toBe('insert'));
  await nvim.command(`call writefile([], 'first')`);
  await nvim.waitForScreen('Read  c.txt:70');
  await is('b.txt', 50);
  await nvim.input('<Esc><C-w>b');
  await is('c.txt', 70);

  await nvim.command(`call writefile([], 'second')`);
  await is('b.txt', 90);
  await nvim.command(`call writefile([], 'third')`);
  await is('a.txt', 30);
  await eventually(() => expect(nvim.screen()).not.toContain('following'));
  expect(await nvim.lua(`return vim.fn.line('w0', vim.fn.win_getid(1))`)).toBe(30);
  expect(await nvim.lua('return vim.bo.filetype')).toBe('acp-prompt');
  expect(await nvim.lua(`return #vim.fn.getbufinfo({ buflisted = 1 })`)).toBe(1);
});
