import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { AGENT, Desk } from './desk';
import { ALLOW, REJECT, type User } from './user';

const TEXT = 'first line\nsecond line\nthird line\n';
const FILE = 'notes.txt';

let desk: Desk;
let user: User;
let file: string;

beforeAll(async () => {
  desk = await Desk.set({ [FILE]: TEXT });
  user = desk.user;
  file = desk.path(FILE);
});
afterAll(() => desk.clear());

describe(AGENT, () => {
  it('answers a prompt that was typed while it started', async () => {
    await user.command(`AcpChat agent=${AGENT}`);
    await user.send('[[slow 20]] [[say 12 hello]]');
    await user.sees('hello-12');
    await user.turnEnds();
  });

  it('changes its mode', async () => {
    await user.changesMode(desk.agent.other);
    await user.changesMode(desk.agent.asks);
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
    expect(desk.read(FILE)).toBe(TEXT.replace('second', '2nd'));
  });

  it('edits nothing when that is rejected', async () => {
    const before = desk.read(FILE);
    await user.send(`[[edit ${file} | third line | 3rd line]]`);
    await user.answers(REJECT);
    await user.turnEnds();
    await user.sees(/Edit +notes\.txt.* rejected: /);
    expect(desk.read(FILE)).toBe(before);
  });

  it('runs a command, whose output is in its card', async () => {
    await user.send('[[bash echo $((40 + 2))-out]]');
    // Some run a command that only prints without asking.
    await user.allowsIfAsked();
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
    expect(desk.processes().length).toBeGreaterThan(1);
    await user.command('qall!');
    await user.nvim.exited;
    await desk.empty();
  });

  it('found all that it asked of the model', () => {
    expect(desk.model.faults).toEqual([]);
  });
});
