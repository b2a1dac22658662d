import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { AGENT, Desk } from './desk';
import type { User } from './user';

const FILE = 'notes.txt';
/** These tell what a subagent does; the others only that they have started one. */
const TELLS = ['claude', 'codex'].includes(AGENT);

let desk: Desk;
let user: User;

beforeAll(async () => {
  desk = await Desk.set({ [FILE]: 'first line\n' });
  user = desk.user;
  // Only with newer models it has subagents. These call tools by JavaScript, which no script of ours writes.
  if (AGENT === 'codex') {
    const config = join(desk.dir, 'home/.codex/config.toml');
    writeFileSync(config, readFileSync(config, 'utf8').replace('gpt-5.5', 'gpt-6.1-sol'));
  }
});
afterAll(() => desk.clear());

describe(`${AGENT} and its subagents`, () => {
  it('shows one as a line of its own, and its end', async () => {
    await user.command(`AcpChat agent=${AGENT}`);
    await user.send('[[say 2 hello]]');
    await user.turnEnds();
    await user.changesMode(desk.agent.asks);
    const step = AGENT === 'codex' ? 'say 3 deed' : `read ${desk.path(FILE)}`;
    await user.send(`[[agent ${step}]]`);
    await user.turnEnds();
    // One of them has none that it could start, and says so.
    await user.sees(TELLS ? /✓ Agent +helper.*▸/i : /[✓✗] \w+ +.*\bhelper/i);
  });

  it.runIf(TELLS)('unfolds it to what it was told and what it said', async () => {
    await user.command('AcpChat');
    await user.nvim.input('<Esc><C-w>kG?Agent *[hH]elper<CR>za');
    await user.sees(/│ (The tool was called|deed-1)/);
  });

  it('found all that it asked of the model', () => {
    expect(desk.model.faults).toEqual([]);
  });

  it('leaves no process behind', async () => {
    await user.command('qall!');
    await user.nvim.exited;
    await desk.empty();
    await eventually(() => expect(desk.processes()).toEqual([]));
  });
});
