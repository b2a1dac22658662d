/** Proposed edits by keys: seen in a float or in the file's window, answered from there or from anywhere. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, startNvim, type Nvim, type ScriptedAgent, type Step } from '../harness';
import { init } from './e2e';
import { COUNT_TURNS, project, turnAgent, type Turns } from './turns';

const BEFORE = Array.from({ length: 60 }, (_, i) => `line ${i + 1}\n`).join('');
const AFTER = BEFORE.replace('line 5\n', 'five\n').replace('line 40\n', 'forty\nand one\n');

const OPTIONS = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

/** The agent asks, and writes by itself when it may. */
const asks = (name: string): Step[] => [
  {
    request: {
      method: 'session/request_permission',
      params: {
        toolCall: {
          toolCallId: `edit ${name}`,
          kind: 'edit',
          title: `Edit ${name}`,
          content: [
            { type: 'diff', path: `\${new.params.cwd}/${name}`, oldText: BEFORE, newText: AFTER },
          ],
        },
        options: OPTIONS,
      },
    },
    as: 'ask',
  },
  { answer: 'ask' },
  {
    when: ['${ask.outcome.optionId}', 'once'],
    steps: [{ sh: `cat > ${name} <<'ACP_END'\n${AFTER}ACP_END` }],
  },
];

/** The agent writes through the editor. */
const puts = (name: string): Step => ({
  request: {
    method: 'fs/write_text_file',
    params: { path: `\${new.params.cwd}/${name}`, content: AFTER },
  },
});

interface Rig {
  nvim: Nvim;
  agent: ScriptedAgent;
  disk: (name: string) => string;
  questions: (count: number) => Promise<void>;
}

async function start(turns: Turns, options: object = {}): Promise<Rig> {
  const agent = turnAgent(turns);
  const config = { permission: { open: 'manual', writes: 'ask' }, ...options };
  const nvim = await startNvim({ init: init({ nanocoder: agent }, config) + COUNT_TURNS });
  project(nvim, { 'a.txt': BEFORE, 'b.txt': BEFORE });
  await nvim.command('edit a.txt');
  return {
    nvim,
    agent,
    disk: (name) => readFileSync(join(nvim.dir, name), 'utf8'),
    questions: (count) =>
      eventually(async () =>
        expect(await nvim.lua(`return require('acp').questions()`)).toBe(count),
      ),
  };
}

/** Sends a prompt and goes back to the code. */
async function prompt({ nvim, questions }: Rig, text: string): Promise<void> {
  await nvim.input(`<C-\\><C-n>:AcpChat ${text}<CR>`);
  await questions(1);
  await nvim.input('<C-\\><C-n><C-w>t');
  // An answer within what it takes to read a question is not meant for it.
  await eventually(async () =>
    expect(
      await nvim.lua(
        `local asked = require('acp.ui.permission_list').open[1]
        return (vim.uv.hrtime() - asked.since) / 1e6`,
      ),
    ).toBeGreaterThan(400),
  );
}

/** Shows what is asked, and leaves the select. */
async function show({ nvim }: Rig): Promise<void> {
  await nvim.input(':AcpPermission<CR>');
  await nvim.waitForScreen('3: Reject');
  await nvim.input('<Esc>');
  await eventually(() => expect(nvim.screen()).not.toContain('3: Reject'));
}

const inFloat = ({ nvim }: Rig) =>
  eventually(async () => expect(await nvim.lua(`return vim.fn.bufname()`)).toMatch(/^acp:..diff/));

describe('a proposal', () => {
  it('in a float: :q leaves it, :w allows, any buffer answers', async () => {
    const rig = await start({ a: asks('a.txt'), b: asks('b.txt') });
    const { nvim, disk, questions } = rig;
    await prompt(rig, 'a');
    await show(rig);
    await nvim.input('<C-w>lG?Edit<CR>gd');
    await nvim.waitForScreen(/ a\.txt ─+ hunk 1 of 2 · \+3 −2/);
    await inFloat(rig);
    await nvim.input(']c');
    await nvim.waitForScreen('hunk 2 of 2');
    await nvim.input(':q<CR>');
    await eventually(async () => expect(await nvim.messages()).toMatch(/still open|stays open/));
    await questions(1);
    expect(disk('a.txt')).toBe(BEFORE);
    await nvim.input('gd');
    await inFloat(rig);
    await nvim.input(':w<CR>');
    await questions(0);
    await eventually(() => expect(disk('a.txt')).toBe(AFTER));
    await nvim.waitForScreen('forty');

    await prompt(rig, 'b');
    await nvim.input(':AcpReject not now<CR>');
    await questions(0);
    // An agent that writes by itself takes no words with its answer.
    await eventually(() =>
      expect(JSON.stringify(rig.agent.received('session/prompt').at(-1))).toContain('not now'),
    );
    expect(disk('b.txt')).toBe(BEFORE);
    await prompt(rig, 'b');
    await nvim.input(':AcpAllow<CR>');
    await eventually(() => expect(disk('b.txt')).toBe(AFTER));
  });

  it('in the window of its file, changed by hand before it is allowed', async () => {
    const rig = await start({ a: [puts('a.txt')] }, { diff: { view: 'inline', edit: true } });
    const { nvim, disk, questions } = rig;
    await nvim.input('30Gzt');
    await prompt(rig, 'a');
    await show(rig);
    await nvim.waitForScreen('+ forty');
    await nvim.input('[c');
    await nvim.waitForScreen('hunk 1 of 2');
    await nvim.input('ccfunf<Esc>');
    await nvim.waitForScreen('changed by you');
    expect(disk('a.txt')).toBe(BEFORE);
    await nvim.input(':w<CR>');
    await questions(0);
    const mine = AFTER.replace('five', 'funf');
    await eventually(() => expect(disk('a.txt')).toBe(mine));
    // The file stands again where it stood.
    await nvim.waitForScreen('and one');
    expect(await nvim.lua(`return { vim.fn.expand('%:t'), vim.fn.line('w0') }`)).toEqual([
      'a.txt',
      30,
    ]);
    expect(await nvim.lua(`return vim.bo.modified`)).toBe(false);
  });

  it('through the editor that is rejected is an error with the user’s words', async () => {
    const rig = await start({ a: [puts('a.txt')] });
    const { nvim, disk, questions } = rig;
    await prompt(rig, 'a');
    await nvim.input(':AcpReject keep the numbers<CR>');
    await questions(0);
    await eventually(() => {
      const answers = rig.agent.received().filter(({ method }) => method === undefined);
      expect(answers.at(-1)!.error?.message).toContain('keep the numbers');
    });
    expect(disk('a.txt')).toBe(BEFORE);
    await nvim.waitForScreen('Done.');
  });
});
