/** A real agent that lives elsewhere: in a mount namespace where the project has another path, and its own leads nowhere. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { noSecondRoot, secondRoot, THERE } from '../harness/second-root';
import { AGENT, Desk } from './desk';
import { ALLOW, type User } from './user';

const TEXT = 'one\ntwo\nthree\n';

/** What leads into a root where the folder `cwd` has another path: to be put before the agent's command. */
interface Root {
  name: string;
  into: (cwd: string) => string[];
  /** Why it can't be had; false where it can. */
  missing: string | false;
}

const bubblewrap = (cwd: string): string[] => [
  ...['bwrap', '--dev-bind', '/', '/', '--bind', cwd, THERE, '--tmpfs', cwd],
  ...['--chdir', '{cwd}', '--'],
];

/** Why there is no bubblewrap for this agent. */
function noBubblewrap(): string | false {
  if (AGENT === 'codex') return 'codex sets up such a sandbox itself, and not within another';
  const { status } = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']);
  return status !== 0 && 'bubblewrap does not work here';
}

const ROOTS: Root[] = [
  { name: 'a mount namespace', into: secondRoot, missing: noSecondRoot },
  { name: 'bubblewrap', into: bubblewrap, missing: noBubblewrap() },
];

/** Puts what leads into the root before the agent's command. */
const wrapped = ({ into }: Root) => `
  local agents = vim.deepcopy(require('acp.config').get().agents)
  agents[${JSON.stringify(AGENT)}].wrap = function(place)
    return vim.tbl_map(function(part)
      return part == 'CWD' and place.cwd or part
    end, vim.json.decode([==[${JSON.stringify(into('CWD'))}]==]))
  end
  agents[${JSON.stringify(AGENT)}].paths = { ['.'] = '${THERE}' }
  require('acp').setup({ agents = agents })`;

let desk: Desk;
let user: User;

describe.each(ROOTS)(`${AGENT} in $name`, (root) => {
  beforeAll(async () => {
    if (root.missing) return;
    desk = await Desk.set({ 'a.txt': TEXT, 'b.txt': TEXT }, wrapped(root));
    user = desk.user;
  });
  afterAll(() => (root.missing ? undefined : desk.clear()));
  beforeEach(({ skip }) => {
    if (root.missing) skip(root.missing);
  });

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
