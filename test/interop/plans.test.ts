/** Plans that real agents want to be approved: claude writes them to a file of its own, codex says them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { AGENT, Desk } from './desk';
import type { User } from './user';

const PLAN = '# Count the sheep\\n\\n1. **Look** over the fence\\n2. Count each `once`';

let desk: Desk;
let user: User;

beforeAll(async () => {
  desk = await Desk.set({ 'a.txt': 'a\n' });
  user = desk.user;
});
afterAll(() => desk.clear());

/** Waits until the agent was told of an option that was chosen for its last plan. */
const chose = (optionId: RegExp) =>
  eventually(() => {
    const outcome = { outcome: 'selected', optionId: expect.stringMatching(optionId) as string };
    expect(desk.answered('session/request_permission')).toMatchObject({ outcome });
  });

async function plans(): Promise<void> {
  if (AGENT === 'codex') await user.command('AcpConfig collaboration_mode plan');
  else await user.changesMode(desk.agent.other);
  await user.send(`[[plan ${PLAN}]]`);
  await user.sees('Which?');
}

describe.runIf(AGENT === 'claude' || AGENT === 'codex')(`plans of ${AGENT}`, () => {
  it('are shown whole beside the options', async () => {
    await user.command(`AcpChat agent=${AGENT}`);
    await user.turnEnds();
    await plans();
    for (const line of ['# Count the sheep', '1. **Look** over the fence', '2. Count each `once`'])
      expect(user.nvim.screen()).toContain(line);
  });

  it('are rejected with words, which go as the next prompt', async () => {
    // As if it had been there for as long as it takes to be read.
    await user.nvim.lua(`require('acp.ui.permission_list').open[1].shown = 0`);
    await user.nvim.input('gr');
    await user.sees(':AcpReject');
    await user.nvim.input('[[say 2 revised]]<CR>');
    await user.sees('revised-2');
    await user.turnEnds();
    await chose(/reject|revise/);
  });

  it('are carried out when they are approved', async () => {
    await plans();
    await user.sees(/│ +1 +Yes/);
    await user.nvim.input('1<CR>');
    await user.turnEnds();
    await chose(/default|implement/);
    expect(desk.model.faults).toEqual([]);
  });
});
