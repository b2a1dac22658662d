/** Programs and agents that mean harm, in a real Neovim: it stays awake, and nothing outlives it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, isAlive, scriptedAgent, tempDir, type Step } from '../harness';
import { lines, startChat, state } from './e2e';
import { prompt } from './sessions';
import { tells } from './prompts';

const REFUSED: Step = { error: { code: -32000, message: 'Authentication required' } };
const options = { permission: { quiet_ms: 50 } };

/** An agent that wants a login by a command that it names. */
function refusing(script: string, more: object = {}) {
  const auth = { command: 'sh', args: ['-c', script], label: 'Log in', ...more };
  const hello: Step[] = [
    { expect: 'initialize' },
    {
      reply: {
        protocolVersion: 1,
        agentInfo: { name: 'evil', title: 'Evil', version: '1' },
        authMethods: [
          { id: 'a', name: '\u001b[2J\u202eLog in\n:qa!', _meta: { 'terminal-auth': auth } },
          { id: 'b', name: 'Other' },
        ],
      },
    },
    { expect: 'session/new' },
    REFUSED,
  ];
  return scriptedAgent(hello, hello);
}

function pidIn(file: string): number {
  const pid = Number(readFileSync(file, 'utf8'));
  if (!(pid > 0)) throw new Error('it has not been written yet');
  return pid;
}

describe('a program of a login that does not want to end', () => {
  async function start() {
    const file = join(tempDir(), 'pid');
    const script = `trap '' HUP TERM INT; echo $$ > ${file}; while :; do sleep 1; done`;
    const nvim = await startChat(refusing(script), { options });
    await nvim.input(':AcpChat<CR>');
    await tells(nvim, 'Evil wants you to log in');
    await nvim.input('Mend the test<C-s>');
    await nvim.waitForScreen('2: Other');
    await nvim.input('1<CR>');
    await nvim.waitForScreen('Run this command');
    await nvim.input('1<CR>');
    const pid = await eventually(() => pidIn(file));
    expect(isAlive(pid)).toBe(true);
    return { nvim, pid };
  }
  const gone = (pid: number) =>
    eventually(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });

  it('ends with Neovim', async () => {
    const { nvim, pid } = await start();
    await nvim.close();
    await gone(pid);
  });

  it('ends with its window, and the prompt is there again', async () => {
    const { nvim, pid } = await start();
    await nvim.input('<C-\\><C-n>:q!<CR>');
    await gone(pid);
    await eventually(async () => expect(await prompt(nvim)).toBe('Mend the test'));
  });

  it('ends with its chat', async () => {
    const { nvim, pid } = await start();
    await nvim.input('<C-\\><C-n>');
    await nvim.lua(`local chat = require('acp.chat')
    chat.close(chat.get('s1'))`);
    await gone(pid);
  });

  it('ends with its window when the sidecar was killed meanwhile, and the prompt stands there still', async () => {
    const { nvim, pid } = await start();
    const sidecar = await nvim.lua<number>(`return require('acp.sidecar').pid()`);
    process.kill(sidecar, 'SIGKILL');
    await eventually(async () => expect(await state(nvim)).toMatchObject({ state: 'dead' }));
    expect((await lines(nvim)).join('\n')).toContain('Mend the test');
    await nvim.input('<C-\\><C-n>:q!<CR>');
    await gone(pid);
    expect(await nvim.messages()).not.toMatch(/E\d+:|stack traceback/);
  });
});
