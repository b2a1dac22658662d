/** Agents that write files by themselves, as most do: each prompt is the name of what they do in that turn. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { eventually, scriptedAgent, type Nvim, type ScriptedAgent, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { idle } from './e2e';

const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

const settings: Step[] = [
  { expect: 'initialize' },
  {
    reply: {
      protocolVersion: 1,
      agentInfo: { name: 'nanocoder', title: 'Nanocoder', version: '1' },
      agentCapabilities: { promptCapabilities: { embeddedContext: true } },
    },
  },
  { expect: 'session/new', as: 'new' },
  { reply: { sessionId: 's' } },
];

/** What of a chat differs from run to run, for golden screens. */
export const CLOCK: [RegExp, string][] = [
  [/\b\d\d:\d\d\b/, '00:00'],
  [/\b0:\d\d\b/, '0:00'],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '⠋'],
];

/** What is done in the turn of each prompt. */
export type Turns = Record<string, Step[]>;

/** An agent that does what is said of each prompt; to others it says that it is done. */
export function turnAgent(turns: Turns): ScriptedAgent {
  const steps = Object.entries(turns).map(([prompt, steps]): Step => ({
    when: ['${prompt.params.prompt.0.text}', prompt],
    steps,
  }));
  return scriptedAgent([
    ...settings,
    {
      repeat: 1000,
      steps: [{ expect: 'session/prompt', as: 'prompt' }, ...steps, chunk('Done.'), END],
    },
  ]);
}

/** The agent writes a file in its own process. */
export function writes(name: string, text: string): Step {
  return { sh: `mkdir -p "$(dirname '${name}')" && cat > '${name}' <<'ACP_END'\n${text}ACP_END` };
}

/** Writes the files of a project; with `git`, one that is committed. */
export function project(nvim: Nvim, files: Record<string, string | Buffer>, git = true): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(nvim.dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  if (!git) return;
  const run = (...args: string[]) => execFileSync('git', args, { cwd: nvim.dir, stdio: 'ignore' });
  run('init', '-q');
  run('add', '-A');
  run('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'begin');
}

/** Sends a prompt by command and waits until its turn is over and its changes are looked at. */
export async function turn(nvim: Nvim, prompt: string): Promise<void> {
  const turns = () => nvim.lua<number>('return vim.g.turns or 0');
  const before = await turns();
  await nvim.input(`<C-\\><C-n>:AcpChat ${prompt}<CR>`);
  await eventually(async () => expect(await turns()).toBeGreaterThan(before), { timeout: 10_000 });
  await idle(nvim);
  await nvim.input('<C-\\><C-n>');
}

/** Counts turns, for {@link turn}. */
export const COUNT_TURNS = `
  vim.api.nvim_create_autocmd('User', {
    pattern = 'AcpTurnEnd',
    callback = function() vim.g.turns = (vim.g.turns or 0) + 1 end,
  })`;
