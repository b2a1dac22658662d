import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Nvim, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { file, idle, lines, startChat } from './e2e';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

const call = (fields: object): Step => ({
  update: { sessionUpdate: 'tool_call', toolCallId: 't', ...fields },
});

async function focusTranscript(nvim: Nvim): Promise<void> {
  await nvim.input('<Esc>');
  await nvim.lua(
    `vim.api.nvim_set_current_win(require('acp.ui.layout').visible(require('acp.chat').get('s1')))`,
  );
}

describe('a tool card', () => {
  it('shows raw input and output on K', async () => {
    const agent = scriptedAgent([
      PROMPT,
      call({
        kind: 'search',
        title: 'Look around',
        status: 'completed',
        rawInput: { needle: 'in the hay' },
        rawOutput: { found: 17 },
      }),
      END,
    ]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    await focusTranscript(nvim);
    await nvim.input('/Look around<CR>K');
    await nvim.waitForScreen('"needle": "in the hay"');
    await nvim.waitForScreen('"found": 17');
    await nvim.input('q');
    await eventually(() => expect(nvim.screen()).not.toContain('in the hay'));
  });

  it('with a diff shows it in the float on gd, where ]f and [f page its files', async () => {
    const diff = (name: string) => ({
      type: 'diff',
      path: `\${new.params.cwd}/${name}`,
      oldText: 'old\n',
      newText: `new ${name}\n`,
    });
    const agent = scriptedAgent([
      { expect: 'session/new', as: 'new' },
      { reply: { sessionId: 's' } },
      PROMPT,
      call({ kind: 'edit', title: 'Edit', content: [diff('a.txt'), diff('b.txt')] }),
      END,
    ]);
    const nvim = await startChat(agent);
    file(nvim, 'a.txt', 'old\n');
    file(nvim, 'b.txt', 'old\n');
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    await focusTranscript(nvim);
    await nvim.input('/Edit<CR>gd');
    await nvim.waitForScreen(/a\.txt ─+ hunk 1 of 1 · \+1 −1 · file 1 of 2/);
    await nvim.input(']f');
    await nvim.waitForScreen(/b\.txt ─+ hunk 1 of 1 · \+1 −1 · file 2 of 2/);
    await nvim.input('[f');
    await nvim.waitForScreen(/file 1 of 2/);
    await nvim.input('q');
    await eventually(() => expect(nvim.find(/file \d of 2/)).toBeUndefined());
  });

  it('shows what a command of ours puts out while it runs, in its colours, and how it ended', async () => {
    const script =
      "process.stdout.write('\\u001b[31mred\\u001b[0m plain ' + process.env.OWN + '\\n');" +
      "process.stdin.resume(); setInterval(() => require('fs').existsSync('go') && process.exit(7), 20)";
    const agent = scriptedAgent([
      PROMPT,
      {
        request: {
          method: 'terminal/create',
          params: {
            command: process.execPath,
            args: ['-e', script],
            env: [{ name: 'OWN', value: 'of its own' }],
          },
        },
        as: 'terminal',
      },
      { answer: 'terminal' },
      call({
        kind: 'execute',
        title: 'x',
        status: 'in_progress',
        content: [{ type: 'terminal', terminalId: '${terminal.terminalId}' }],
      }),
      {
        request: {
          method: 'terminal/wait_for_exit',
          params: { terminalId: '${terminal.terminalId}' },
        },
      },
      { update: { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'failed' } },
      END,
    ]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    const { row, col } = await nvim.waitForScreen('red plain of its own');
    expect(nvim.attrsAt(row, col)).not.toEqual(nvim.attrsAt(row, col + 'red '.length));
    await nvim.waitForScreen(/working/);
    file(nvim, 'go', '');
    await idle(nvim);
    await nvim.waitForScreen(/✗ Run .* exit 7/);
  });
});

describe('a fence', () => {
  it('gets the colours of its language when it closes, once, and its text stays', async () => {
    const agent = scriptedAgent([
      PROMPT,
      chunk('```lua\nlocal answer = 42\n'),
      { expect: 'session/cancel' },
      ...[...'```\n\nand on it goes'].map(chunk),
      END,
    ]);
    const nvim = await startChat(agent);
    await nvim.lua(`
      local parser = vim.treesitter.get_string_parser
      _G.painted = 0
      vim.treesitter.get_string_parser = function(text, lang, ...)
        if lang == 'lua' and text ~= '' then _G.painted = _G.painted + 1 end
        return parser(text, lang, ...)
      end`);
    await nvim.input(':AcpChat go<CR>');
    await nvim.waitForScreen('local answer = 42');
    const same = () => {
      const place = nvim.find('local answer = 42')!;
      const at = (offset: number) => JSON.stringify(nvim.attrsAt(place.row, place.col + offset));
      return at(0) === at('local answer = '.length);
    };
    expect(same()).toBe(true);
    await nvim.command('AcpCancel');
    await nvim.waitForScreen('and on it goes');
    await eventually(() => expect(same()).toBe(false));
    await idle(nvim);
    expect(await nvim.lua('return painted')).toBe(1);
    expect((await lines(nvim)).join('\n')).toContain('```lua\nlocal answer = 42\n```');
  });
});

describe('the winbar', () => {
  it.each([
    [
      'a config option',
      {
        configOptions: [
          {
            id: 'm',
            name: 'Model',
            category: 'model',
            type: 'select',
            currentValue: 'x',
            options: [{ value: 'x', name: 'Xylo 5' }],
          },
        ],
      },
    ],
    [
      'the legacy list',
      { models: { currentModelId: 'x', availableModels: [{ modelId: 'x', name: 'Xylo 5' }] } },
    ],
  ])(
    'names agent, mode, model of %s, state and context use as the agent tells them',
    async (_, more) => {
      const agent = scriptedAgent([
        { expect: 'session/new' },
        {
          reply: {
            sessionId: 's',
            modes: { currentModeId: 'p', availableModes: [{ id: 'p', name: 'Plan' }] },
            ...more,
          },
        },
        PROMPT,
        { update: { sessionUpdate: 'usage_update', used: 500, size: 1000 } },
        { expect: 'session/cancel' },
        { reply: { stopReason: 'cancelled' }, to: 'prompt' },
      ]);
      const nvim = await startChat(agent, { columns: 200 });
      await nvim.input(':AcpChat go<CR>');
      await nvim.waitForScreen(/scripted · Plan · Xylo 5 .*working 0:0\d.*50% of 1k/);
      await nvim.input('<Esc>:AcpCancel<CR>');
      await nvim.waitForScreen(/scripted · Plan · Xylo 5 .*idle .*50% of 1k/);
      await eventually(() => expect(agent.received('session/cancel')).toHaveLength(1));
      expect((await lines(nvim)).join('\n')).toContain('cancelled');
    },
  );
});

describe('what is not known', () => {
  it('shows as dim text: updates, content, kinds, statuses and stop reasons', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { update: { sessionUpdate: 'hologram_update', beam: 1 } },
      { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'smell' } } },
      call({ kind: 'teleport', title: 'Beam me up', status: 'exploded' }),
      { reply: { stopReason: 'bored' }, to: 'prompt' },
    ]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    const colour = (group: string) =>
      nvim.lua<string>(
        `return ('#%06x'):format(vim.api.nvim_get_hl(0, { name = ..., link = false }).fg)`,
        group,
      );
    const dim = [await colour('NonText'), await colour('Comment')];
    for (const text of ['hologram_update', 'smell', 'exploded', 'bored']) {
      const { row, col } = await nvim.waitForScreen(text);
      expect(dim, text).toContain(nvim.attrsAt(row, col).fg);
    }
    await nvim.waitForScreen('Teleport');
  });
});
