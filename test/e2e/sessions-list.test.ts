/** `:AcpSessions`: the list, and what is done with its rows. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, sessionAgent, startNvim, tempDir } from '../harness';
import { idle, init, startChat, state } from './e2e';
import {
  another,
  choose,
  dismiss,
  forget,
  killSidecar,
  prompt,
  rows,
  run,
  said,
  says,
  seed,
} from './sessions';

const file = () => join(tempDir(), 'sessions.jsonl');
const folder = () => {
  const dir = join(tempDir(), 'project');
  mkdirSync(dir);
  return dir;
};
const HOUR = 3600 * 1000;

describe(':AcpSessions', () => {
  it('shows each session once, of the agent’s own list and of ours: title, age, agent and state', async () => {
    const [kept, dir] = [file(), folder()];
    seed(kept, dir, ['Of another client'], 3 * HOUR);
    const agent = sessionAgent({ file: kept });
    const nvim = await startChat(agent, { dir });
    await run(nvim, 'AcpChat mine [[title My own]]');
    await idle(nvim);
    await run(nvim, 'AcpNew closed [[title Closed again]]');
    await idle(nvim, 's2');
    await run(nvim, 'AcpClose');
    expect(await rows(nvim)).toEqual([
      expect.stringMatching(/^ *Closed again +just now +scripted +saved$/),
      expect.stringMatching(/^ *My own +just now +scripted +open here$/),
      expect.stringMatching(/^ *Of another client +3 h ago +scripted +saved$/),
    ]);
  });

  it('marks the session of the chat, what works, what asks, and where a draft waits', async () => {
    const nvim = await startChat(sessionAgent());
    await run(nvim, 'AcpChat [[title Asks]] [[ask]]');
    await nvim.waitForScreen('Type number');
    await nvim.input('<CR>');
    await run(nvim, 'AcpNew [[title Works]] [[wait never]]');
    await nvim.waitForScreen('echo:');
    await run(nvim, 'AcpNew [[title Drafted]]');
    await idle(nvim, 's3');
    await nvim.input('iunsent');
    await eventually(async () => expect(await prompt(nvim, 's3')).toBe('unsent'));
    // Which of two that are used at this moment comes first is no matter.
    expect((await rows(nvim)).sort()).toEqual([
      expect.stringMatching(/^ *Asks .* open here, asks you$/),
      expect.stringMatching(/^ *Works .* open here, working$/),
      expect.stringMatching(/^● Drafted .* open here · draft$/),
    ]);
    await dismiss(nvim);
  });

  it('has all pages of the agent’s list', async () => {
    const [kept, dir] = [file(), folder()];
    const titles = Array.from({ length: 13 }, (_, i) => `Session number ${i + 1}`);
    seed(kept, dir, titles);
    const agent = sessionAgent({ file: kept, pageSize: 3 });
    const nvim = await startChat(agent, { dir });
    const list = await rows(nvim);
    expect(list.map((row) => /Session number \d+/.exec(row)?.[0])).toEqual(titles.reverse());
    const asked = agent.received('session/list').filter(({ params }) => params?.cwd === dir);
    expect(asked.map(({ params }) => params?.cursor)).toEqual([undefined, '3', '6', '9', '12']);
  });

  it('has the sessions of a folder by each path to it, and those of others with a bang', async () => {
    const [kept, dir] = [file(), folder()];
    seed(kept, dir, ['By the real path']);
    const link = join(tempDir(), 'link');
    symlinkSync(dir, link);
    const agent = sessionAgent({ file: kept });
    const nvim = await startNvim({ init: init({ scripted: agent }) });
    await run(nvim, `cd ${link}`);
    await run(nvim, 'AcpChat through the link');
    await idle(nvim);
    expect(await rows(nvim)).toEqual([
      expect.stringContaining('through the link'),
      expect.stringContaining('By the real path'),
    ]);
    await dismiss(nvim);
    await run(nvim, `cd ${nvim.dir}`);
    await run(nvim, 'AcpNew elsewhere');
    await idle(nvim, 's2');
    expect(await rows(nvim)).toEqual([expect.stringContaining('elsewhere')]);
    await dismiss(nvim);
    const all = await rows(nvim, 'AcpSessions!');
    expect(all).toHaveLength(3);
    expect(all.join('\n')).toContain(dir.slice(-10));
  });

  it('says “gone” of what the agent has forgotten, and opens our transcript of it', async () => {
    const kept = file();
    const nvim = await startChat(sessionAgent({ file: kept }));
    await run(nvim, 'AcpChat remember [[title Forgotten]]');
    await idle(nvim);
    await run(nvim, 'AcpClose');
    forget(kept, 'kept-1');
    expect(await rows(nvim)).toEqual([expect.stringMatching(/Forgotten .* gone$/)]);
    await nvim.input('1<CR>');
    await nvim.waitForScreen('has forgotten this session');
    await says(nvim, 'echo: remember', 's2');
  });

  it('has ours where the agent has no list, or could not be asked, and says so then', async () => {
    const silent = await startChat(sessionAgent({ can: { list: false } }));
    await run(silent, 'AcpChat [[title Ours]]');
    await idle(silent);
    await run(silent, 'AcpClose');
    expect(await rows(silent)).toEqual([expect.stringMatching(/Ours .* saved$/)]);
    await silent.close();

    const failing = await startChat(sessionAgent({ fails: { 'session/list': -32603 } }));
    await run(failing, 'AcpChat [[title Ours too]]');
    await idle(failing);
    expect(await rows(failing)).toEqual([expect.stringMatching(/Ours too .* open here$/)]);
    await dismiss(failing);
    expect(await failing.messages()).toContain('scripted could not list its sessions');
  });

  it('has ours while the agent lists nonsense, or lists without end', async () => {
    const rowsOfNonsense = [null, 7, 'x', {}, { sessionId: 5 }, { sessionId: 'a', cwd: 'b\nc' }];
    const odd = sessionAgent({ rows: rowsOfNonsense, nulls: true, listsAll: true });
    const nvim = await startChat(odd);
    await run(nvim, 'AcpChat [[title Sane]]');
    await idle(nvim);
    const list = await rows(nvim);
    expect(list.filter((row) => row.includes('Sane'))).toHaveLength(1);
    await dismiss(nvim);
    await nvim.close();

    const endless = await startChat(sessionAgent({ cursors: 'endless', pageSize: 1 }));
    await run(endless, 'AcpChat [[title Sane]]');
    await idle(endless);
    expect((await rows(endless)).filter((row) => row.includes('Sane'))).toHaveLength(1);
    await dismiss(endless);
    expect(await endless.messages()).toContain('more sessions than are shown');
  });

  it('lists after a crash of the sidecar what was open, once', async () => {
    const nvim = await startChat(sessionAgent());
    await run(nvim, 'AcpChat [[title Survivor]]');
    await idle(nvim);
    await killSidecar(nvim);
    expect(await rows(nvim)).toEqual([expect.stringContaining('Survivor')]);
    await nvim.input('1<CR>');
    await nvim.input('and on<C-s>');
    await nvim.waitForScreen('echo: and on');
    expect(await nvim.lua(`return #require('acp.chat').list()`)).toBe(1);
  });

  it('shows what another Neovim has open, and does not take it', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    await run(nvim, 'AcpChat [[title Shared]]');
    await idle(nvim);
    const other = await another(nvim, agent);
    await choose(other, /Shared .* in another Neovim$/);
    await other.waitForScreen('is open in another Neovim: close it there');
    expect(await other.lua(`return #require('acp.chat').list()`)).toBe(0);
  });
});

describe('a row', () => {
  it('that is open here is shown, not opened a second time', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    await run(nvim, 'AcpChat [[title First]]');
    await idle(nvim);
    await run(nvim, 'AcpNew [[title Second]]');
    await idle(nvim, 's2');
    await choose(nvim, /First .* open here$/);
    await eventually(() => expect(nvim.screen()).not.toContain('[[title Second]]'));
    await nvim.waitForScreen('[[title First]]');
    expect(await nvim.lua(`return #require('acp.chat').list()`)).toBe(2);
    expect(agent.received('session/load')).toEqual([]);
    expect(agent.received('session/resume')).toEqual([]);
  });

  it('is forked, and the other goes on alone', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    await run(nvim, 'AcpChat the root [[title Root]]');
    await idle(nvim);
    await run(nvim, 'AcpClose');
    await choose(nvim, /Root/, 'AcpSessions fork');
    await nvim.waitForScreen('echo: the root');
    await nvim.input('the branch<C-s>');
    await nvim.waitForScreen('echo: the branch');
    expect(agent.sessions().map(({ prompts }) => prompts.length)).toEqual([1, 2]);
  });

  it('is renamed, here and at the agent', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    await run(nvim, 'AcpChat [[title Old]]');
    await idle(nvim);
    await run(nvim, 'AcpClose');
    await choose(nvim, /Old/, 'AcpSessions rename');
    await nvim.waitForScreen('Title: Old');
    await nvim.input('<C-u>New name<CR>');
    await eventually(() => expect(agent.sessions()[0]?.title).toBe('New name'));
    expect(await rows(nvim)).toEqual([expect.stringMatching(/New name .* saved$/)]);
  });

  it('is deleted after a question; “Keep” keeps it', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    await run(nvim, 'AcpChat [[title Doomed]]');
    await idle(nvim);
    await run(nvim, 'AcpClose');
    await choose(nvim, /Doomed/, 'AcpSessions delete');
    await nvim.waitForScreen('Delete “Doomed”?');
    await nvim.input('2<CR>');
    await eventually(() => expect(nvim.screen()).not.toContain('Delete “Doomed”?'));
    expect(await rows(nvim)).toHaveLength(1);
    await dismiss(nvim);
    await choose(nvim, /Doomed/, 'AcpSessions delete');
    await nvim.waitForScreen('Delete “Doomed”?');
    await nvim.input('1<CR>');
    await eventually(() => expect(agent.sessions()).toEqual([]));
    await run(nvim, 'AcpSessions');
    await nvim.waitForScreen('no sessions in this folder');
  });

  it('is closed: what runs in it is cancelled, and it is saved then', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    await run(nvim, 'AcpChat [[title Busy]] [[wait never]]');
    await nvim.waitForScreen('echo:');
    await run(nvim, 'AcpNew [[title Other]]');
    await idle(nvim, 's2');
    await choose(nvim, /Busy .* working$/, 'AcpSessions close');
    await eventually(() => expect(agent.received('session/close')).toHaveLength(1));
    expect(agent.received('session/cancel')).toHaveLength(1);
    await eventually(async () => {
      expect((await rows(nvim)).join('\n')).toMatch(/Busy .* saved/);
      await dismiss(nvim);
    });
    expect((await state(nvim, 's2')).state).toBe('idle');
    expect(await said(nvim, 's2')).toContain('[[title Other]]');
  });
});
