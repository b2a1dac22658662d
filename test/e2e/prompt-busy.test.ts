/** Prompts that are sent while the agent works: they wait, go into the turn, or take its place. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, sessionAgent, type Nvim, type SessionAgent } from '../harness';
import { idle, state } from './e2e';
import { above, holds, startAtPrompt, tells } from './prompts';
import { another, choose, killSidecar, prompt, run, said, says } from './sessions';

/** A chat whose agent works until `go()`. */
async function working(
  agent: SessionAgent,
  options: Parameters<typeof startAtPrompt>[1] = {},
): Promise<{ nvim: Nvim; go: () => void }> {
  const nvim = await startAtPrompt(agent, { columns: 160, ...options });
  await nvim.input('begin [[wait go]]<C-s>');
  await says(nvim, 'echo: begin');
  return { nvim, go: () => writeFileSync(join(nvim.dir, 'go'), '') };
}

/** Sends prompts, and waits until each waits. */
async function queue(nvim: Nvim, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    await nvim.input(`i${text}<C-s>`);
    await queued(nvim, (all) => all.includes(text));
  }
}

async function queued(nvim: Nvim, is: (texts: string[]) => boolean): Promise<void> {
  await eventually(async () => {
    const waits = ((await state(nvim)).queue ?? []) as { text: string }[];
    expect(is(waits.map(({ text }) => text))).toBe(true);
  });
}

/** What the agent was sent as prompts, in order. */
function prompts(agent: SessionAgent): string[] {
  return agent
    .received('session/prompt')
    .map(({ params }) => (params!.prompt as { text: string }[])[0]!.text);
}

const words = (text: string) => text.replace(/ \[\[.*/, '');

describe('the queue', () => {
  it('takes prompts while the agent works, shows them, and sends each in its turn', async () => {
    const agent = sessionAgent();
    const { nvim, go } = await working(agent);
    await nvim.waitForScreen('<C-s> queues · <M-CR> sends now');
    await queue(nvim, 'second', 'third');
    await nvim.waitForScreen('2 queued');
    await nvim.waitForScreen('▌ second');
    expect(prompts(agent)).toHaveLength(1);
    go();
    await says(nvim, 'echo: third');
    await idle(nvim);
    expect(prompts(agent).map(words)).toEqual(['begin', 'second', 'third']);
    await nvim.waitForScreen('<C-s> send');
    expect(nvim.screen()).not.toContain('queued');
  });

  it('is edited, reordered and shortened as text', async () => {
    const agent = sessionAgent();
    const { nvim, go } = await working(agent);
    await queue(nvim, 'one', 'two', 'three');
    await nvim.input('<M-q>');
    await nvim.waitForScreen('Prompts that wait');
    await nvim.waitForScreen('── 1 ');
    await nvim.waitForScreen(':w applies');
    // The first behind the second, the third other words, and a new one.
    await nvim.input('ggddggp');
    await nvim.input('/three<CR>cc3rd<Esc>Go---<CR>a fourth<Esc>');
    await nvim.waitForScreen('── 4 · new');
    await nvim.input(':w<CR>');
    await queued(nvim, (all) => all.join() === 'two,one,3rd,a fourth');
    await nvim.input('ggdd:wq<CR>');
    await queued(nvim, (all) => all.join() === 'one,3rd,a fourth');
    await eventually(() => expect(nvim.screen()).not.toContain('Prompts that wait'));
    go();
    await says(nvim, 'echo: a fourth');
    expect(prompts(agent).map(words)).toEqual(['begin', 'one', '3rd', 'a fourth']);
  });

  it('is cleared by command: what waited goes back to the prompt with what goes along', async () => {
    const agent = sessionAgent();
    const { nvim, go } = await working(agent);
    writeFileSync(join(nvim.dir, 'a.txt'), 'a');
    await run(nvim, 'AcpAdd file a.txt');
    await queue(nvim, 'with a file');
    await queue(nvim, 'and one more');
    await nvim.input('ia draft<Esc>');
    await run(nvim, 'AcpQueue clear');
    await holds(nvim, 'with a file\n\nand one more\na draft');
    expect(await above(nvim)).toContain('@a.txt');
    await queued(nvim, (all) => all.length === 0);
    go();
    await idle(nvim);
    expect(prompts(agent)).toHaveLength(1);
    await run(nvim, 'AcpQueue');
    await tells(nvim, 'no prompt waits');
  });

  it('goes back to the prompt when the turn is cancelled', async () => {
    const agent = sessionAgent();
    const { nvim } = await working(agent);
    await queue(nvim, 'waits');
    await nvim.input('<C-c>');
    await idle(nvim);
    await holds(nvim, 'waits');
    expect(prompts(agent)).toHaveLength(1);
  });

  it('lives on after a crash of the sidecar and of Neovim, and waits for the user then', async () => {
    const agent = sessionAgent();
    const { nvim } = await working(agent);
    await queue(nvim, 'first of the queue', 'second of the queue');
    await killSidecar(nvim);
    await nvim.kill();
    const next = await another(nvim, agent);
    await choose(next, /begin/);
    await next.waitForScreen(/2 prompts wait · <M-q> shows/);
    await idle(next);
    expect(prompts(agent)).toHaveLength(1);
    await next.input('<M-q>');
    await next.waitForScreen('Prompts from before: they wait until you send one, or :w');
    await next.input(':wq<CR>');
    await says(next, 'echo: second of the queue');
    expect(prompts(agent).map(words)).toEqual([
      'begin',
      'first of the queue',
      'second of the queue',
    ]);
  });
});

describe('sending now', () => {
  it('cancels what the agent does, and what waits waits on', async () => {
    const agent = sessionAgent();
    const { nvim } = await working(agent);
    await queue(nvim, 'waits');
    await nvim.input('iurgent<M-CR>');
    await says(nvim, 'echo: waits');
    expect(agent.received('session/cancel')).toHaveLength(1);
    expect(prompts(agent).map(words)).toEqual(['begin', 'urgent', 'waits']);
    await idle(nvim);
    expect((await said(nvim)).indexOf('▌ urgent')).toBeLessThan(
      (await said(nvim)).indexOf('▌ waits'),
    );
  });

  it('is what <C-s> does where the option says so, and the hint says it', async () => {
    const agent = sessionAgent();
    const { nvim } = await working(agent, { options: { prompt: { busy: 'now' } } });
    await nvim.waitForScreen('<C-s> sends now');
    await nvim.input('iurgent<C-s>');
    await says(nvim, 'echo: urgent');
    expect(agent.received('session/cancel')).toHaveLength(1);
  });
});

describe('steering', () => {
  it('goes into the running turn, and is seen there', async () => {
    const agent = sessionAgent({ steering: true });
    const { nvim, go } = await working(agent);
    await nvim.waitForScreen('<C-s> queues · <M-CR> sends now · <M-s> steers');
    await nvim.input('ileft, please<M-s>');
    await says(nvim, 'steered: left, please');
    await says(nvim, '▌ left, please');
    expect(prompts(agent)).toHaveLength(1);
    expect(agent.received('_session/steering')).toHaveLength(1);
    expect((await state(nvim)).state).toBe('working');
    go();
    await idle(nvim);
    expect(await prompt(nvim)).toBe('');
  });

  it('is what <C-s> does where the option says so, and the hint says it', async () => {
    const agent = sessionAgent({ steering: true });
    const { nvim, go } = await working(agent, { options: { prompt: { busy: 'steer' } } });
    await nvim.waitForScreen('<C-s> steers');
    await nvim.input('ileft<C-s>');
    await says(nvim, 'steered: left');
    go();
    await idle(nvim);
    expect(prompts(agent)).toHaveLength(1);
  });

  it('that the agent does not know is not offered, and says so when asked for', async () => {
    const agent = sessionAgent();
    const { nvim, go } = await working(agent, { options: { prompt: { busy: 'steer' } } });
    await nvim.waitForScreen('<C-s> queues');
    expect(nvim.screen()).not.toContain('steers');
    await nvim.input('ileft<M-s>');
    await nvim.waitForScreen('scripted takes no prompt into a turn that runs: send it');
    await holds(nvim, 'left');
    await nvim.input('<C-s>');
    await queued(nvim, (all) => all.join() === 'left');
    go();
    await says(nvim, 'echo: left');
  });

  it('with nothing running simply sends', async () => {
    const agent = sessionAgent({ steering: true });
    const nvim = await startAtPrompt(agent);
    await nvim.input('hello<M-s>');
    await says(nvim, 'echo: hello');
    expect(prompts(agent)).toEqual(['hello']);
  });
});
