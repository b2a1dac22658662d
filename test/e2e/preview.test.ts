/** The streaming-preview contract, from the agent's frames to the screen. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, expectScreen, scriptedAgent, type Nvim, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { idle, startChat } from './e2e';
import { run, said, says } from './sessions';

const KEY = 'claude-code-acp/streaming-preview';
const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
const HELLO: Step[] = [
  { expect: 'initialize' },
  {
    reply: {
      protocolVersion: 1,
      agentInfo: { name: 'claude-code-acp', title: 'Claude Code' },
      agentCapabilities: { loadSession: true, _meta: { [KEY]: { provisionalReplace: true } } },
    },
  },
];
/** Goes on when there is a file of that name beside the session's folder. */
const wait = (name: string): Step => ({ sh: `until [ -e ../${name} ]; do sleep 0.02; done` });
const goOn = (nvim: Nvim, name: string): void => writeFileSync(join(nvim.dir, '..', name), '');

const replace: [RegExp, string][] = [
  [/\b\d\d:\d\d\b/, '00:00'],
  [/\b0:\d\d\b/, '0:00'],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '⠋'],
];

function preview(about: object, text: string): Step {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  const params = { sessionId: 'session-1', update, _meta: { [KEY]: about } };
  return { notify: { method: 'session/update', params } };
}
const draft = (text: string): Step => preview({ provisional: true, turn: 1 }, text);
const final = (text: string): Step => preview({ replaceProvisional: true, turn: 1 }, text);

describe('a draft', () => {
  it('is dim, and becomes the text where it stands, in one frame', async () => {
    const agent = scriptedAgent([
      ...HELLO,
      PROMPT,
      draft("I'll look at semver.js first.\n"),
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: 't',
          title: 'Read semver.js',
          kind: 'read',
          status: 'completed',
        },
      },
      draft('Identifiers are compared as strings,\n'),
      draft('so alpha.10 sorts before alpha.2\n'),
      wait('drafted'),
      final(
        "I'll look at `semver.js` first.Identifiers are compared as **strings**, so `alpha.10` sorts before `alpha.2`.",
      ),
      wait('said'),
      END,
    ]);
    const nvim = await startChat(agent, { columns: 80, lines: 24 });
    await nvim.input(':AcpChat why?<CR>');
    await nvim.waitForScreen('so alpha.10 sorts');
    await expectScreen(nvim, 'preview-draft', { replace });
    // What stands below it must not move up and down: no state of the buffer lacks the text.
    await nvim.lua(`
      short, ticks = 0, 0
      local buf = require('acp.chat').get('s1').buf
      local count = vim.api.nvim_buf_line_count(buf)
      vim.api.nvim_buf_attach(buf, false, {
        on_lines = function(_, _, _, first, _, last)
          ticks = ticks + 1
          local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\\n')
          if not (text:find('I.ll look at') and text:find('dentifiers are compared')) then
            short = short + 1
          end
        end,
      })`);
    goOn(nvim, 'drafted');
    await nvim.waitForScreen('before `alpha.2`.');
    expect(await nvim.lua('return { short, ticks > 0 }')).toEqual([0, true]);
    goOn(nvim, 'said');
    await idle(nvim);
    await expectScreen(nvim, 'preview-final', { replace });
    expect((await said(nvim)).match(/look at/g)).toHaveLength(1);
  });

  it('that never becomes a text stays, marked as one', async () => {
    const agent = scriptedAgent([
      ...HELLO,
      PROMPT,
      draft('As **far** as I can see'),
      { expect: 'session/cancel' },
      { reply: { stopReason: 'cancelled' }, to: 'prompt' },
    ]);
    const nvim = await startChat(agent, { columns: 80, lines: 24 });
    await nvim.input(':AcpChat why?<CR>');
    await nvim.waitForScreen('as I can see');
    await run(nvim, 'AcpCancel');
    await nvim.waitForScreen('cancelled');
    await expectScreen(nvim, 'preview-left', { replace });
  });
});

describe('a session that ended at its agent', () => {
  it('says so, and is opened again by a key', async () => {
    const agent = scriptedAgent(
      [
        ...HELLO,
        PROMPT,
        final('Hello'),
        END,
        { delay: 50 },
        preview({ sessionEnded: true, code: 1 }, ''),
      ],
      [
        ...HELLO,
        { expect: 'session/load' },
        chunk('Hello'),
        { reply: {} },
        PROMPT,
        chunk('here'),
        END,
      ],
    );
    const nvim = await startChat(agent, { columns: 80, lines: 24 });
    await nvim.input(':AcpChat hi<CR>');
    await says(nvim, 'Claude Code has ended this session with code 1');
    await expectScreen(nvim, 'preview-ended', { replace });
    await nvim.lua(`
      vim.cmd.stopinsert()
      vim.api.nvim_set_current_win(require('acp.ui.layout').visible(require('acp.chat').get('s1')))`);
    await nvim.input('/Open it again<CR><CR>');
    await idle(nvim);
    await eventually(() => expect(agent.received('session/load')).toHaveLength(1));
    await nvim.command('AcpChat are you there?');
    await says(nvim, 'here');
    expect((await said(nvim)).match(/Hello/g)).toHaveLength(1);
  });
});
