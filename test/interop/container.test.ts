/** A real agent that lives elsewhere: in a mount namespace where the project has another path, and its own leads nowhere. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { noSecondRoot, secondRoot, THERE } from '../harness/second-root';
import { AGENT, Desk } from './desk';
import { ALLOW, type User } from './user';

const TEXT = 'one\ntwo\nthree\n';

/** Puts what leads into the second root before the agent's command. */
const WRAPPED = `
  local agents = vim.deepcopy(require('acp.config').get().agents)
  agents[${JSON.stringify(AGENT)}].wrap = function(place)
    return vim.tbl_map(function(part)
      return part == 'CWD' and place.cwd or part
    end, vim.json.decode([==[${JSON.stringify(secondRoot('CWD'))}]==]))
  end
  agents[${JSON.stringify(AGENT)}].paths = { ['.'] = '${THERE}' }
  require('acp').setup({ agents = agents })`;

let desk: Desk;
let user: User;

describe.skipIf(noSecondRoot)(`${AGENT} in another root`, () => {
  beforeAll(async () => {
    desk = await Desk.set({ 'a.txt': TEXT, 'b.txt': TEXT }, WRAPPED);
    user = desk.user;
  });
  afterAll(() => desk?.clear());

  it('is told of the project by its name there', async () => {
    await user.opens(desk.path('a.txt'));
    await user.command(`AcpChat agent=${AGENT}`);
    await user.turnEnds();
    await user.changesMode(desk.agent.asks);
    await eventually(() => expect(desk.sent('session/new')[0]).toMatchObject({ cwd: THERE }));
  });

  it('proposes an edit by that name, which is shown, made, reviewed and undone here', async () => {
    await user.send(`[[read ${THERE}/a.txt]] [[edit ${THERE}/a.txt | two | 2]]`);
    await user.sees(/Type number/);
    const { before, after } = user.proposed();
    expect([before, after]).toEqual([TEXT, 'one\n2\nthree\n']);
    await user.answers(ALLOW);
    await user.turnEnds();
    expect(desk.read('a.txt')).toBe('one\n2\nthree\n');
    await user.command('AcpReview');
    await user.sees(`1 change by ${AGENT}`);
    await user.nvim.input('gQ');
    await user.command('AcpUndo');
    await user.answers(/^Take it back/);
    await user.sees('the turn was taken back');
    expect(desk.read('a.txt')).toBe(TEXT);
  });

  it('runs its commands where it lives', async () => {
    await user.changesMode(desk.agent.writes);
    await user.send('[[bash pwd > where.txt]]');
    await user.allowsIfAsked();
    await user.turnEnds();
    expect(desk.read('where.txt')).toBe(`${THERE}\n`);
  });
});
