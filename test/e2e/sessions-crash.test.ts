/** What a person finds after the sidecar, the agent or Neovim has died, and in two Neovims at a time. */
import { describe, expect, it } from 'vitest';
import { eventually, expectScreen, isAlive, sessionAgent, type Nvim } from '../harness';
import { idle, lines, startChat, state } from './e2e';
import {
  another,
  choose,
  dismiss,
  killSidecar,
  prompt,
  rows,
  run,
  said,
  says,
  times,
} from './sessions';

const queue = async (nvim: Nvim, session = 's1') =>
  ((await state(nvim, session)).queue as { text: string }[]).map(({ text }) => text);

const titled = (nvim: Nvim, title: string) =>
  eventually(async () => expect((await state(nvim)).title).toBe(title));

/** What the sidecar was told of the prompt. */
const told = (nvim: Nvim) =>
  nvim.lua<string>(`return (require('acp.chat').get('s1').draft_told or {}).text or ''`);

/** A session in the middle of a turn, with a queue and a draft. */
async function busy() {
  const agent = sessionAgent();
  const nvim = await startChat(agent);
  await run(nvim, 'AcpChat first [[title Busy]]');
  await says(nvim, 'echo: first');
  await run(nvim, 'AcpChat second [[say half]] [[wait go]] [[say never]]');
  await says(nvim, /half$/m);
  await nvim.input('iqueued one<C-s>');
  await eventually(async () => expect(await queue(nvim)).toEqual(['queued one']));
  await nvim.input('iqueued two<C-s>');
  await eventually(async () => expect(await queue(nvim)).toEqual(['queued one', 'queued two']));
  await nvim.input('ihalf a thought');
  await eventually(async () => expect(await prompt(nvim)).toBe('half a thought'));
  await eventually(async () => expect(await told(nvim)).toBe('half a thought'));
  return { nvim, agent };
}

/** Each word that was said or sent stands there once. */
function once(text: string, ...words: string[]): void {
  for (const word of words) expect(times(text, word), `${word} in\n${text}`).toBe(1);
}

describe('the sidecar, killed in the middle of a turn with a queue and a draft,', () => {
  it('says so, keeps all on screen, and with the next prompt everything is back once', async () => {
    const { nvim, agent } = await busy();
    await killSidecar(nvim);
    await nvim.waitForScreen('The sidecar ended');
    await nvim.waitForScreen('The next prompt starts it again');
    await nvim.waitForScreen('ended');
    expect(await prompt(nvim)).toBe('half a thought');
    once(await said(nvim), 'echo: first', '▌ queued one', '▌ queued two');

    await nvim.input(', and the rest<C-s>');
    await says(nvim, 'echo: half a thought, and the rest');
    await idle(nvim);
    const text = await said(nvim);
    once(text, '▌ first', 'echo: first', '▌ second', 'echo: second');
    once(text, '▌ queued one', '▌ queued two', 'echo: queued one', 'echo: queued two');
    once(text, '▌ half a thought, and the rest');
    expect(text).not.toContain('The sidecar ended');
    expect(text).toMatch(/half$[^]*── interrupted/m);
    expect(await prompt(nvim)).toBe('');
    expect(agent.sessions()).toHaveLength(1);
    expect(agent.sessions()[0]!.prompts.map((it) => it.split(' [')[0])).toEqual([
      'first',
      'second',
      'queued one',
      'queued two',
      'half a thought, and the rest',
    ]);
  });

  it('holds what waited until something is sent, and it can be edited before', async () => {
    const { nvim, agent } = await busy();
    await killSidecar(nvim);
    await run(nvim, 'AcpRestart');
    await eventually(async () => expect((await state(nvim)).held).toBe(true));
    await idle(nvim);
    expect(await queue(nvim)).toEqual(['queued one', 'queued two']);
    expect(await prompt(nvim)).toBe('half a thought');
    await run(nvim, 'AcpQueue clear');
    await eventually(async () => expect(await queue(nvim)).toEqual([]));
    once(await prompt(nvim), 'queued one', 'queued two', 'half a thought');
    expect(agent.sessions()[0]!.prompts).toHaveLength(2);
  });

  it('ends its agents', async () => {
    const { nvim, agent } = await busy();
    await killSidecar(nvim);
    await eventually(() => expect(agent.alive()).toEqual([]), { timeout: 8000 });
  });

  it('takes no other session along: each is back when it is shown again and prompted', async () => {
    const { nvim } = await busy();
    await run(nvim, 'AcpNew [[title Other]] other');
    await says(nvim, 'echo:', 's2');
    await idle(nvim, 's2');
    await killSidecar(nvim, 's2');
    await nvim.input('imore<C-s>');
    await says(nvim, 'echo: more', 's2');
    expect((await state(nvim, 's1')).state).toBe('dead');
    await choose(nvim, /Busy/);
    await nvim.waitForScreen('half a thought');
    await nvim.input('<C-s>');
    await says(nvim, 'echo: half a thought', 's1');
    once(await said(nvim, 's1'), 'echo: first', 'echo: queued one', 'echo: queued two');
  });
});

describe('the agent, killed in the middle of a turn,', () => {
  it('is told with what to do, and the next prompt brings the session back', async () => {
    const { nvim, agent } = await busy();
    process.kill(agent.pids()[0]!, 'SIGKILL');
    await nvim.waitForScreen('was ended by SIGKILL');
    await nvim.waitForScreen('The next prompt starts it again');
    await nvim.waitForScreen('the agent died');
    expect(await prompt(nvim)).toContain('half a thought');
    once(await said(nvim), 'echo: first', 'echo: second');
    // What waited is neither sent unseen nor lost.
    once(`${(await queue(nvim)).join()}${await prompt(nvim)}`, 'queued one', 'queued two');
    await nvim.input('!<C-s>');
    await eventually(() => expect(agent.pids()).toHaveLength(2));
    await says(nvim, /echo: [^]*half a thought!/);
    await idle(nvim);
    once(await said(nvim), 'echo: first', '▌ second', 'The next prompt starts it again');
    expect(agent.sessions()).toHaveLength(1);
    expect(agent.received('session/resume')).toHaveLength(1);
  });
});

describe('Neovim, killed in the middle of a turn with a queue and a draft,', () => {
  it('leaves a session of which the next one tells in its first chat, and which is whole', async () => {
    const { nvim, agent } = await busy();
    const sidecar = await nvim.lua<number>(`return require('acp.sidecar').pid()`);
    await nvim.kill();
    await eventually(() => expect(isAlive(sidecar)).toBe(false), { timeout: 8000 });

    const next = await another(nvim, agent);
    await next.input(':AcpChat<CR>');
    await next.waitForScreen('The last session here ended in the middle, with a');
    await next.waitForScreen(':AcpSessions');
    await choose(next, /Busy .* saved · interrupted · draft$/);
    await eventually(async () => expect(await prompt(next, 's2')).toBe('half a thought'));
    await next.waitForScreen('half a thought');
    await idle(next, 's2');
    expect(await queue(next, 's2')).toEqual(['queued one', 'queued two']);
    const text = await said(next, 's2');
    once(text, 'echo: first', '▌ second', 'echo: second', '▌ queued one', '▌ queued two');
    expect(text).toMatch(/half$[^]*── interrupted/m);

    await next.input('!<C-s>');
    await says(next, 'echo: half a thought!', 's2');
    once(await said(next, 's2'), 'echo: queued one', 'echo: queued two', 'echo: first');
    expect(agent.sessions()[0]!.prompts).toHaveLength(5);
  });
});

describe('what is unfinished in a folder', () => {
  const HINT = 'The last session here';

  /** A session with a draft, of a Neovim that has ended. */
  const drafted = async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    await run(nvim, 'AcpChat said [[title Left]]');
    await says(nvim, 'echo: said');
    await nvim.input('iand typed<C-\\><C-n>');
    await run(nvim, 'qa');
    await nvim.exited;
    return { nvim, agent };
  };

  it('is told in an empty chat, which keeps nothing of it', async () => {
    const { nvim, agent } = await drafted();
    const next = await another(nvim, agent);
    await next.input(':AcpChat<CR>');
    await next.waitForScreen(`${HINT} has a draft: :AcpSessions`);
    await next.waitForScreen('-- INSERT --');
    await idle(next);
    await expectScreen(next, 'unfinished');
    await next.input('something else<C-s>');
    await says(next, 'echo: something else');
    expect(await said(next)).not.toContain(HINT);
    // Once is enough, and what came before the last session was left behind by will.
    await run(next, 'AcpNew');
    await idle(next, 's2');
    expect(await lines(next, 's2')).toEqual(['']);
    await run(next, 'qa');
    await next.exited;
    const third = await another(nvim, agent);
    await third.input(':AcpChat<CR>');
    await idle(third);
    expect(await lines(third)).toEqual(['']);
  });

  it('is told in a message where the chat begins with a prompt', async () => {
    const { nvim, agent } = await drafted();
    const next = await another(nvim, agent);
    await run(next, 'AcpChat at once');
    await next.waitForScreen(HINT);
    await says(next, 'echo: at once');
    expect(await said(next)).not.toContain(HINT);
  });

  it('is not what is open, here or in another Neovim', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    await run(nvim, 'AcpChat said');
    await says(nvim, 'echo: said');
    await nvim.input('ityped<C-\\><C-n>');
    await run(nvim, 'AcpNew');
    await idle(nvim, 's2');
    expect(await lines(nvim, 's2')).toEqual(['']);
    const other = await another(nvim, agent);
    await other.input(':AcpChat<CR>');
    await idle(other);
    expect(await lines(other)).toEqual(['']);
  });

  it('is gone from an empty chat when the sidecar dies', async () => {
    const { nvim, agent } = await drafted();
    const next = await another(nvim, agent);
    await next.input(':AcpChat<CR>');
    await next.waitForScreen(HINT);
    await killSidecar(next);
    await next.waitForScreen('The sidecar ended');
    expect(await said(next)).not.toContain(HINT);
    await next.input('on<C-s>');
    await says(next, 'echo: on');
  });
});

describe('an idle agent', () => {
  it('is ended after a while, and had again with the next prompt', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    // The option counts in minutes.
    await nvim.lua(`require('acp.config').get().idle_timeout = 0.01`);
    await run(nvim, 'AcpChat one');
    await says(nvim, 'echo: one');
    await eventually(() => expect(agent.alive()).toEqual([]));
    expect((await state(nvim)).state).toBe('idle');
    const before = await said(nvim);
    await run(nvim, 'AcpChat two');
    await says(nvim, 'echo: two');
    expect((await said(nvim)).startsWith(before.trimEnd())).toBe(true);
    expect(agent.pids()).toHaveLength(2);
    expect(agent.received('session/resume')).toHaveLength(1);
    expect(agent.sessions()).toHaveLength(1);
  });
});

describe('two Neovims on one folder', () => {
  it('have sessions of their own, see those of the other, and open none twice', async () => {
    const agent = sessionAgent();
    const one = await startChat(agent);
    await run(one, 'AcpChat [[title Of one]]');
    await titled(one, 'Of one');
    const two = await another(one, agent);
    await run(two, 'AcpChat [[title Of two]]');
    await titled(two, 'Of two');
    expect((await rows(one)).sort()).toEqual([
      expect.stringMatching(/^ *Of two .* in another Neovim$/),
      expect.stringMatching(/^● Of one .* open here$/),
    ]);
    await dismiss(one);
    await choose(two, /Of one/);
    await two.waitForScreen('open in another Neovim');
    expect(await two.lua(`return #require('acp.chat').list()`)).toBe(1);
    await run(one, 'AcpClose');
    await eventually(async () => {
      const all = (await rows(two)).join('\n');
      await dismiss(two);
      expect(all).toMatch(/Of one .* saved/);
    });
    await choose(two, /Of one .* saved$/);
    await says(two, '[[title Of one]]', 's2');
    await two.input('taken over<C-s>');
    await says(two, 'echo: taken over', 's2');
  });

  it('that open the same session at the same time: one has it, the other says so and can fork it', async () => {
    const agent = sessionAgent();
    const one = await startChat(agent);
    await run(one, 'AcpChat hello [[title Wanted]]');
    await titled(one, 'Wanted');
    await idle(one);
    await run(one, 'AcpClose');
    const two = await another(one, agent);
    await rows(one);
    await rows(two);
    await Promise.all([one.input('1<CR>'), two.input('1<CR>')]);
    await says(one, 'echo: hello', 's2');
    await says(two, 'echo: hello', 's1');
    await eventually(async () => {
      const states = [(await state(one, 's2')).state, (await state(two, 's1')).state].sort();
      expect(states).toEqual(['idle', 'saved']);
    });
    const loser = (await state(one, 's2')).state === 'saved' ? one : two;
    await loser.waitForScreen('open in another Neovim');
    await run(loser, 'AcpSessions fork');
    await loser.waitForScreen('Type number');
    await loser.input('1<CR>');
    const fork = loser === one ? 's3' : 's2';
    await says(loser, 'echo: hello', fork);
    await loser.input('on<C-s>');
    await says(loser, 'echo: on', fork);
  });
});
