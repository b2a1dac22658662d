/**
 * What real agents sent, played again by a process through the real sidecar into a real Neovim: the transcript of each
 * recorded session is as `test/transcripts` has it, which was read and found good. `UPDATE_SCREENS=1` writes those files.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, replayAgent, startNvim, type Nvim, type ScriptedAgent } from '../harness';
import { init, state } from './e2e';
import { scenarios, type Act, type Scenario } from './recorded';

const TRANSCRIPTS = resolve(import.meta.dirname, '../transcripts');
/** Each may have waited in vain for seconds. */
const MOST_WRONG = 8;
const UPDATE = process.env.UPDATE_SCREENS === '1';

/** Lines of the transcript, with what stands at their right edge. */
const SHOWN = `
  local chat = require('acp.chat').get(...)
  local lines = vim.api.nvim_buf_get_lines(chat.buf, 0, -1, false)
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(chat.buf, -1, 0, -1, { details = true })) do
    local text = {}
    for _, piece in ipairs(mark[4].virt_text or {}) do text[#text + 1] = piece[1] end
    local fact = vim.trim(table.concat(text))
    if mark[4].virt_text_pos ~= 'overlay' and fact ~= '' then
      lines[mark[2] + 1] = ('%s  ⟨%s⟩'):format(lines[mark[2] + 1], fact)
    end
  end
  return table.concat(lines, '\\n')`;

/** Without what differs from run to run: folders, times of day, durations. */
function timeless(text: string, dir: string): string {
  return text
    .replaceAll(dir, '/project')
    .replace(/\b\d+:\d\d(:\d\d)?\b/g, '0:00')
    .replace(/\b\d+(\.\d+)? m?s\b/g, '1 s')
    .replace(/ +$/gm, '');
}

async function settled(take: () => Promise<string>): Promise<string> {
  let last = await take();
  return eventually(async () => {
    const now = await take();
    if (now === last) return now;
    last = now;
    throw new Error('the transcript does not settle');
  });
}

const TURNS = `
  vim.g.turns = 0
  vim.api.nvim_create_autocmd('User', { pattern = 'AcpTurnEnd', callback = function()
    vim.g.turns = vim.g.turns + 1
  end })`;

/** Waits until so many turns have ended. */
async function ended(nvim: Nvim, turns: number): Promise<void> {
  await eventually(async () => expect(await nvim.lua('return vim.g.turns')).toBe(turns));
}

async function act(nvim: Nvim, session: string, agent: ScriptedAgent, what: Act): Promise<void> {
  const open = async () => ((await state(nvim, session)).questions ?? []) as { id: string }[];
  const answer = async (option: string, values?: object) => {
    const question = await eventually(async () => {
      const [first] = await open();
      expect(first).toBeDefined();
      return first!.id;
    });
    await nvim.lua(`require('acp.rpc').notify('question.answer', ...)`, {
      session,
      question,
      option,
      ...(values && { values }),
    });
    await eventually(async () =>
      expect((await open()).map(({ id }) => id)).not.toContain(question),
    );
  };
  switch (what.act) {
    case 'prompt': {
      const { length } = agent.received('session/prompt');
      await ended(nvim, length);
      await nvim.lua(
        `local session, text = ...
        local chat = require('acp.chat').get(session)
        require('acp.chat').send(chat, text)`,
        session,
        what.text || '(only attachments)',
      );
      return eventually(() => expect(agent.received('session/prompt')).toHaveLength(length + 1));
    }
    case 'cancel':
      await eventually(() => expect(agent.awaits()).toBe('session/cancel'));
      return nvim.lua(`require('acp.chat').cancel(require('acp.chat').get(...))`, session);
    case 'permission':
      return what.option === null ? undefined : answer(what.option);
    case 'form':
      return answer(what.action, what.values);
  }
}

async function play(nvim: Nvim, agent: ScriptedAgent, scenario: Scenario, session: string) {
  await nvim.lua(
    `
    vim.g.turns = 0
    require('acp').open({ agent = ..., new = true })`,
    scenario.name,
  );
  for (const what of scenario.acts) await act(nvim, session, agent, what);
  await ended(nvim, scenario.turns);
  await eventually(async () => {
    const whole = scenario.turns === agent.received('session/prompt').length;
    expect((await state(nvim, session)).state).toBe(whole ? 'idle' : 'working');
    // The recorder went on with what ours has not done.
    expect([null, 'session/set_mode', 'session/set_config_option']).toContain(agent.awaits());
  });
  const shown = await settled(() => nvim.lua<string>(SHOWN, session));
  const answered = agent.received().flatMap(({ id, method }) => (method === undefined ? [id] : []));
  expect(answered, 'requests that were answered').toEqual(
    expect.arrayContaining(scenario.requests),
  );
  expect(agent.faults()).toEqual([]);
  await nvim.lua(`require('acp.chat').close(require('acp.chat').get(...))`, session);
  return timeless(shown, nvim.dir);
}

describe.each(['claude', 'codex', 'nanocoder', 'opencode'])('recorded sessions of %s', (name) => {
  it('are shown as they were found good', { timeout: 240_000 }, async () => {
    const all = scenarios(name);
    const agents = Object.fromEntries(all.map((it) => [it.name, replayAgent(it.name)]));
    const nvim = await startNvim({ init: init(agents), columns: 160 });
    await nvim.lua(TURNS);
    const wrong: string[] = [];
    for (const [index, scenario] of all.entries()) {
      const file = resolve(TRANSCRIPTS, `${scenario.name}.txt`);
      const known = existsSync(file) ? readFileSync(file, 'utf8') : '';
      try {
        const shown = `${await play(nvim, agents[scenario.name]!, scenario, `s${index + 1}`)}\n`;
        if (UPDATE) {
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, shown);
        } else expect(shown).toBe(known);
      } catch (error) {
        wrong.push(`${scenario.name}: ${(error as Error).message}`);
        if (wrong.length === MOST_WRONG) break;
      }
    }
    expect(wrong.join('\n\n')).toBe('');
    expect(await nvim.messages()).not.toMatch(/E\d+:|traceback/);
  });
});
