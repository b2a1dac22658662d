/** An agent that lives elsewhere: in a mount namespace in which the project has another path, and its own does not exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, startNvim, type HarnessAgent, type Nvim, type Step } from '../harness';
import { noSecondRoot, secondRoot, THERE } from '../harness/second-root';
import { chunk } from '../protocol/fake-editor';
import { lines } from './e2e';
import { COUNT_TURNS, project, turn, turnAgent, writes } from './turns';

/** `setup()` with the agent in the second root; `more`: further options of it, in Lua. */
function inside(agent: HarnessAgent, more = ''): string {
  const quoted = (value: unknown): string =>
    `vim.json.decode(${JSON.stringify(JSON.stringify(value))})`;
  const wrap = secondRoot('CWD');
  return `
    vim.o.swapfile = false
    require('acp').setup({
      agent = 'box',
      unsaved = 'send',
      permission = { open = 'manual' },
      agents = { box = {
        command = ${quoted([agent.command, ...agent.args])},
        wrap = function(place)
          return vim.tbl_map(function(part) return part == 'CWD' and place.cwd or part end, ${quoted(wrap)})
        end,
        paths = { ['.'] = '${THERE}' },
        ${more}
      } },
    })
    ${COUNT_TURNS}`;
}

const call = (id: string, more: object): Step => ({
  update: {
    sessionUpdate: 'tool_call',
    toolCallId: id,
    kind: 'edit',
    title: `Edit ${id}`,
    status: 'in_progress',
    ...more,
  },
});
const done = (id: string): Step => ({
  update: { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' },
});
const FILE = `${THERE}/a.txt`;

const place = (nvim: Nvim): Promise<string> =>
  nvim.lua(`return vim.api.nvim_buf_get_name(vim.fn.winbufnr(1))`);
const buffer = (nvim: Nvim, name: string): Promise<string[]> =>
  nvim.lua(`return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)`, name);
const answers = (agent: HarnessAgent) =>
  agent
    .received()
    .filter(({ id, method }) => method === undefined && String(id).startsWith('scripted-'))
    .map(({ result, error }) => error?.code ?? result);

describe.skipIf(noSecondRoot)('an agent in another root', () => {
  it('reads what is unsaved, writes, edits, is followed, reviewed and undone by the names that things have here', async () => {
    const agent = turnAgent({
      'do it @a.txt': [
        { request: { method: 'fs/read_text_file', params: { path: FILE } } },
        {
          request: {
            method: 'fs/write_text_file',
            params: { path: FILE, content: 'one, unsaved\ntwo, by the agent\nthree\n' },
          },
        },
        call('b', {
          locations: [{ path: `${THERE}/sub/b.txt`, line: 2 }],
          rawInput: { file_path: `${THERE}/sub/b.txt` },
          content: [
            {
              type: 'diff',
              path: `${THERE}/sub/b.txt`,
              oldText: 'b2\n',
              newText: 'B2\n',
            },
          ],
        }),
        {
          request: {
            method: 'session/request_permission',
            params: {
              toolCall: {
                toolCallId: 'b',
                content: [
                  { type: 'diff', path: `${THERE}/sub/b.txt`, oldText: 'b2\n', newText: 'B2\n' },
                ],
              },
              options: [
                { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
                { optionId: 'no', name: 'Reject', kind: 'reject_once' },
              ],
            },
          },
        },
        writes('sub/b.txt', 'b1\nB2\nb3\n'),
        // Its own process knows the project by that name alone.
        { sh: `echo made > ${THERE}/new.txt` },
        done('b'),
        chunk(`see ${FILE}:2 `),
      ],
    });
    const nvim = await startNvim({ init: inside(agent), columns: 120, lines: 40 });
    project(nvim, { 'a.txt': 'one\ntwo\nthree\n', 'sub/b.txt': 'b1\nb2\nb3\n' });
    await nvim.input(':edit sub/b.txt<CR>:edit a.txt<CR>A, unsaved<Esc>:AcpChat<CR>');
    await nvim.waitForScreen('<C-s> send');
    await nvim.input('do it @a.txt<C-s><Esc>:AcpFollow<CR>');
    await eventually(async () => expect(await place(nvim)).toBe(join(nvim.dir, 'sub/b.txt')));
    await eventually(async () =>
      expect(await nvim.lua(`return #require('acp.state').get('s1').questions`)).toBe(1),
    );
    await nvim.input(':AcpPermission<CR>');
    await nvim.waitForScreen('1: Allow');
    await nvim.input('1<CR>');
    await eventually(async () => expect(await nvim.lua('return vim.g.turns')).toBe(1), {
      timeout: 15_000,
    });
    expect(agent.faults()).toEqual([]);

    // What it was told, in its own words.
    const params = (method: string) => agent.received(method)[0]?.params;
    expect(params('session/new')).toMatchObject({ cwd: THERE });
    expect(JSON.stringify(params('session/prompt'))).not.toContain(nvim.dir);
    expect(answers(agent)[0]).toEqual({ content: 'one, unsaved\ntwo\nthree\n' });
    expect(answers(agent)[1]).not.toBeTypeOf('number');
    expect(answers(agent)[2]).toMatchObject({ outcome: { outcome: 'selected', optionId: 'yes' } });

    // What became of it, by the names here.
    expect(await buffer(nvim, 'a.txt')).toEqual(['one, unsaved', 'two, by the agent', 'three']);
    expect(readFileSync(join(nvim.dir, 'a.txt'), 'utf8')).toContain('two, by the agent');
    await eventually(async () =>
      expect(await buffer(nvim, 'sub/b.txt')).toEqual(['b1', 'B2', 'b3']),
    );
    expect(readFileSync(join(nvim.dir, 'new.txt'), 'utf8')).toBe('made\n');
    // Texts are the agent’s own; everything else has the names of here.
    const shown = (await lines(nvim)).filter((line) => !line.startsWith('see '));
    expect(shown.join('\n')).not.toContain(THERE);

    await nvim.input('<C-\\><C-n>:AcpReview turn<CR>');
    const listed = () =>
      nvim.lua<string[]>(`return vim.tbl_map(function(item)
        return vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ':t')
      end, vim.fn.getqflist())`);
    await eventually(async () =>
      expect([...new Set(await listed())].sort()).toEqual(['a.txt', 'b.txt', 'new.txt']),
    );
    await nvim.input('<C-w>tgQ:AcpUndo<CR>');
    await nvim.waitForScreen('Take back: do it');
    await nvim.input('1<CR>');
    await eventually(async () =>
      expect(await nvim.messages()).toContain('the turn was taken back'),
    );
    expect(await buffer(nvim, 'a.txt')).toEqual(['one, unsaved', 'two', 'three']);
    expect(readFileSync(join(nvim.dir, 'sub/b.txt'), 'utf8')).toBe('b1\nb2\nb3\n');
    expect(existsSync(join(nvim.dir, 'new.txt'))).toBe(false);

    // What its texts name is found, too.
    await nvim.lua(
      `vim.api.nvim_set_current_win(vim.fn.bufwinid(require('acp.chat').get('s1').buf))`,
    );
    await nvim.input(`/see ${THERE}<CR>f/gf`);
    await eventually(async () => expect(await place(nvim)).toBe(join(nvim.dir, 'a.txt')));

    // The log has what was on the wire.
    const wire = join(nvim.home, 'state/nvim/acp/wire');
    const log = readFileSync(join(wire, readdirSync(wire)[0]!), 'utf8');
    expect(log).toContain(`"path":"${FILE}"`);
    expect(log).toContain('"spawn":["unshare"');
  });

  it('runs its commands there: a terminal of the editor’s is not offered, and refused', async () => {
    const agent = turnAgent({
      'run it': [{ request: { method: 'terminal/create', params: { command: 'ls' } } }],
    });
    const nvim = await startNvim({ init: inside(agent) });
    project(nvim, { 'x.txt': '' });
    await turn(nvim, 'run it');
    expect(answers(agent)).toEqual([-32601]);
    const [hello] = agent.received('initialize');
    expect(hello?.params?.clientCapabilities).not.toHaveProperty('terminal');
    expect(hello?.params?.clientCapabilities).toHaveProperty('fs.readTextFile', true);
  });

  it('runs them here if that is wanted, in the folder that it means', async () => {
    const agent = turnAgent({
      'run it': [
        {
          request: {
            method: 'terminal/create',
            params: { command: 'sh', args: ['-c', 'pwd > here.txt'], cwd: `${THERE}/sub` },
          },
        },
        { sh: 'until test -s sub/here.txt; do sleep 0.02; done' },
      ],
    });
    const nvim = await startNvim({ init: inside(agent, 'capabilities = { terminal = true }') });
    project(nvim, { 'sub/x.txt': '' });
    await turn(nvim, 'run it');
    expect(readFileSync(join(nvim.dir, 'sub/here.txt'), 'utf8')).toBe(`${nvim.dir}/sub\n`);
  });
});
