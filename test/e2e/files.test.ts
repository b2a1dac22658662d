import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, startNvim, tempDir, type Nvim, type Step } from '../harness';
import { file, idle, init, startChat, startDemo } from './e2e';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

/** Requests one after the other, and what they were answered with. */
function asking(...requests: [method: string, params: Record<string, unknown>][]) {
  const agent = scriptedAgent([
    { expect: 'session/new', as: 'new' },
    { reply: { sessionId: 's' } },
    PROMPT,
    ...requests.map(([method, params]): Step => ({ request: { method, params } })),
    END,
  ]);
  const answers = () =>
    agent
      .received()
      .filter(({ method, id }) => method === undefined && String(id).startsWith('scripted-'))
      .map(({ result, error }) => error?.code ?? result);
  return { agent, answers };
}

async function turn(nvim: Nvim): Promise<void> {
  await nvim.input('<Esc>:AcpChat go<CR>');
  await eventually(async () =>
    expect(await nvim.lua(`return require('acp.state').get('s1') ~= nil`)).toBe(true),
  );
  await idle(nvim);
}

const HERE = '${new.params.cwd}';

describe('an agent’s files', () => {
  it('are read from the buffer with its unsaved text, from disk where none is loaded, line by line', async () => {
    const { agent, answers } = asking(
      ['fs/read_text_file', { path: `${HERE}/open.txt` }],
      ['fs/read_text_file', { path: `${HERE}/open.txt`, line: 2, limit: 1 }],
      ['fs/read_text_file', { path: `${HERE}/closed.txt`, line: 2, limit: null }],
      ['fs/read_text_file', { path: `${HERE}/missing.txt` }],
    );
    const nvim = await startChat(agent);
    file(nvim, 'closed.txt', 'a\nb\nc\n');
    await nvim.command(`edit ${file(nvim, 'open.txt', 'one\ntwo\nthree\n')}`);
    await nvim.input('jA and a half<Esc>');
    await turn(nvim);
    expect(answers()).toEqual([
      { content: 'one\ntwo and a half\nthree\n' },
      { content: 'two and a half\n' },
      { content: 'b\nc\n' },
      -32002,
    ]);
  });

  it('are written through the buffer in one undo step, else to disk with their folders', async () => {
    const { agent, answers } = asking(
      ['fs/write_text_file', { path: `${HERE}/open.txt`, content: 'ONE\ntwo\nTHREE\n' }],
      ['fs/write_text_file', { path: `${HERE}/new/folder/b.txt`, content: 'b' }],
    );
    const nvim = await startChat(agent);
    const path = file(nvim, 'open.txt', 'one\ntwo\nthree\n');
    await nvim.command(`edit ${path}`);
    await nvim.input('jmx');
    await turn(nvim);
    expect(answers()).toEqual([{}, {}]);
    expect(readFileSync(path, 'utf8')).toBe('ONE\ntwo\nTHREE\n');
    expect(readFileSync(join(nvim.dir, 'new/folder/b.txt'), 'utf8')).toBe('b');
    await nvim.input('<Esc><C-w>t');
    const facts = `return { vim.bo.modified, vim.fn.line("'x"), vim.fn.line('.'),
      vim.api.nvim_buf_get_lines(0, 0, -1, false) }`;
    await eventually(async () =>
      expect(await nvim.lua(facts)).toEqual([false, 2, 2, ['ONE', 'two', 'THREE']]),
    );
    await nvim.input('u');
    await eventually(async () =>
      expect(await nvim.lua(facts)).toMatchObject({ 3: ['one', 'two', 'three'] }),
    );
  });

  it('are those of the session’s folder and of the agent’s own roots, and no others', async () => {
    const notes = tempDir();
    const outside = join(tempDir(), 'secret.txt');
    const { agent, answers } = asking(
      ['fs/write_text_file', { path: join(notes, 'a.txt'), content: 'noted' }],
      ['fs/read_text_file', { path: join(notes, 'a.txt') }],
      ['fs/read_text_file', { path: outside }],
      ['fs/write_text_file', { path: outside, content: 'x' }],
      ['fs/read_text_file', { path: '/etc/hostname' }],
    );
    const nvim = await startNvim({
      init: init(
        {},
        {
          agent: 'rooted',
          agents: { rooted: { command: agent.command, args: agent.args, roots: [notes] } },
        },
      ),
    });
    await turn(nvim);
    expect(answers()).toEqual([{}, { content: 'noted' }, -32602, -32602, -32602]);
  });
});

describe('the demo agent', () => {
  it('reads the buffer that is sent along as it is, not as it was saved', async () => {
    const nvim = await startDemo();
    mkdirSync(join(nvim.dir, 'lib'));
    await nvim.command(`edit ${file(nvim, 'lib/open.js', 'saved();\n')}`);
    await nvim.input('Ounsaved();<Esc>:%AcpChat /read<CR>');
    await nvim.waitForScreen(/I read 2 lines of `lib\/open\.js`/);
    await nvim.waitForScreen(/Read +lib\/open\.js/);
  });
});
