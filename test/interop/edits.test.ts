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
  const more = { 'gone.txt': 'to be deleted\n', 'mine.txt': TEXT, 'theirs.txt': TEXT };
  desk = await Desk.set({ [FILE]: TEXT, ...more, 'both.txt': TEXT, 'apart.txt': TEXT }, EVENTS);
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
    await user.changesMode(desk.agent.asks);
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
    await user.changesMode(desk.agent.writes);
    await user.send('[[bash echo six >> notes.txt; echo new > new.txt; rm gone.txt]]');
    await user.allowsIfAsked();
    await user.sees(/3 files (changed )?\(\+2 −1\)/);
    const after = desk.files();
    const wanted: Record<string, string> = {
      ...before,
      [FILE]: `${EDITED}six\n`,
      'new.txt': 'new\n',
    };
    delete wanted['gone.txt'];
    expect(after).toEqual(wanted);

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
    await user.changesMode(desk.agent.asks);
  });

  describe('under unsaved text', () => {
    /** The user changes a line and does not save it; then the agent changes line two on disk. */
    async function both(name: string, keys: string): Promise<void> {
      await user.opens(desk.path(name));
      await user.nvim.input(`${keys}<Esc>`);
      const path = desk.path(name);
      await user.types(`[[read ${path}]] [[edit ${path} | two | TWO]]`);
      await user.answers(/^Send anyway$/);
      await user.answers(ALLOW);
      await user.turnEnds();
    }
    const buffer = (name: string): Promise<[string, boolean]> =>
      user.nvim.lua(
        `local buf = vim.fn.bufnr(...)
        local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, true)
        return { table.concat(lines, '\\n') .. '\\n', vim.bo[buf].modified }`,
        desk.path(name),
      );
    const theirs = TEXT.replace('two', 'TWO');
    const mine = TEXT.replace('two', 'mine');
    const marked = '<<<<<<< yours\nmine\n=======\nTWO\n>>>>>>> on disk';

    it.each([
      ['mine.txt', /^Keep mine/, mine, true],
      ['theirs.txt', /^Take theirs/, theirs, false],
      ['both.txt', /^Merge/, TEXT.replace('two', marked), true],
    ])('are a question with three answers: %s', async (name, answer, text, modified) => {
      await both(name, '2Gccmine');
      expect(desk.read(name)).toBe(theirs);
      expect(await buffer(name)).toEqual([mine, true]);
      await user.command('AcpPermission');
      await user.answers(answer);
      await eventually(async () => expect(await buffer(name)).toEqual([text, modified]));
      expect(desk.read(name)).toBe(theirs);
      await eventually(async () => {
        await user.nvim.command('silent! wall');
        expect(desk.read(name)).toBe(text);
      });
    });

    it('come together with it where they are apart', async () => {
      await both('apart.txt', 'Gomine');
      const text = `${theirs}mine\n`;
      // Who writes through the editor needs no question.
      if ((await buffer('apart.txt'))[0] !== text) {
        await user.command('AcpPermission');
        await user.answers(/^Merge/);
      }
      await eventually(async () => expect((await buffer('apart.txt'))[0]).toBe(text));
    });
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
