/** Transcripts of recorded sessions: as they are shown, and as they were read and found good. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect } from 'vitest';
import { eventually, type Nvim } from '../harness';

const TRANSCRIPTS = resolve(import.meta.dirname, '../transcripts');
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
  return (
    text
      .replaceAll(dir, '/project')
      .replace(/\b\d+:\d\d(:\d\d)?\b/g, '0:00')
      // Those of tools are shown from some length on.
      .replace(
        / {2}⟨\d+(\.\d+)? m?s⟩$|(?<=⟨(.* · )?)\d+(\.\d+)? m?s · | · \d+(\.\d+)? m?s(?=⟩$)/gm,
        '',
      )
      // A long title gives way to them.
      .replace(/^(\S+ \S+ +.{12}).*…(?= {2}⟨)/gm, '$1…')
      // What was written to files depends on what other sessions have left in them.
      .replace(/^(── .*?) · \d+ files?( changed)? \(\+\d+ −\d+\)/gm, '$1')
      .replace(/^(── .* \d+) ran (without asking)/gm, '$1 $2')
      .replace(/^(── .*?) ─+$/gm, '$1 ──')
      .replace(/ +$/gm, '')
  );
}

/** What is drawn comes a moment after what it tells of: it is the last when it stays for a while. */
const SAME = 10;

async function settled(take: () => Promise<string>): Promise<string> {
  let last: string | undefined;
  let same = 0;
  return eventually(async () => {
    const now = await take();
    same = now === last ? same + 1 : 0;
    last = now;
    if (same < SAME) throw new Error('the transcript does not settle');
    return now;
  });
}

/** Counts the turns that end. */
export const TURNS = `
  vim.g.turns = 0
  vim.api.nvim_create_autocmd('User', { pattern = 'AcpTurnEnd', callback = function()
    vim.g.turns = vim.g.turns + 1
  end })`;

/** Sends a prompt in a session, as its chat would. */
export async function sendIn(nvim: Nvim, session: string, text: string): Promise<void> {
  await nvim.lua(
    `local session, text = ...
    require('acp.chat').send(require('acp.chat').get(session), text)`,
    session,
    text,
  );
}

/** Waits until so many turns have ended. */
export async function ended(nvim: Nvim, turns: number): Promise<void> {
  await eventually(async () => expect(await nvim.lua('return vim.g.turns')).toBe(turns));
}

/** What a session shows, once that stays as it is. */
export async function transcript(nvim: Nvim, session: string): Promise<string> {
  return timeless(await settled(() => nvim.lua<string>(SHOWN, session)), nvim.dir);
}

/** Compares what is shown with the transcript of that name, or writes it. */
export function expectTranscript(name: string, shown: string): void {
  const file = resolve(TRANSCRIPTS, `${name}.txt`);
  if (!UPDATE) {
    // The others are compared, too.
    return expect.soft(`${shown}\n`, name).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${shown}\n`);
}
