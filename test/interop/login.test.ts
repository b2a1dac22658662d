/** An agent as it is before its first login. What it does with its maker's servers is none of this: there is no network. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import type { Status } from '../../src/nvim/protocol';
import type { AgentName } from './agents';
import { AGENT, Desk } from './desk';
import type { User } from './user';

interface Fresh {
  /** The ways that it lists, by their ids. */
  ways: string[];
  /** When it wants a login: as a session opens, when it gets a prompt, or never by itself. */
  wants: 'session' | 'prompt' | 'never';
}

const FRESH: Record<AgentName, Fresh | null> = {
  claude: {
    ways: ['claude-ai-login', 'console-login', 'gateway', 'gateway-bedrock'],
    wants: 'prompt',
  },
  codex: { ways: ['api-key', 'chat-gpt-device-code', 'gateway'], wants: 'session' },
  opencode: { ways: ['opencode-login'], wants: 'never' },
  // It does not start without a provider.
  nanocoder: null,
};

const KEY = 'sk-no-key-at-all-0123456789';
const PATIENCE = { timeout: 30_000 };
const fresh = FRESH[AGENT];

let desk: Desk;
let user: User;

beforeAll(async () => {
  desk = await Desk.set({ 'notes.txt': 'text\n' }, '', true);
  user = desk.user;
});
afterAll(() => desk.clear());

const status = (): Promise<Status> =>
  user.nvim.lua(`
    local chat = require('acp.chat').current()
    return require('acp.state').get(chat.session)`);

/** Waits until the ways to log in are asked, and are those. */
async function offers(): Promise<void> {
  await user.sees(/^Log in at /m);
  await eventually(() => {
    const rows = user.nvim.screen().split('\n');
    expect(rows.filter((row) => /^\d+: /.test(row))).toHaveLength(fresh!.ways.length);
  }, PATIENCE);
}

describe.skipIf(!fresh)(`${AGENT} without a login`, () => {
  it('lists its ways', async () => {
    await user.command(`AcpChat agent=${AGENT}`);
    await eventually(async () => {
      const { login } = await status();
      expect(login.methods.map(({ id }) => id)).toEqual(fresh!.ways);
    }, PATIENCE);
  });

  it.runIf(fresh?.wants === 'session')('asks for a login before there is a session', async () => {
    await user.sees(/wants you to log in/);
    await user.types('hello');
    await offers();
    await user.nvim.input('<Esc>');
    await user.sees(/the prompt was kept/);
  });

  it.runIf(fresh?.wants === 'prompt')('is asked for nothing before it gets a prompt', async () => {
    await eventually(async () => expect((await status()).state).toBe('idle'), PATIENCE);
    expect(user.nvim.screen()).not.toContain('wants you to log in');
    await user.sees('not logged in');
    await user.types('hello');
    await user.sees(/wants you to log in/);
    await offers();
    await user.nvim.input('<Esc>');
    await user.sees(/the prompt was kept/);
  });

  it.runIf(fresh?.wants === 'never')('works, and offers its ways when that is wanted', async () => {
    await eventually(async () => expect((await status()).state).toBe('idle'), PATIENCE);
    expect(desk.sent('authenticate')).toEqual([]);
    await user.command('AcpLogin');
    await offers();
    await user.nvim.input('1<CR>');
    // Its own command, which is shown before it runs.
    await user.sees('opencode auth login');
    await user.answers(/^Leave it/);
  });

  it.runIf(AGENT === 'claude')('runs its own program in a terminal', async () => {
    await user.command(`AcpLogin ${fresh!.ways[1]}`);
    await eventually(async () => {
      expect(await user.nvim.lua(`return vim.bo.buftype`)).toBe('terminal');
    }, PATIENCE);
    await user.sees(/https:\/\//);
    await user.nvim.input('<C-\\><C-n>:q!<CR>');
    await user.sees(/ended with code|AcpLogin tries once more/);
  });

  it.runIf(AGENT === 'codex')('takes a key, and nothing of ours keeps it', async () => {
    await user.command('AcpLogin api-key');
    await user.sees(/^API key \(empty/m);
    await user.nvim.input(`${KEY}<CR>`);
    await user.sees(/logged in by/);
    await eventually(() => expect(desk.sent('authenticate')).toHaveLength(1), PATIENCE);
    await eventually(async () => expect((await status()).account?.state).toBe('in'), PATIENCE);
    const kept = readdirSync(desk.state, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
    expect(kept.join('\n')).not.toContain(KEY);
  });

  it.runIf(AGENT === 'codex')('logs out', async () => {
    await user.command('AcpLogout');
    await user.sees(/logged out at/);
    await user.sees('not logged in');
  });
});
