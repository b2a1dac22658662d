import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { AGENT, Desk } from './desk';
import { ALLOW, REJECT, type User } from './user';

const FILE = 'notes.txt';
const TEXT = 'one\ntwo\nthree\nfour\nfive\n';
const EDITED = 'one\ntwo\n3\nthree and a half\nfour\nfive\n';

const EVENTS = `
  events = {}
  vim.api.nvim_create_autocmd('User', {
    pattern = { 'AcpTurnStart', 'AcpFileChanged', 'AcpTurnEnd' },
    callback = function(event)
      local path = event.data.path and ' ' .. vim.fs.basename(event.data.path) or ''
      table.insert(events, event.match .. path)
    end,
  })`;

let desk: Desk;
let user: User;
let file: string;

beforeAll(async () => {
  desk = await Desk.set({ [FILE]: TEXT, 'gone.txt': 'to be deleted\n' }, EVENTS);
  user = desk.user;
  file = desk.path(FILE);
});
afterAll(() => desk.clear());

describe(`edits of ${AGENT}`, () => {
  beforeEach(async () => {
    await user.nvim.lua('events = {}');
  });

  it('are shown whole before they are made, and are told', async () => {
    await user.opens(file);
    await user.command(`AcpChat agent=${AGENT}`);
    await user.turnEnds();
    await user.command(`AcpMode ${desk.agent.asks.id}`);
    await user.sees(`${AGENT} · ${desk.agent.asks.name} `);
    await user.send(`[[read ${file}]] [[edit ${file} | three | 3\\nthree and a half]]`);
    await user.sees(/Type number/);
    const { before, after } = user.proposed();
    await user.answers(ALLOW);
    await user.turnEnds();
    expect(desk.read(FILE)).toBe(EDITED);
    expect(before).toBe(TEXT);
    expect(after).toBe(EDITED);
    await happened(['AcpTurnStart', `AcpFileChanged ${FILE}`, 'AcpTurnEnd']);
  });

  it('are taken back by a rejection, which can be taken back itself', async () => {
    await user.command('AcpReview');
    await user.sees(`1 change by ${AGENT}`);
    await user.nvim.input('gr');
    await user.sees('review done: 1 rejected');
    expect(desk.read(FILE)).toBe(TEXT);
    await user.nvim.input('u');
    await user.sees('three and a half');
    await user.command('write');
    await eventually(() => expect(desk.read(FILE)).toBe(EDITED));
    await user.command('AcpReview');
    await user.sees(`1 change by ${AGENT}`);
    await user.nvim.input('ga');
    await user.sees('review done: 1 kept');
    expect(desk.read(FILE)).toBe(EDITED);
  });

  it('change nothing where they are rejected', async () => {
    await user.send(`[[read ${file}]] [[edit ${file} | five | 5]]`);
    await user.answers(REJECT);
    await user.turnEnds();
    expect(desk.read(FILE)).toBe(EDITED);
    await user.command('AcpReview');
    await user.sees('there is nothing to review');
    await happened(['AcpTurnStart', 'AcpTurnEnd']);
  });

  it('by a command are in the review, and undone with their turn', async () => {
    const before = desk.files();
    await user.command(`AcpMode ${desk.agent.writes.id}`);
    await user.sees(`${AGENT} · ${desk.agent.writes.name} `);
    await user.send('[[bash echo six >> notes.txt; echo new > new.txt; rm gone.txt]]');
    await user.allowsIfAsked();
    await user.sees(/3 files (changed )?\(\+2 −1\)/);
    const after = desk.files();
    expect(after).toEqual({ [FILE]: `${EDITED}six\n`, 'new.txt': 'new\n' });

    await user.command('AcpReview');
    await user.sees('acp review: 3 files');
    await user.nvim.input('gQ');
    await user.command('AcpUndo');
    await user.answers(/^Take it back/);
    await user.sees('the turn was taken back');
    expect(desk.files()).toEqual(before);
    await user.command('AcpUndo!');
    await user.answers(/^Bring it back/);
    await user.sees('the undo was taken back');
    expect(desk.files()).toEqual(after);
    await user.command('AcpUndo');
    await user.answers(/^Take it back/);
    await eventually(() => expect(desk.files()).toEqual(before));
  });

  it('leave no process behind', async () => {
    await user.command('qall!');
    await user.nvim.exited;
    await desk.empty();
    expect(desk.model.faults).toEqual([]);
  });
});

async function happened(events: string[]): Promise<void> {
  await eventually(async () => expect(await user.nvim.lua('return events')).toEqual(events));
}
