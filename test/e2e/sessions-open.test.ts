/** Opening a session that was there before, with all kinds of agents. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, sessionAgent, tempDir, type Nvim, type SessionAgentOptions } from '../harness';
import { idle, startChat, state } from './e2e';
import { another, choose, forget, prompt, run, said, says, seed, times } from './sessions';

const file = () => join(tempDir(), 'sessions.jsonl');

const ALL = 'work [[think]] [[plan]] [[tool]] [[say and done]] [[title Whole]]';

/** What `ALL` looks like in a transcript. */
const WHOLE = [/▌ work/, /echo: work/, /Thought/, /the first thing/, /Look around/, /and done/];

/** A Neovim with a session that was closed again, and the text that it had. */
async function closed(
  options: SessionAgentOptions,
  words = ALL,
): Promise<{ nvim: Nvim; agent: ReturnType<typeof sessionAgent>; before: string }> {
  const agent = sessionAgent(options);
  const nvim = await startChat(agent);
  await run(nvim, `AcpChat ${words}`);
  await idle(nvim);
  await eventually(async () => expect(await said(nvim)).toMatch(/── \d/));
  const before = await said(nvim);
  await run(nvim, 'AcpClose');
  return { nvim, agent, before };
}

/** The same session for a Neovim that has nothing of it but what the agent can tell. */
async function foreign(options: SessionAgentOptions): Promise<{
  nvim: Nvim;
  agent: ReturnType<typeof sessionAgent>;
}> {
  const kept = options.file ?? file();
  const first = await startChat(sessionAgent({ file: kept }));
  await run(first, `AcpChat ${ALL}`);
  await idle(first);
  const { dir } = first;
  await first.close();
  const agent = sessionAgent({ ...options, file: kept });
  return { nvim: await startChat(agent, { dir }), agent };
}

describe('a session of which we hold the transcript', () => {
  it('is resumed: it stands there as it was, nothing is told anew, and it goes on', async () => {
    const { nvim, agent, before } = await closed({});
    await choose(nvim, /Whole/);
    await idle(nvim, 's2');
    expect(await said(nvim, 's2')).toBe(before);
    expect(agent.received('session/resume')).toHaveLength(1);
    expect(agent.received('session/load')).toEqual([]);
    await nvim.input('more<C-s>');
    await says(nvim, 'echo: more', 's2');
    expect(agent.sessions()).toHaveLength(1);
    expect(agent.sessions()[0]?.prompts).toHaveLength(2);
  });

  for (const replays of ['before', 'after'] as const) {
    it(`is loaded where the agent can’t resume, and a replay ${replays} the response is not shown again`, async () => {
      const { nvim, agent, before } = await closed({ can: { resume: false }, replays });
      await choose(nvim, /Whole/);
      await idle(nvim, 's2');
      await nvim.input('more<C-s>');
      await says(nvim, 'echo: more', 's2');
      const text = await said(nvim, 's2');
      expect(text.startsWith(before.trimEnd())).toBe(true);
      expect(times(text, 'Look around')).toBe(1);
      expect(times(text, 'and done')).toBe(2);
      expect(agent.received('session/load')).toHaveLength(1);
    });
  }

  it('is loaded where resuming fails', async () => {
    const { nvim, agent, before } = await closed({ fails: { 'session/resume': -32603 } });
    await choose(nvim, /Whole/);
    await idle(nvim, 's2');
    expect(await said(nvim, 's2')).toBe(before);
    expect(agent.received('session/load')).toHaveLength(1);
  });

  it('is resumed by an agent that can do only that', async () => {
    const can = { list: false, load: false, fork: false, close: false, delete: false };
    const { nvim, before } = await closed({ can });
    await choose(nvim, /Whole/);
    await idle(nvim, 's2');
    expect(await said(nvim, 's2')).toBe(before);
    await nvim.input('more<C-s>');
    await says(nvim, 'echo: more', 's2');
  });

  it('is loaded by an agent that has no list', async () => {
    const { nvim, before } = await closed({ can: { list: false, resume: false } });
    await choose(nvim, /Whole/);
    await idle(nvim, 's2');
    expect(await said(nvim, 's2')).toBe(before);
  });
});

describe('our own transcript', () => {
  const NOTHING = { list: false, load: false, resume: false, fork: false, close: false };

  it('can be read where the agent can open nothing, and says so plainly', async () => {
    const { nvim, before } = await closed({ can: NOTHING });
    await choose(nvim, /Whole/);
    await nvim.waitForScreen('Keeper has forgotten this session');
    const text = await said(nvim, 's2');
    expect(text.startsWith(before.trimEnd())).toBe(true);
    expect((await state(nvim, 's2')).state).toBe('saved');
    for (const part of WHOLE) expect(text).toMatch(part);
  });

  it('offers a new session with what was said, and the agent gets it', async () => {
    const { nvim, agent } = await closed({ can: NOTHING });
    await choose(nvim, /Whole/);
    await nvim.waitForScreen('has forgotten this session');
    await nvim.input('and now?<C-s>');
    await nvim.waitForScreen('Start a new session with what was said');
    await nvim.input('1<CR>');
    await says(nvim, 'echo: and now?', 's2');
    const prompts = agent.received('session/prompt');
    const blocks = prompts.at(-1)?.params?.prompt as { type: string; resource?: object }[];
    expect(JSON.stringify(blocks)).toContain('echo: work');
    expect(JSON.stringify(blocks)).toContain('and done');
    expect(agent.received('session/new')).toHaveLength(2);
    // From here on it is a session as any other.
    await idle(nvim, 's2');
    await nvim.input('i<Esc>');
    await run(nvim, 'AcpChat further');
    await says(nvim, 'echo: further', 's2');
  });

  it('offers one without it, and sends nothing where neither is wanted', async () => {
    const { nvim, agent } = await closed({ can: NOTHING });
    await choose(nvim, /Whole/);
    await nvim.waitForScreen('has forgotten this session');
    await nvim.input('and now?<C-s>');
    await nvim.waitForScreen('Type number');
    await nvim.input('<CR>');
    await eventually(async () => expect(await prompt(nvim, 's2')).toBe('and now?'));
    expect(agent.received('session/prompt')).toHaveLength(1);
    await nvim.input('<Esc><C-s>');
    await nvim.waitForScreen('Start a new session without it');
    await nvim.input('2<CR>');
    await says(nvim, 'echo: and now?', 's2');
    expect(JSON.stringify(agent.received('session/prompt').at(-1))).not.toContain('echo: work');
    expect(await prompt(nvim, 's2')).toBe('');
  });

  for (const [code, what] of [
    [-32002, 'has forgotten this session'],
    [-32603, 'could not open this session again'],
  ] as const) {
    it(`is shown where loading fails with ${code}, which says why in the agent’s words`, async () => {
      const fails = { 'session/load': code };
      const { nvim, before } = await closed({ can: { resume: false }, fails });
      await choose(nvim, /Whole/);
      await says(nvim, `Keeper ${what}: session/load fails`, 's2');
      expect((await said(nvim, 's2')).startsWith(before.trimEnd())).toBe(true);
      expect((await state(nvim, 's2')).state).toBe('saved');
    });
  }

  it('comes with a warning where the agent loads as empty what it does not know', async () => {
    const kept = file();
    const { nvim, before } = await closed({
      file: kept,
      opensUnknown: true,
      can: { resume: false, list: false },
    });
    forget(kept, 'kept-1');
    await choose(nvim, /Whole/);
    await says(nvim, 'told nothing of it', 's2');
    const text = await said(nvim, 's2');
    expect(text.startsWith(before.trimEnd())).toBe(true);
    expect(text).toContain('It may not remember the conversation above');
  });
});

describe('a session that only the agent has', () => {
  for (const replays of ['before', 'after'] as const) {
    it(`is loaded, and its replay ${replays} the response is rendered: calls, thoughts, plans and all`, async () => {
      const { nvim, agent } = await foreign({ replays });
      await choose(nvim, /Whole/);
      await says(nvim, 'and done', 's1');
      await idle(nvim, 's1');
      const text = await said(nvim);
      for (const part of WHOLE) expect(text).toMatch(part);
      expect(times(text, 'and done')).toBe(2);
      await nvim.input('more<C-s>');
      await says(nvim, /echo: more[^]*── /);
      expect(agent.sessions()).toHaveLength(1);
      // It is ours from now on: opened again it needs no replay.
      const shown = await said(nvim);
      await run(nvim, 'AcpClose');
      await choose(nvim, /Whole/);
      await idle(nvim, 's2');
      expect(await said(nvim, 's2')).toBe(shown);
      expect(agent.received('session/load')).toHaveLength(1);
    });
  }

  it('is resumed where it can’t be loaded, and says that what was said can’t be told', async () => {
    const { nvim } = await foreign({ can: { load: false } });
    await choose(nvim, /Whole/);
    await says(nvim, 'can’t tell what was said before');
    await nvim.input('more<C-s>');
    await says(nvim, 'echo: more');
  });

  it('says why it can’t be opened where the agent can neither, and what to do', async () => {
    const { nvim } = await foreign({ can: { load: false, resume: false } });
    await choose(nvim, /Whole/);
    await says(nvim, 'could not open this session again: it can’t open former ones');
    await says(nvim, 'Nothing of it is kept here: :AcpNew begins another.');
    await nvim.input('what I typed<C-s>');
    await eventually(async () => expect(await prompt(nvim)).toBe('what I typed'));
  });

  it('says why where it fails, and is there when it is tried once more', async () => {
    const fails = { 'session/load': -32603, 'session/resume': -32603 };
    const { nvim, agent } = await foreign({ fails });
    await choose(nvim, /Whole/);
    await says(nvim, 'could not open this session again: session/load fails');
    await says(nvim, ':AcpRestart tries once more');
    const file = agent.args[1]!;
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"fails":\{.*?\},/, ''));
    await run(nvim, 'AcpRestart');
    await says(nvim, 'and done');
    await idle(nvim);
  });

  it('says why where loading fails, and resumes it then', async () => {
    const { nvim, agent } = await foreign({ fails: { 'session/load': -32603 } });
    await choose(nvim, /Whole/);
    await says(nvim, 'can’t tell what was said before');
    await says(nvim, 'At first it failed: session/load fails');
    expect(agent.received('session/resume')).toHaveLength(1);
  });

  it('shows what was typed while its replay comes behind it', async () => {
    const kept = file();
    const dir = tempDir();
    seed(kept, dir, ['Seeded']);
    const agent = sessionAgent({ file: kept });
    const nvim = await startChat(agent, { dir });
    await choose(nvim, /Seeded/);
    await nvim.input('at once<C-s>');
    await says(nvim, 'echo: at once');
    expect(await said(nvim)).toMatch(/Seeded[^]*answer to Seeded[^]*▌ at once[^]*echo: at once/);
  });
});

describe('a session that was used elsewhere since', () => {
  const elsewhere = async (options: SessionAgentOptions) => {
    const kept = file();
    const { nvim, agent } = await closed({ ...options, file: kept }, 'first [[title Wandering]]');
    const content = { type: 'text', text: 'said elsewhere' };
    const update = { sessionUpdate: 'agent_message_chunk', content };
    const entry = { id: 'kept-1', t: Date.now() + 120_000, at: 'update', update };
    appendFileSync(kept, `${JSON.stringify(entry)}\n`);
    await choose(nvim, /Wandering/);
    return { nvim, agent };
  };

  it('is loaded anew, so that nothing is missing or double', async () => {
    const { nvim } = await elsewhere({});
    await says(nvim, 'said elsewhere', 's2');
    expect(times(await said(nvim, 's2'), 'echo: first')).toBe(1);
  });

  it('keeps what we hold where that fails, and says that there is more', async () => {
    const { nvim } = await elsewhere({ fails: { 'session/load': -32603 } });
    await says(nvim, 'remembers more than is shown here', 's2');
    await says(nvim, 'session/load fails', 's2');
    expect(times(await said(nvim, 's2'), 'echo: first')).toBe(1);
    await run(nvim, 'AcpClose');
    await choose(nvim, /Wandering/);
    await says(nvim, 'echo: first', 's3');
  });

  it('keeps what we hold where the agent can open nothing', async () => {
    const { nvim } = await elsewhere({ can: { load: false, resume: false } });
    await says(nvim, 'has forgotten this session', 's2');
    expect(times(await said(nvim, 's2'), 'echo: first')).toBe(1);
  });
});

it('opens in another Neovim what was closed here', async () => {
  const { nvim, agent, before } = await closed({});
  const other = await another(nvim, agent);
  await choose(other, /Whole/);
  await idle(other, 's1');
  expect(await said(other)).toBe(before);
});
