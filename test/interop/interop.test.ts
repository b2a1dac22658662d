import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { AGENTS, prepare, type Agent, type AgentName } from './agents';
import { startModel, type Model } from './model/server';
import { User } from './user';

const name = process.env.AGENT as AgentName;
if (!AGENTS.includes(name)) throw new Error(`AGENT must be one of ${AGENTS.join(', ')}`);

const TEXT = 'first line\nsecond line\nthird line\n';
/** Once, and not for good. */
const ALLOW = /^(allow|yes)\b(?!.*(always|session|again))/i;
const REJECT = /^(reject|deny|no)\b/i;

// Not in /tmp: Codex sets up no sandbox for a home there.
const dir = mkdtempSync(join(process.env.AGENTS_WORK ?? '/var/tmp', `acp-interop-${name}-`));
const project = join(dir, 'project');
const file = join(project, 'notes.txt');

let model: Model;
let agent: Agent;
let user: User;

beforeAll(async () => {
  mkdirSync(project);
  writeFileSync(file, TEXT);
  model = await startModel();
  agent = prepare(name, { home: join(dir, 'home'), project, model: model.url });
  const { command, args, env } = agent;
  const setup = { agents: { [name]: { command, args, env } } };
  user = await User.sitDown(
    name,
    `require('acp').setup(vim.json.decode([==[${JSON.stringify(setup)}]==]))
    vim.fn.chdir(${JSON.stringify(project)})`,
    { ACP_INTEROP: dir },
  );
});
afterAll(async () => {
  await user.nvim.close();
  await eventually(() => expect(processes()).toEqual([]), { timeout: 15_000 });
  model.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

describe(name, () => {
  it('answers a prompt that was typed while it started', async () => {
    await user.command(`AcpChat agent=${name}`);
    await user.send('[[slow 20]] [[say 12 hello]]');
    await user.sees('hello-12');
    await user.turnEnds();
  });

  it('changes its mode', async () => {
    for (const mode of [agent.other, agent.asks]) {
      await user.command(`AcpMode ${mode.id}`);
      await user.sees(`${name} · ${mode.name} `);
    }
  });

  it('reads a file', async () => {
    await user.send(`[[read ${file}]]`);
    await user.turnEnds();
    await user.sees(/✓ Read +notes\.txt/);
  });

  it('edits a file when that is allowed', async () => {
    await user.send(`[[edit ${file} | second line | 2nd line]]`);
    await user.sees(/\+ +2nd line/);
    await user.answers(ALLOW);
    await user.turnEnds();
    await user.sees(/✓ Edit +notes\.txt/);
    expect(readFileSync(file, 'utf8')).toBe(TEXT.replace('second', '2nd'));
  });

  it('edits nothing when that is rejected', async () => {
    const before = readFileSync(file, 'utf8');
    await user.send(`[[edit ${file} | third line | 3rd line]]`);
    await user.answers(REJECT);
    await user.turnEnds();
    await user.sees(/Edit +notes\.txt.* rejected: /);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('runs a command, whose output is in its card', async () => {
    await user.send('[[bash echo $((40 + 2))-out]]');
    // Some run a command that only prints without asking.
    await user.sees(/Type number|42-out/);
    if (user.nvim.screen().includes('Type number')) await user.answers(ALLOW);
    await user.turnEnds();
    await user.sees('42-out');
  });

  it('stops when it is cancelled, and takes the next prompt', async () => {
    await user.send('[[slow 200]] [[say 900 flood]]');
    await user.sees('flood-3');
    await user.nvim.input('<C-c>');
    await user.turnEnds();
    await eventually(() => expect(user.nvim.screen()).toMatch(/flood-3\b[^]*── cancelled/));
    expect(user.nvim.screen()).not.toContain('flood-100');
    await user.send('[[slow 20]] [[say 12 again]]');
    await user.sees('again-12');
    await user.turnEnds();
  });

  it('leaves no process behind', async () => {
    expect(processes().length).toBeGreaterThan(1);
    await user.command('qall!');
    await user.nvim.exited;
    await eventually(() => expect(processes()).toEqual([]), { timeout: 15_000 });
  });

  it('found all that it asked of the model', () => {
    expect(model.faults).toEqual([]);
  });
});

/** Command lines of all processes that descend from our Neovim: its environment marks them. */
function processes(): string[] {
  const read = (pid: string, what: string) => {
    try {
      return readFileSync(`/proc/${pid}/${what}`, 'utf8');
    } catch {
      return '';
    }
  };
  if (!existsSync('/proc/self/environ')) throw new Error('this step needs /proc');
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => read(pid, 'environ').includes(`ACP_INTEROP=${dir}\0`))
    .map((pid) => `${pid} ${read(pid, 'cmdline').replaceAll('\0', ' ')}`);
}
