import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { AGENT, Desk } from './desk';
import type { User } from './user';

const SERVERS = {
  bell: {
    command: process.execPath,
    args: [join(import.meta.dirname, 'mcp-server.mjs')],
    env: { BELL: '${BELL_METAL}' },
  },
};

let desk: Desk;
let user: User;

beforeAll(async () => {
  const files = { '.mcp.json': JSON.stringify({ mcpServers: SERVERS }) };
  desk = await Desk.set(
    files,
    `vim.env.BELL_METAL = 'bronze'
     local options = require('acp.config').get()
     options.permission.open = 'always'
     require('acp').setup(options)`,
  );
  user = desk.user;
});
afterAll(() => desk.clear());

const given = (method: string) =>
  desk.sent(method).map(({ mcpServers }) => (mcpServers as { name: string }[])[0]?.name);

/** Some agents are ready before the server is: then its tool is not there yet. */
async function rings(note: string): Promise<void> {
  const rung = `rung ${note} by bronze`;
  const came = () => JSON.stringify(desk.frames('a2c')).includes(rung);
  for (let tries = 0; tries < 20 && !came(); tries++) {
    await user.send(`[[tool ring {"note":"${note}"}]]`);
    await user.allowsIfAsked();
  }
  // Codex gives the result as data alone: it stands among the details of the call.
  if (AGENT === 'codex') {
    await user.nvim.input('<C-w>kG');
    await user.command('call search("✓ .*ring", "bw")');
    await user.nvim.input('K');
  }
  await user.sees(rung);
  if (AGENT === 'codex') await user.nvim.input('q');
}

describe(AGENT, () => {
  it('gets the server of the project when that was allowed', async () => {
    await user.command(`AcpChat agent=${AGENT}`);
    await user.answers(/^Use them/);
    await user.turnEnds();
    await eventually(() => expect(given('session/new')).toEqual(['bell']));
  });

  it('calls its tool', async () => {
    await user.changesMode(desk.agent.asks);
    await rings('twice');
  });

  it('has it in a session that is opened again, and is not asked about it', async () => {
    desk = await desk.again();
    user = desk.user;
    await user.command('AcpSessions');
    await user.answers(/\S/);
    await user.turnEnds();
    await user.changesMode(desk.agent.asks);
    await rings('thrice');
    const again = () => [...given('session/resume'), ...given('session/load')];
    await eventually(() => expect(again()).toEqual(['bell']));
    expect(desk.model.faults).toEqual([]);
  });
});
