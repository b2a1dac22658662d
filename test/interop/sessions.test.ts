import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import type { Status } from '../../src/nvim/protocol';
import { AGENT, Desk } from './desk';
import type { User } from './user';

const FILE = 'notes.txt';
/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);

interface Advertised {
  loadSession?: boolean;
  sessionCapabilities?: Record<string, object | null>;
}

let desk: Desk;
let user: User;
let can: (what: string) => boolean;

beforeAll(async () => {
  desk = await Desk.set({ [FILE]: 'first line\nsecond line\n' });
  user = desk.user;
  writeFileSync(desk.path('red.png'), PNG);
});
afterAll(() => desk.clear());

const status = (): Promise<Status> =>
  user.nvim.lua(`
    local chat = require('acp.chat').current()
    return require('acp.state').get(chat.session)`);

/** Content of the last prompt that the agent got. */
const prompted = () => desk.sent('session/prompt').at(-1)!.prompt as Record<string, unknown>[];

/** Waits until the agent has got another request of that method. */
async function sends(method: string, act: () => Promise<void>): Promise<void> {
  const before = desk.sent(method).length;
  await act();
  await eventually(() => expect(desk.sent(method).length).toBeGreaterThan(before), {
    timeout: 30_000,
  });
}

async function says(word: string): Promise<void> {
  await user.send(`[[say 3 ${word}]]`);
  await user.sees(`${word}-3`);
  await user.turnEnds();
}

/** It stands somewhere in the conversation that is shown. */
async function holds(word: string): Promise<void> {
  const lines = `return vim.api.nvim_buf_get_lines(require('acp.chat').current().buf, 0, -1, false)`;
  const read = async () => (await user.nvim.lua<string[]>(lines)).join('\n');
  await eventually(async () => expect(await read()).toContain(word), { timeout: 30_000 });
}

/** Chooses the session whose row says that. */
async function chooses(row: RegExp): Promise<void> {
  await user.command('AcpSessions');
  await user.answers(row);
}

describe(`sessions of ${AGENT}`, () => {
  it('begin', async () => {
    await user.command(`AcpChat agent=${AGENT}`);
    await user.send(`[[read ${desk.path(FILE)}]] [[say 3 before]]`);
    await holds('before-3');
    await user.turnEnds();
    await user.sees(/✓ Read +notes\.txt/);
    // The log is written a little later.
    const said = await eventually(() => {
      const answers = desk.frames('a2c').map(({ result }) => result);
      const found = answers.find((it) => it && 'agentCapabilities' in it);
      if (!found) throw new Error('the agent’s capabilities are not in the log');
      return found;
    });
    const capabilities = said.agentCapabilities as Advertised;
    can = (what) =>
      what === 'load'
        ? capabilities.loadSession === true
        : capabilities.sessionCapabilities?.[what] != null;
  });

  it('take a slash command', async ({ skip }) => {
    const { slash } = desk.agent;
    if (!slash) return skip('it has none');
    const name = slash.prompt.slice(1).split(' ')[0];
    await eventually(async () => {
      expect((await status()).commands.map((it) => it.name)).toContain(name);
    });
    // Its turn may be too short to be seen.
    await user.types(slash.prompt);
    await user.sees(slash.says);
    await user.turnEnds();
  });

  it('take a file, embedded where that can be', async () => {
    const { takes } = await status();
    await user.command(`AcpAdd file ${desk.path(FILE)}`);
    await user.sees(/attached .*notes\.txt/);
    await says('filed');
    const uri = `file://${desk.path(FILE)}`;
    const resource = { uri, text: 'first line\nsecond line\n' };
    const wanted = takes.embedded ? { type: 'resource', resource } : { type: 'resource_link', uri };
    await eventually(() => expect(prompted().at(-1)).toMatchObject(wanted));
  });

  it('take an image, or say that they do not', async () => {
    const { takes } = await status();
    await user.command(`AcpAdd image ${desk.path('red.png')}`);
    if (!takes.image) return user.sees(/takes no images/i);
    await user.sees(/attached .*red\.png/);
    await says('pictured');
    const image = { type: 'image', mimeType: 'image/png' };
    await eventually(() => expect(prompted().at(-1)).toMatchObject(image));
  });

  it('change their mode, and their model', async ({ skip }) => {
    await user.changesMode(desk.agent.other);
    await user.changesMode(desk.agent.asks);
    const models = (await status()).config.find(
      ({ category, choices = [] }) => category === 'model' && choices.length > 1,
    );
    if (!models) return skip('it has one model');
    const other = models.choices!.find(({ value }) => value !== models.value)!;
    for (const value of [other.value, models.value as string]) {
      await user.command(`AcpModel ${value}`);
      await eventually(
        async () => {
          const now = (await status()).config.find(({ id }) => id === models.id);
          expect(now!.value).toBe(value);
        },
        { timeout: 15_000 },
      );
    }
    await says('modelled');
  });

  it('fork, and go on apart', async ({ skip }) => {
    if (!can('fork')) return skip('not advertised');
    await sends('session/fork', () => user.command('AcpFork'));
    await user.turnEnds();
    await says('forked');
    await holds('before-3');
  });

  it('are closed', async ({ skip }) => {
    if (!can('fork')) return skip('there is one alone');
    if (!can('close')) return user.command('AcpClose');
    await sends('session/close', () => user.command('AcpClose'));
  });

  it('are listed by a new Neovim, and go on as they were', async () => {
    desk = await desk.again();
    user = desk.user;
    const loaded = desk.sent('session/load').length;
    const act = () => chooses(/(?!.*forked).*(saved|gone)/);
    if (can('resume')) await sends('session/resume', act);
    else await act();
    await holds('before-3');
    await user.turnEnds();
    if (can('resume')) expect(desk.sent('session/load')).toHaveLength(loaded);
    await says('after');
  });

  it('are told by the agent where nothing is kept here', async ({ skip }) => {
    if (!can('list') || !can('load')) return skip('not advertised');
    desk = await desk.again();
    user = desk.user;
    rmSync(join(desk.state, 'sessions'), { recursive: true });
    // What it lists first was used last.
    await sends('session/load', () => chooses(/saved/));
    await user.sees('after-3');
    await user.command('AcpChat');
    await user.nvim.input('<Esc><C-w>kgg');
    await holds('before-3');
    // Nanocoder tells neither kind nor path again.
    await user.sees(/✓ (Read +notes\.txt|Tool +read_file)/);
    await user.turnEnds();
    await says('told');
  });

  it('are deleted, at the agent too where it can, and leave no process behind', async () => {
    desk = await desk.again();
    user = desk.user;
    await chooses(/saved/);
    await user.turnEnds();
    const act = async () => {
      await user.command('AcpDelete');
      await user.answers(/^Delete$/);
    };
    if (can('delete')) await sends('session/delete', act);
    else await act();
    await user.command('AcpSessions');
    await user.sees(/Type number|no sessions/);
    await user.nvim.input('<CR>');
    await user.command('qall!');
    await user.nvim.exited;
    await desk.empty();
  });

  it('found all that they asked of the model', () => {
    expect(desk.model.faults).toEqual([]);
  });
});
