/** Questions that real agents ask: those of claude and codex are forms. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { AGENT, Desk } from './desk';
import type { User } from './user';

let desk: Desk;
let user: User;

beforeAll(async () => {
  desk = await Desk.set({ 'a.txt': 'a\n' });
  user = desk.user;
});
afterAll(() => desk.clear());

const OPTIONS = ['Red', 'Green'].map((label) => ({ label, description: 'A colour' }));
const question = (header: string) => ({
  id: header.toLowerCase(),
  header,
  question: `Which ${header} do you prefer?`,
  multiSelect: false,
  options: OPTIONS,
});
const TOOL = AGENT === 'codex' ? 'request_user_input' : 'AskUserQuestion';
const asks = (...headers: string[]): string =>
  `[[tool ${TOOL} ${JSON.stringify({ questions: headers.map(question) })} ]]`;

/** Waits until the agent was given an answer to its last question that has these values. */
const accepted = (...values: string[]) =>
  eventually(() => {
    const answer = desk.answered('elicitation/create');
    expect(answer).toMatchObject({ action: 'accept' });
    expect(Object.values(answer!.content as object)).toEqual(expect.arrayContaining(values));
  });

/** It opens by itself only where nobody has just typed. */
async function opens(): Promise<void> {
  await user.sees('? 1 question');
  await user.command('AcpPermission');
  await user.sees('<C-s> send');
}

describe.runIf(AGENT === 'claude' || AGENT === 'codex')(`questions of ${AGENT}`, () => {
  it('of one choice are a list', async () => {
    await user.command(`AcpChat agent=${AGENT}`);
    await user.turnEnds();
    // Codex asks only while it plans.
    if (AGENT === 'codex') await user.command('AcpConfig collaboration_mode plan');
    await user.send(asks('Colour'));
    await user.answers(/^Green/);
    await user.turnEnds();
    await accepted('Green');
    expect(user.nvim.screen()).toMatch(/Colour[^\n]*: Green/);
  });

  it('take an answer that is none of the choices', async () => {
    await user.send(asks('Colour'));
    await user.answers(/^Other…/);
    await user.sees(/prefer\?: |Colour: /);
    await user.nvim.input('Mauve<CR>');
    await user.turnEnds();
    await accepted('Mauve');
  });

  it('that are several are a form', async () => {
    await user.send(asks('Colour', 'Shape'));
    await opens();
    await user.nvim.input('<CR>Gk<CR>:w<CR>');
    await user.turnEnds();
    await accepted('Red', 'Green');
  });

  it('can be declined', async () => {
    await user.send(asks('Colour', 'Shape'));
    await opens();
    await user.nvim.input('gr');
    await user.turnEnds();
    const declined = { action: 'decline' };
    await eventually(() => expect(desk.answered('elicitation/create')).toEqual(declined));
  });
});
