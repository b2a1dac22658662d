/** :AcpFork, :AcpNew, :AcpClose, :AcpDelete, :AcpRename, :AcpExport, with agents that can and agents that can't. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, sessionAgent, type Nvim, type SessionAgentOptions } from '../harness';
import { idle, startChat, state } from './e2e';
import { choose, killSidecar, prompt, rows, run, said, says, times } from './sessions';

async function chat(options: SessionAgentOptions = {}, words = 'hello [[title Titled]]') {
  const agent = sessionAgent(options);
  const nvim = await startChat(agent);
  await run(nvim, `AcpChat ${words}`);
  await idle(nvim);
  await eventually(async () => expect((await state(nvim)).key).toBeTruthy());
  return { nvim, agent };
}

/** The files of the store, all of them. */
function kept(nvim: Nvim): string[] {
  const dir = join(nvim.home, 'state/nvim/acp/sessions');
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => path.endsWith('.jsonl'));
}

describe(':AcpFork', () => {
  it('goes on in a session that begins like this one, which stays as it is', async () => {
    const { nvim, agent } = await chat();
    await run(nvim, 'AcpFork');
    await nvim.waitForScreen('-- INSERT --');
    await idle(nvim, 's2');
    await nvim.input('on the branch<C-s>');
    await says(nvim, 'echo: on the branch', 's2');
    expect(times(await said(nvim, 's2'), 'echo: hello')).toBe(1);
    expect(await said(nvim, 's1')).not.toContain('on the branch');
    expect(agent.sessions().map(({ prompts }) => prompts.length)).toEqual([1, 2]);
    expect(agent.pids()).toHaveLength(1);
  });

  it('with text sends it there', async () => {
    const { nvim } = await chat();
    await run(nvim, 'AcpFork another way');
    await says(nvim, 'echo: another way', 's2');
    expect(await said(nvim, 's1')).not.toContain('another way');
  });

  it('shows nothing twice where the agent tells all of it again', async () => {
    const { nvim } = await chat({ forkReplays: true }, 'hello [[tool]] [[plan]] [[title Titled]]');
    await run(nvim, 'AcpFork another way');
    await says(nvim, 'echo: another way', 's2');
    const text = await said(nvim, 's2');
    for (const once of ['▌ hello', 'echo: hello', 'Look around', 'the first thing']) {
      expect(times(text, once), once).toBe(1);
    }
  });

  it('is not done by an agent that can’t, which says what can be done', async () => {
    const { nvim, agent } = await chat({ can: { fork: false } });
    await run(nvim, 'AcpFork');
    await nvim.waitForScreen('scripted cannot fork: :AcpExport this');
    expect(agent.received('session/fork')).toEqual([]);
    expect(await nvim.lua(`return #require('acp.chat').list()`)).toBe(1);
  });

  it('that fails shows what was said, says why, and begins anew where that is wanted', async () => {
    const { nvim } = await chat({ fails: { 'session/fork': -32603 } });
    await run(nvim, 'AcpFork');
    await says(nvim, 'could not fork this session: session/fork fails', 's2');
    expect(await said(nvim, 's2')).toContain('echo: hello');
    await nvim.input('<C-\\><C-n>:<CR>A');
    await nvim.input('again<C-s>');
    await nvim.waitForScreen('Start a new session with what was said');
    await nvim.input('1<CR>');
    await says(nvim, 'echo: again', 's2');
  });

  it('says that there is nothing to begin with, before anything was said', async () => {
    const nvim = await startChat(sessionAgent());
    await run(nvim, 'AcpChat');
    await idle(nvim);
    await run(nvim, 'AcpFork');
    await nvim.waitForScreen('nothing to fork yet');
  });
});

describe(':AcpNew', () => {
  it('begins a session, and the one before lives on, hidden', async () => {
    const { nvim, agent } = await chat();
    await run(nvim, 'AcpNew');
    await nvim.waitForScreen('-- INSERT --');
    await nvim.input('second<C-s>');
    await says(nvim, 'echo: second', 's2');
    expect((await state(nvim, 's1')).state).toBe('idle');
    expect(agent.received('session/new')).toHaveLength(2);
  });

  it('with text sends it there', async () => {
    const { nvim } = await chat();
    await run(nvim, 'AcpNew at once');
    await says(nvim, 'echo: at once', 's2');
  });
});

describe(':AcpClose', () => {
  it('closes the session at the agent too, whose process ends with the last one', async () => {
    const { nvim, agent } = await chat();
    await run(nvim, 'AcpNew other');
    await idle(nvim, 's2');
    await run(nvim, 'AcpClose');
    await eventually(() => expect(agent.received('session/close')).toHaveLength(1));
    expect(agent.alive()).toHaveLength(1);
    await choose(nvim, /Titled .* open here/, 'AcpSessions close');
    await eventually(() => expect(agent.alive()).toEqual([]));
    expect(agent.received('session/close')).toHaveLength(2);
  });

  it('is not sent where the agent can’t, and does without where it is refused', async () => {
    for (const options of [{ can: { close: false } }, { fails: { 'session/close': -32601 } }]) {
      const { nvim, agent } = await chat(options);
      await run(nvim, 'AcpClose');
      await eventually(() => expect(agent.alive()).toEqual([]));
      const refused = 'fails' in options ? 1 : 0;
      expect(agent.received('session/close')).toHaveLength(refused);
      expect(await nvim.messages()).not.toContain('session/close');
      await choose(nvim, /Titled .* saved/);
      await says(nvim, 'echo: hello', 's2');
      await nvim.close();
    }
  });

  it('keeps what stands in the prompt, and gives it back', async () => {
    const { nvim } = await chat();
    await nvim.input('iunfinished<C-\\><C-n>');
    await run(nvim, 'AcpClose');
    await choose(nvim, /Titled .* saved · draft/);
    await eventually(async () => expect(await prompt(nvim, 's2')).toBe('unfinished'));
    await nvim.waitForScreen('unfinished');
  });
});

describe(':AcpDelete', () => {
  it('deletes it here and at the agent, after a question that says so', async () => {
    const { nvim, agent } = await chat();
    expect(kept(nvim)).toHaveLength(1);
    await run(nvim, 'AcpDelete');
    await nvim.waitForScreen('Delete “Titled”?');
    await nvim.waitForScreen('the session that scripted keeps');
    await nvim.input('1<CR>');
    await eventually(() => expect(agent.sessions()).toEqual([]));
    await eventually(() => expect(kept(nvim)).toEqual([]));
    await run(nvim, 'AcpSessions');
    await nvim.waitForScreen('no sessions in this folder');
  });

  it('keeps it where the question is not answered', async () => {
    const { nvim, agent } = await chat();
    await run(nvim, 'AcpDelete');
    await nvim.waitForScreen('Type number');
    await nvim.input('<CR>');
    await run(nvim, 'AcpChat still here');
    await says(nvim, 'echo: still here');
    expect(agent.received('session/delete')).toEqual([]);
    expect(kept(nvim)).toHaveLength(1);
  });

  it('says before and after what stays, with an agent that can’t', async () => {
    const { nvim, agent } = await chat({ can: { delete: false } });
    await run(nvim, 'AcpDelete');
    await nvim.waitForScreen('the session that scripted keeps stays');
    await nvim.input('1<CR>');
    await eventually(() => expect(kept(nvim)).toEqual([]));
    expect(agent.sessions()).toHaveLength(1);
    expect(agent.received('session/delete')).toEqual([]);
    await nvim.waitForScreen('can’t delete sessions');
  });

  it('tells what the agent said when it fails, and it is gone here', async () => {
    const { nvim } = await chat({ fails: { 'session/delete': -32603 } });
    await run(nvim, 'AcpDelete');
    await nvim.waitForScreen('Type number');
    await nvim.input('1<CR>');
    await nvim.waitForScreen('session/delete fails');
    expect(kept(nvim)).toEqual([]);
  });

  it('stops what runs', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    await run(nvim, 'AcpChat [[wait never]]');
    await nvim.waitForScreen('echo:');
    await run(nvim, 'AcpDelete');
    await nvim.waitForScreen('scripted is stopped');
    await nvim.input('1<CR>');
    await eventually(() => expect(agent.sessions()).toEqual([]));
    expect(agent.received('session/cancel')).toHaveLength(1);
  });
});

describe(':AcpRename', () => {
  it('names it here and at the agent, at once or as asked for', async () => {
    const { nvim, agent } = await chat();
    await run(nvim, 'AcpRename Another name');
    await eventually(() => expect(agent.sessions()[0]?.title).toBe('Another name'));
    await eventually(async () => expect((await state(nvim)).title).toBe('Another name'));
    await run(nvim, 'AcpRename');
    await nvim.waitForScreen('Title: Another name');
    await nvim.input('<C-u>The last<CR>');
    await eventually(() => expect(agent.sessions()[0]?.title).toBe('The last'));
    expect(await rows(nvim)).toEqual([expect.stringMatching(/^● The last/)]);
  });

  it('names it here alone with an agent that can’t, and says so', async () => {
    const { nvim, agent } = await chat({ can: { title: false } });
    await run(nvim, 'AcpRename Mine alone');
    await nvim.waitForScreen('renamed here; scripted takes no titles');
    expect(agent.received('session/set_title')).toEqual([]);
    expect(await rows(nvim)).toEqual([expect.stringMatching(/^● Mine alone/)]);
  });

  it('says when the agent refuses', async () => {
    const { nvim } = await chat({ fails: { 'session/set_title': -32603 } });
    await run(nvim, 'AcpRename Refused');
    await nvim.waitForScreen('session/set_title fails');
  });
});

describe('a title', () => {
  it('is the first prompt until the agent names the session', async () => {
    const { nvim } = await chat({}, 'the first words\\nand more');
    expect((await rows(nvim))[0]).toMatch(/^● the first words/);
    await nvim.input('<CR>');
    await run(nvim, 'AcpChat [[title Named by its agent]]');
    await eventually(async () => expect((await state(nvim)).title).toBe('Named by its agent'));
    expect((await rows(nvim))[0]).toMatch(/^● Named by its agent/);
  });
});

describe(':AcpExport', () => {
  it('writes the conversation as Markdown, and not over a file that is there', async () => {
    const { nvim } = await chat({}, 'hello **you** [[tool]] [[plan]] [[say `bye`]] [[title T]]');
    const path = join(nvim.dir, 'out.md');
    await run(nvim, 'AcpExport out.md');
    await nvim.waitForScreen('the conversation is in out.md');
    const text = readFileSync(path, 'utf8');
    for (const part of ['hello **you**', 'echo: hello **you**', 'Look around', 'first thing']) {
      expect(text).toContain(part);
    }
    expect(text).toContain('`bye`');
    await run(nvim, 'AcpExport out.md');
    await nvim.waitForScreen('out.md exists: :AcpExport! replaces it');
    await run(nvim, 'AcpChat more');
    await says(nvim, 'echo: more');
    await run(nvim, 'AcpExport! out.md');
    await eventually(() => expect(readFileSync(path, 'utf8')).toContain('echo: more'));
  });

  it('without a name opens it in a buffer', async () => {
    const { nvim } = await chat();
    await run(nvim, 'AcpExport');
    await nvim.waitForScreen('Titled.md');
    await nvim.waitForScreen('echo: hello');
    expect(await nvim.lua('return vim.bo.filetype')).toBe('markdown');
    expect(existsSync(join(nvim.dir, 'Titled.md'))).toBe(false);
  });

  it('of a session that can only be read has all that was said', async () => {
    const { nvim } = await chat({ can: { load: false, resume: false } });
    await run(nvim, 'AcpClose');
    await choose(nvim, /Titled/);
    await says(nvim, 'has forgotten this session', 's2');
    await run(nvim, 'AcpExport read.md');
    await nvim.waitForScreen('the conversation is in read.md');
    expect(readFileSync(join(nvim.dir, 'read.md'), 'utf8')).toContain('echo: hello');
  });

  it('after a crash of the sidecar says what to do', async () => {
    const { nvim } = await chat();
    await killSidecar(nvim);
    await run(nvim, 'AcpExport lost.md');
    await nvim.waitForScreen('the next prompt opens it');
    expect(existsSync(join(nvim.dir, 'lost.md'))).toBe(false);
  });
});

describe('what is yanked from the transcript', () => {
  it('is the agent’s text, also of a session that was opened again', async () => {
    const words = '**bold** _it_ `code` [a](b) * x';
    const { nvim } = await chat({ quiet: true }, `q [[say ${words}]] [[title Yank]]`);
    const yank = async (session: string) => {
      await nvim.lua(
        `vim.fn.setreg('z', '')
        vim.api.nvim_set_current_win(require('acp.ui.layout').visible(require('acp.chat').get(...)))`,
        session,
      );
      await nvim.input('<C-\\><C-n>gg/^\\*\\*bold<CR>0"zyy');
      await eventually(async () =>
        expect(await nvim.lua(`return vim.fn.getreg('z')`)).toBe(`${words}\n`),
      );
    };
    await yank('s1');
    await run(nvim, 'AcpClose');
    await choose(nvim, /Yank/);
    await says(nvim, words, 's2');
    await yank('s2');
  });
});

describe('the store', () => {
  it('can be read by its user alone, and holds nothing of a session in which nothing was said', async () => {
    const nvim = await startChat(sessionAgent());
    await run(nvim, 'AcpChat');
    await idle(nvim);
    expect(kept(nvim)).toEqual([]);
    await nvim.input('<C-\\><C-n>');
    await run(nvim, 'AcpChat secret');
    await says(nvim, 'echo: secret');
    const [path] = kept(nvim);
    expect(statSync(path!).mode & 0o777).toBe(0o600);
    const folders = [join(path!, '..'), join(path!, '../..')];
    for (const folder of folders) expect(statSync(folder).mode & 0o077).toBe(0);
    for (const name of readdirSync(folders[0]!)) {
      expect(statSync(join(folders[0]!, name)).mode & 0o077, name).toBe(0);
    }
  });
});
