/** Writing a prompt: its history, a large window, `:w`, templates, and prompts that are written anew. */
import { describe, expect, it } from 'vitest';
import { eventually, sessionAgent, type Nvim } from '../harness';
import { file, idle, startChat, state } from './e2e';
import { got, holds, openPrompt, startAtPrompt, tells } from './prompts';
import { another, choose, run, said, says, times } from './sessions';

/** Sends a prompt and waits for the end of its turn. */
async function ask(nvim: Nvim, text: string, session = 's1'): Promise<void> {
  await nvim.input(`<C-\\><C-n>cc${text}<C-s>`);
  await says(nvim, `echo: ${text}`, session);
  await idle(nvim, session);
}

describe('the history', () => {
  it('goes on over sessions and restarts, and comes back to what was being typed', async () => {
    const agent = sessionAgent();
    const nvim = await startAtPrompt(agent);
    await ask(nvim, 'the first');
    await run(nvim, 'AcpNew');
    await idle(nvim, 's2');
    await ask(nvim, 'the second', 's2');
    await nvim.close();
    const next = await another(nvim, agent);
    await openPrompt(next);
    await next.input('a draft<C-p>');
    await holds(next, 'the second');
    await next.input('<C-p>');
    await holds(next, 'the first');
    await next.input('<C-n><C-n>');
    await holds(next, 'a draft');
    await eventually(() => expect(next.mode).toBe('insert'));
  });

  it('is searched by key and by command', async () => {
    const nvim = await startAtPrompt(sessionAgent());
    for (const text of ['fix the parser', 'write tests', 'fix the lexer']) await ask(nvim, text);
    await nvim.input('i<M-r>');
    await nvim.waitForScreen('1: fix the lexer');
    await nvim.waitForScreen('3: fix the parser');
    await nvim.input('2<CR>');
    await holds(nvim, 'write tests');
    await choose(nvim, /parser/, 'AcpHistory fix');
    await holds(nvim, 'fix the parser');
    await run(nvim, 'AcpHistory nowhere');
    await tells(nvim, 'nowhere');
  });
});

describe('the large window', () => {
  it('holds the same text, with the same keys, and goes back', async () => {
    const agent = sessionAgent();
    const nvim = await startAtPrompt(agent);
    await nvim.input('one line<C-g>');
    await nvim.waitForScreen(/Prompt for scripted/i);
    await nvim.waitForScreen('<C-g> back');
    await eventually(() => expect(nvim.mode).toBe('insert'));
    await nvim.input('<CR>another');
    await holds(nvim, 'one line\nanother');
    await nvim.input('<C-g>');
    await eventually(() => expect(nvim.screen()).not.toMatch(/Prompt for scripted/i));
    await nvim.input('<CR>third<C-g>');
    await nvim.waitForScreen(/Prompt for scripted/i);
    await nvim.input('<C-s>');
    expect((await got(agent)).text).toBe('one line\nanother\nthird');
    await eventually(() => expect(nvim.screen()).not.toMatch(/Prompt for scripted/i));
  });
});

describe(':w in the prompt', () => {
  it('sends where the user asked for that', async () => {
    const agent = sessionAgent();
    const nvim = await startAtPrompt(agent, { options: { prompt: { write_sends: true } } });
    await nvim.input('written<Esc>:w<CR>');
    await says(nvim, 'echo: written');
    expect((await got(agent)).text).toBe('written');
    await nvim.input('ihalf<Esc>:qa<CR>');
    await nvim.exited;
  });

  it('by default sends nothing and loses nothing', async () => {
    const agent = sessionAgent();
    const nvim = await startAtPrompt(agent);
    await nvim.input('written<Esc>:w<CR>');
    await nvim.waitForScreen('E382');
    await holds(nvim, 'written');
    expect(agent.received('session/prompt')).toEqual([]);
  });
});

describe('templates', () => {
  const options = {
    templates: { port: 'Port {selection} to Rust. {input}', ask: 'What of {diagnostics}?' },
  };

  it('fill in what they name, with the lines of the range and what is said beside', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent, { options });
    const path = file(nvim, 'a.py', 'one\ntwo\nthree\n');
    await nvim.command('edit a.py');
    await nvim.input('ggVj:AcpChat template=port No unsafe.<CR>');
    const { text, along } = await got(agent);
    expect(text).toBe('Port @a.py:1-2 to Rust. No unsafe.');
    expect(along).toEqual([
      {
        type: 'resource',
        resource: { uri: `file://${path}#L1-L2`, text: 'one\ntwo\n', mimeType: 'text/plain' },
      },
    ]);
  });

  it('are completed, and one that cannot be filled in says why and sends nothing', async () => {
    const agent = sessionAgent();
    const nvim = await startAtPrompt(agent, { options });
    const names = await nvim.lua(`return vim.fn.getcompletion('AcpChat template=', 'cmdline')`);
    expect(names).toEqual(
      expect.arrayContaining(['template=port', 'template=ask', 'template=fix']),
    );
    await run(nvim, 'AcpChat template=ask');
    await tells(nvim, /template ask: there (are no diagnostics|is no buffer)/);
    await run(nvim, 'AcpChat template=none');
    await tells(nvim, 'there is no template "none", but ');
    expect(agent.received('session/prompt')).toEqual([]);
  });
});

describe('an earlier prompt', () => {
  async function twoTurns(agent = sessionAgent()) {
    const nvim = await startAtPrompt(agent);
    await ask(nvim, 'paint it red');
    await ask(nvim, 'and the door');
    await nvim.lua(
      `vim.api.nvim_set_current_win(require('acp.ui.layout').visible(require('acp.chat').get('s1')))`,
    );
    await nvim.input('G?▌ paint it red<CR>');
    return { nvim, agent };
  }

  it('is written anew, and another session goes on from there', async () => {
    const { nvim, agent } = await twoTurns();
    await nvim.input('cc');
    await holds(nvim, 'paint it red', 's2');
    await idle(nvim, 's2');
    await nvim.input('<C-\\><C-n>$ciwblue<C-s>');
    await says(nvim, 'echo: paint it blue', 's2');
    expect(await said(nvim, 's2')).not.toContain('and the door');
    // The former session is as it was.
    expect(times(await said(nvim, 's1'), 'paint it red')).toBe(2);
    expect(agent.sessions().some(({ prompts }) => prompts.includes('paint it blue'))).toBe(true);
  });

  it('stays as it is where the agent cannot fork, and it is said what to do', async () => {
    const { nvim } = await twoTurns(sessionAgent({ can: { fork: false } }));
    await nvim.input('cc');
    await tells(nvim, "scripted can't fork a session: copy the text, and send it as a new prompt");
    expect((await state(nvim)).state).toBe('idle');
  });
});

describe(":'<,'>AcpAsk", () => {
  it('is answered at the code, and becomes a chat', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    const path = file(nvim, 'a.py', 'one\ntwo\nthree\n');
    await nvim.command('edit a.py');
    await nvim.input('ggVj:AcpAsk what is it?<CR>');
    await nvim.waitForScreen('echo: what is it?');
    expect(await nvim.lua(`return vim.api.nvim_buf_get_name(0)`)).toBe(path);
    expect(
      await nvim.lua(`return vim.api.nvim_win_get_config(vim.fn.win_getid(2)).relative`),
    ).not.toBe('');
    expect((await got(agent)).along[0]?.resource).toMatchObject({
      uri: `file://${path}#L1-L2`,
      text: 'one\ntwo\n',
    });
    await nvim.input('<C-w>w');
    await nvim.waitForScreen('open as a chat');
    await nvim.input('<CR>');
    await nvim.waitForScreen('<C-s> send');
    await nvim.input('<C-\\><C-n>igo on<C-s>');
    await says(nvim, 'echo: go on');
    expect(agent.received('session/new')).toHaveLength(1);
  });

  it('without a question says what to write', async () => {
    const nvim = await startChat(sessionAgent());
    await run(nvim, 'AcpAsk');
    await tells(nvim, 'write what you want to know');
  });
});
