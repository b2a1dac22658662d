import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT, Desk } from './desk';
import type { User } from './user';

/** Prints for some seconds, in colours, and fails; what it prints does not stand in it. */
const COMMAND =
  'for i in 1 2 3 4 5; do printf "\\033[32mtick\\033[0m-$((i + 10))"; echo; sleep 0.8; done; exit 3';

let desk: Desk;
let user: User;

beforeAll(async () => {
  desk = await Desk.set({});
  user = desk.user;
});
afterAll(() => desk.clear());

describe(AGENT, () => {
  it('runs a command, whose output is seen while it goes on, where the agent tells it', async () => {
    await user.command(`AcpChat agent=${AGENT}`);
    await user.turnEnds();
    await user.changesMode(desk.agent.writes);
    await user.send(`[[bash ${COMMAND}]]`);
    const over = user.allowsIfAsked();
    if (desk.agent.commands.stream) {
      await user.sees('tick-12');
      expect(user.nvim.screen()).not.toContain('tick-15');
    }
    await over;
    await user.sees('tick-15');
  });

  it('has its output as a terminal, or among the details, on K', async () => {
    await user.nvim.input('<C-w>k');
    await user.command('call search("Run ", "bw")');
    await user.nvim.input('K');
    if (desk.agent.commands.terminal) {
      await user.sees(/│tick-15 /);
      await user.sees(/─ exit 3 ─/);
    } else {
      await user.sees('## Input');
      await user.sees(/tick-15/);
    }
    await user.nvim.input('q');
    expect(desk.model.faults).toEqual([]);
  });
});
