import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Nvim, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { file, idle, lines, startChat } from './e2e';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

const update = (fields: object): Step => ({ update: fields as Record<string, unknown> });
const call = (fields: object): Step =>
  update({ sessionUpdate: 'tool_call', toolCallId: 't', ...fields });

/** Each kind of text, what an agent sends of it, and what stands in the buffer then. */
const KINDS: [kind: string, sent: string, shown: string][] = [
  ['NUL', 'a\u0000b', 'a^@b'],
  ['an escape sequence', 'a\u001b]0;title\u0007b', 'a^[]0;title^Gb'],
  ['CRLF', 'one\r\ntwo', 'one\ntwo'],
  ['half a character', 'a\ud83d b', 'a\ufffd b'],
  ['right-to-left text', 'שלום עולם', 'שלום עולם'],
  ['wide characters', '日本語 🙂 한국어', '日本語 🙂 한국어'],
  ['a line of 1 MB', 'x'.repeat(1 << 20), 'x'.repeat(1 << 20)],
];

/** Nothing of ours went wrong on the way. */
async function noFault(nvim: Nvim): Promise<void> {
  expect(await nvim.messages()).not.toMatch(/error|E\d+:|could not be shown/i);
  const log = `local file = io.open(require('acp.log').path()) return file and file:read('*a') or ''`;
  // A message that was shortened on the screen is logged as a whole.
  const logged = (await nvim.lua<string>(log)).split('\n').filter((line) => !/ asks: /.test(line));
  expect(logged.join('\n').trim()).toBe('');
}

describe('text from an agent reaches the buffer without an error', () => {
  it.each(KINDS)('%s', async (_, sent, shown) => {
    const agent = scriptedAgent([PROMPT, chunk('> '), chunk(sent), chunk(' <'), END]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    await eventually(async () => expect((await lines(nvim)).join('\n')).toContain(`> ${shown} <`));
    await noFault(nvim);
  });

  it('bytes that are no UTF-8', async () => {
    const line =
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${prompt.params.sessionId}",' +
      '"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"<\xff\xfe\xc3>"}}}}\n';
    const agent = scriptedAgent([PROMPT, { raw: line, encoding: 'latin1' }, END]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    expect((await lines(nvim)).join('\n')).toContain('<\ufffd\ufffd\ufffd>');
    await noFault(nvim);
  });

  it.each(KINDS)('%s, wherever a text may stand', async (_, text) => {
    const content = { type: 'text', text };
    const agent = scriptedAgent([
      { expect: 'initialize' },
      { reply: { protocolVersion: 1, agentInfo: { name: text, title: text, version: text } } },
      { expect: 'session/new' },
      {
        reply: {
          sessionId: 's',
          modes: {
            currentModeId: text,
            availableModes: [{ id: text, name: text, description: text }],
          },
          models: { currentModelId: text, availableModels: [{ modelId: text, name: text }] },
        },
      },
      update({
        sessionUpdate: 'available_commands_update',
        availableCommands: [{ name: text, description: text, input: { hint: text } }],
      }),
      update({ sessionUpdate: 'session_info_update', title: text }),
      PROMPT,
      update({ sessionUpdate: 'agent_thought_chunk', content }),
      update({ sessionUpdate: 'user_message_chunk', content }),
      update({ sessionUpdate: text, text }),
      update({ sessionUpdate: 'plan', entries: [{ content: text, priority: text, status: text }] }),
      call({
        title: text,
        kind: text,
        status: text,
        rawInput: { command: text, path: text },
        rawOutput: text,
        locations: [{ path: text, line: 1 }],
        content: [
          { type: 'content', content },
          { type: 'diff', path: `/${text}`, oldText: text, newText: `${text}${text}` },
          { type: text },
        ],
      }),
      {
        request: {
          method: 'session/request_permission',
          params: {
            toolCall: { toolCallId: 't' },
            options: [{ optionId: text, name: text, kind: text }],
          },
        },
        as: 'ask',
      },
      { answer: 'ask' },
      { error: { code: 1, message: text, data: { details: text } }, to: 'prompt' },
    ]);
    const nvim = await startChat(agent, { options: { permission: { open: 'manual' } } });
    await nvim.input(':AcpChat go<CR>');
    await nvim.waitForScreen(/\? 1 question/);
    // The details, the diff and the question itself.
    await nvim.input('<Esc>');
    await nvim.lua(
      `vim.api.nvim_set_current_win(require('acp.ui.layout').visible(require('acp.chat').get('s1')))`,
    );
    await nvim.input('GzRK');
    const floats = `return #vim.tbl_filter(function(win)
      return vim.api.nvim_win_get_config(win).relative ~= '' end, vim.api.nvim_list_wins())`;
    await eventually(async () => expect(await nvim.lua(floats)).toBe(1));
    await nvim.input('q');
    await eventually(async () => expect(await nvim.lua(floats)).toBe(0));
    await nvim.input(':AcpPermission<CR>');
    await nvim.waitForScreen('Type number');
    await nvim.input('1<CR>');
    await idle(nvim);
    await noFault(nvim);
  });
});

describe('a message of 100 MB', () => {
  it(
    'does not end the connection, nor hold up who is typing meanwhile',
    { timeout: 60_000 },
    async () => {
      const head =
        '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${prompt.params.sessionId}",' +
        '"update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"big","kind":"execute","rawOutput":"';
      const agent = scriptedAgent([
        PROMPT,
        chunk('here it comes '),
        { raw: head },
        { repeat: 100, steps: [{ raw: 'x'.repeat(1 << 20) }] },
        { raw: '"}}}\n' },
        chunk('and that was it'),
        END,
      ]);
      const nvim = await startChat(agent);
      await nvim.command(`edit ${file(nvim, 'novel.txt', '')}`);
      await nvim.input(':AcpChat go<CR>');
      await nvim.waitForScreen('here it comes');
      await nvim.command('wincmd t');
      await nvim.input('i');
      let longest = 0;
      let typed = '';
      while (!nvim.find('and that was it')) {
        const began = performance.now();
        typed += 'k';
        await nvim.input('k');
        await nvim.request('nvim_get_mode');
        longest = Math.max(longest, performance.now() - began);
        if (typed.length > 20_000) throw new Error('it never came');
      }
      expect(longest).toBeLessThan(500);
      expect(await nvim.lua(`return vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]`)).toBe(typed);
      await noFault(nvim);
    },
  );
});
