import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, startNvim, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { file, idle, init, lines, startChat, startDemo, state, type } from './e2e';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

describe(':AcpChat', () => {
  it('opens a chat in which a typed prompt is answered on the screen', async () => {
    const nvim = await startDemo();
    await nvim.input(':AcpChat<CR>');
    await nvim.waitForScreen('<C-s> send');
    await nvim.input('hello<C-s>');
    await nvim.waitForScreen('▌ hello');
    await nvim.waitForScreen('demo agent');
    await idle(nvim);
  });

  it('takes what is typed while the agent still starts', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize' },
      { delay: 500 },
      { reply: { protocolVersion: 1 } },
      PROMPT,
      chunk('good morning'),
      END,
    ]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat<CR>wake up<C-s>');
    await nvim.waitForScreen('▌ wake up');
    expect((await state(nvim)).state).toBe('starting');
    await nvim.waitForScreen('good morning');
  });

  it('with text sends it', async () => {
    const agent = scriptedAgent([PROMPT, chunk('answer'), END]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat what is this?<CR>');
    await nvim.waitForScreen('answer');
    expect(agent.received('session/prompt')[0]?.params?.prompt).toEqual([
      { type: 'text', text: 'what is this?' },
    ]);
  });

  it('with a range takes the lines along, unsaved text included', async () => {
    const agent = scriptedAgent([PROMPT, chunk('answer'), END]);
    const nvim = await startChat(agent);
    const path = file(nvim, 'a.py', 'one\ntwo\nthree\n');
    await nvim.command(`edit ${path}`);
    await nvim.input('ggAX<Esc>Vj:AcpChat explain<CR>');
    await nvim.waitForScreen('answer');
    expect(agent.received('session/prompt')[0]?.params?.prompt).toEqual([
      { type: 'text', text: 'explain' },
      {
        type: 'resource',
        resource: { uri: `file://${path}#L1-L2`, text: 'oneX\ntwo\n', mimeType: 'text/plain' },
      },
    ]);
    await nvim.waitForScreen('a.py:1-2');
  });

  it('with a bang starts a new session, and without goes back to the one of the tab', async () => {
    const nvim = await startDemo();
    await nvim.input(':AcpChat first<CR>');
    await nvim.waitForScreen('▌ first');
    await nvim.input('<Esc>:AcpChat! second<CR>');
    await nvim.waitForScreen('▌ second');
    await idle(nvim, 's2');
    expect((await lines(nvim, 's1')).join()).not.toContain('▌ second');
    await nvim.input('<Esc>:AcpHide<CR>:AcpChat<CR>');
    await nvim.waitForScreen('▌ second');
  });

  it('with agent=NAME picks an agent, and says which are known when there is none of that name', async () => {
    const nvim = await startNvim({
      init: init({ scripted: scriptedAgent([PROMPT, chunk('I am scripted'), END]) }),
      env: { ACP_DEMO_PACE: '0' },
    });
    await nvim.input(':AcpChat agent=demo hi<CR>');
    await nvim.waitForScreen('demo agent');
    await nvim.input('<Esc>:AcpChat agent=scripted hi<CR>');
    await nvim.waitForScreen('I am scripted');
    await nvim.input('<Esc>:AcpChat agent=nobody hi<CR>');
    await nvim.waitForScreen('nobody');
  });

  it('without a configured agent offers those that are installed, the demo agent last', async () => {
    const nvim = await startNvim({
      init: `
        vim.o.swapfile = false
        vim.ui.select = function(items, opts, choose)
          local format = opts.format_item or tostring
          vim.g.offered = vim.tbl_map(format, items)
          _G.choose = function(i) choose(items[i], i) end
        end`,
      env: { PATH: '/usr/bin:/bin' },
    });
    // No agent is on this PATH, but Node has to be.
    await nvim.lua('require("acp").setup({ node = ... })', process.execPath);
    await nvim.command('AcpChat');
    const offered = await eventually(async () => {
      const items = await nvim.lua<string[]>('return vim.g.offered');
      expect(items.length).toBeGreaterThan(0);
      return items;
    });
    const demo = offered.findIndex((item) => item.startsWith('demo'));
    expect(demo).toBeGreaterThanOrEqual(0);
    expect(offered.join('\n')).toMatch(/nstall/);
    await nvim.lua('_G.choose(...)', demo + 1);
    await nvim.waitForScreen('<C-s> send');
  });

  it('keeps a session that is hidden alive', async () => {
    const agent = scriptedAgent([
      PROMPT,
      chunk('before '),
      { expect: '_go' },
      chunk('and after'),
      END,
    ]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await nvim.waitForScreen('before');
    await nvim.input('<Esc>q');
    await eventually(() => expect(nvim.screen()).not.toContain('before'));
    await nvim.command('AcpCancel');
    expect(agent.alive()).toHaveLength(1);
    await nvim.input(':AcpChat<CR>');
    await nvim.waitForScreen('before');
  });

  it('opens at each place that the layout names', async () => {
    for (const position of ['right', 'left', 'bottom', 'top', 'tab', 'float', 'current']) {
      const nvim = await startDemo({ options: { layout: { position } } });
      await nvim.input(':AcpChat hi<CR>');
      await nvim.waitForScreen('▌ hi');
      await nvim.input('<Esc>:AcpHide<CR>');
      await eventually(() => expect(nvim.screen(), position).not.toContain('▌ hi'));
      await nvim.close();
    }
  });
});

describe('the transcript', () => {
  it('can not be changed by hand', async () => {
    const nvim = await startDemo();
    await nvim.input(':AcpChat hello<CR>');
    await idle(nvim);
    const before = await lines(nvim);
    await nvim.lua(
      `vim.api.nvim_set_current_win(require('acp.ui.layout').visible(require('acp.chat').get('s1')))`,
    );
    await nvim.input('ggdGix<Esc>p:s/a/b/<CR>');
    await eventually(async () =>
      expect((await nvim.request('nvim_get_mode')) as object).toMatchObject({ blocking: false }),
    );
    expect(await lines(nvim)).toEqual(before);
    expect(await nvim.lua(`return vim.bo[require('acp.chat').get('s1').buf].buftype`)).toBe(
      'nofile',
    );
  });

  it('gives back what the agent wrote when it is yanked', async () => {
    const markdown =
      '# Title\n\nSome **bold** `code` and a list:\n\n- one\n- two\n\n```lua\nlocal x = 1\n```\n\nEnd.';
    const agent = scriptedAgent([PROMPT, ...[...markdown].map(chunk), END]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    expect((await lines(nvim)).join('\n')).toContain(markdown);
  });

  it('folds a thought when it ends, and unfolds it on za', async () => {
    const agent = scriptedAgent([
      PROMPT,
      {
        update: {
          sessionUpdate: 'agent_thought_chunk',
          content: { type: 'text', text: 'deep idea' },
        },
      },
      { delay: 1100 },
      chunk('done'),
      END,
    ]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    await nvim.waitForScreen('▸ Thought for');
    expect(nvim.screen()).not.toContain('deep idea');
    await nvim.lua(
      `vim.api.nvim_set_current_win(require('acp.ui.layout').visible(require('acp.chat').get('s1')))`,
    );
    await nvim.input('/Thought<CR>za');
    await nvim.waitForScreen('deep idea');
  });

  it('updates a plan and a tool card in place', async () => {
    const plan = (status: string): Step => ({
      update: {
        sessionUpdate: 'plan',
        entries: [{ content: 'step one', priority: 'high', status }],
      },
    });
    const agent = scriptedAgent([
      PROMPT,
      plan('pending'),
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: 't',
          kind: 'execute',
          title: 'x',
          status: 'in_progress',
          rawInput: { command: 'make world' },
        },
      },
      plan('completed'),
      { update: { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' } },
      END,
    ]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    const text = (await lines(nvim)).join('\n');
    expect(text.match(/step one/g)).toHaveLength(1);
    expect(text).toMatch(/✓ step one/);
    expect(text).toMatch(/✓ Run +make world/);
  });

  it('opens the path under the cursor at its line', async () => {
    const agent = scriptedAgent([PROMPT, chunk('see `a.txt:3` there'), END]);
    const nvim = await startChat(agent);
    file(nvim, 'a.txt', '1\n2\nthe third line\n');
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    await nvim.lua(
      `vim.api.nvim_set_current_win(require('acp.ui.layout').visible(require('acp.chat').get('s1')))`,
    );
    await nvim.input('/a.txt<CR>gf');
    await nvim.waitForScreen('the third line');
    expect(await nvim.lua(`return vim.fn.line('.')`)).toBe(3);
    await nvim.waitForScreen('see');
  });
});

describe('modes', () => {
  it('are set, selected and completed by :AcpMode', async () => {
    const nvim = await startDemo();
    await nvim.input(':AcpChat hi<CR>');
    await idle(nvim);
    expect(await nvim.lua(`return vim.fn.getcompletion('AcpMode ', 'cmdline')`)).toEqual([
      'ask',
      'plan',
      'auto',
    ]);
    await nvim.input('<Esc>:AcpMode plan<CR>');
    await eventually(async () => expect((await state(nvim)).mode).toBe('plan'));
    await nvim.waitForScreen('Plan');
    await nvim.input('<Esc>:AcpMode<CR>');
    await nvim.waitForScreen('Edits and runs without asking');
    await nvim.input('3<CR>');
    await eventually(async () => expect((await state(nvim)).mode).toBe('auto'));
    await nvim.input('<Esc>:AcpMode nonsense<CR>');
    await nvim.waitForScreen('has no mode');
  });
});

describe('a proposed edit', () => {
  const edit = async (keys: string) => {
    const nvim = await startDemo();
    const path = file(nvim, 'notes.txt', 'alpha\nbeta\ngamma\n');
    await nvim.command(`edit ${path}`);
    await nvim.input(':AcpChat /edit notes.txt beta => BETA<CR>');
    await nvim.waitForScreen(/hunk 1 of 1/);
    await nvim.waitForScreen('Type number');
    await nvim.input(keys);
    await idle(nvim);
    return { nvim, path };
  };

  it('is shown in a float with the question, and allowed it changes the buffer and the file', async () => {
    const { nvim, path } = await edit('1<CR>');
    expect(readFileSync(path, 'utf8')).toBe('alpha\nBETA\ngamma\n');
    await eventually(() => expect(nvim.screen()).toContain('BETA'));
    expect(nvim.screen()).not.toContain('hunk 1 of 1');
  });

  it('that is rejected leaves the file as it was', async () => {
    const { nvim, path } = await edit('3<CR>');
    expect(readFileSync(path, 'utf8')).toBe('alpha\nbeta\ngamma\n');
    expect((await lines(nvim)).join('\n')).toMatch(/Reject/);
  });
});

describe('a permission question', () => {
  it('stays when it is dismissed, and :AcpPermission asks again', async () => {
    const nvim = await startDemo();
    await nvim.input(':AcpChat /run echo hello<CR>');
    await nvim.waitForScreen('Type number');
    await nvim.input('<CR>');
    await nvim.waitForScreen('? 1 question');
    expect((await state(nvim)).state).toBe('waiting');
    await nvim.input('<Esc>:AcpPermission<CR>');
    await nvim.waitForScreen('Type number');
    await nvim.input('1<CR>');
    await idle(nvim);
    expect((await lines(nvim)).join('\n')).toContain('hello');
  });

  it('never takes the keys of someone who is typing', async () => {
    const agent = scriptedAgent([
      PROMPT,
      {
        request: {
          method: 'session/request_permission',
          params: {
            toolCall: { toolCallId: 't', title: 'danger', kind: 'execute' },
            options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
          },
        },
        as: 'ask',
      },
      { answer: 'ask' },
      END,
    ]);
    const nvim = await startChat(agent);
    const path = file(nvim, 'novel.txt', '');
    await nvim.command(`edit ${path}`);
    await nvim.command('AcpChat go');
    await nvim.command('wincmd t');
    const novel = 'It was a dark and stormy night 1 y 2 n 3.';
    await nvim.input('i');
    for (const letter of novel) await nvim.input(letter);
    await nvim.waitForScreen('? 1 question');
    await eventually(() => expect(nvim.screen()).toContain(novel));
    expect((await state(nvim)).state).toBe('waiting');
    await nvim.input('<Esc>');
    await nvim.input(':AcpPermission<CR>');
    await nvim.waitForScreen('Type number');
    await nvim.input('1<CR>');
    await idle(nvim);
  });
});

describe('<C-c>', () => {
  it('gives a prompt back that waits for an agent which does not start', async () => {
    const nvim = await startChat(scriptedAgent([{ expect: 'never' }]));
    await nvim.input(':AcpChat<CR>hello?<C-s>');
    await nvim.waitForScreen(/starting 0:\d\d · 1 queued/);
    await nvim.input('<C-c>');
    await eventually(() => expect(nvim.screen()).not.toContain('1 queued'));
    await eventually(async () =>
      expect(await nvim.lua(`return vim.api.nvim_get_current_line()`)).toBe('hello?'),
    );
  });

  it('cancels the turn', async () => {
    const nvim = await startDemo({ env: { ACP_DEMO_PACE: '1' } });
    await nvim.input(':AcpChat /slow 30<CR>');
    await nvim.waitForScreen(/working/);
    await nvim.input('<C-c>');
    await idle(nvim);
    expect((await lines(nvim)).join('\n')).toContain('cancelled');
  });
});

describe(':AcpLog', () => {
  it('opens the wire log of the chat’s agent', async () => {
    const nvim = await startDemo();
    await nvim.input(':AcpChat hi<CR>');
    await idle(nvim);
    await nvim.input('<Esc>:AcpLog<CR>');
    await nvim.waitForScreen(/"stopReason":"end_turn"/);
  });
});

describe('typing in the prompt', () => {
  it('keeps the text when the agent can not be started', async () => {
    const nvim = await startNvim({
      init: `
        vim.o.swapfile = false
        require('acp').setup({ agent = 'x', agents = { x = { command = 'no-such-agent' } } })`,
    });
    await nvim.input(':AcpChat<CR>');
    await nvim.waitForScreen('no program');
    await nvim.input('<Esc>');
    await type(nvim, 'my long prompt');
    await nvim.waitForScreen('no program');
    const prompt = await eventually(async () => {
      const text = await nvim.lua<string[]>(
        `return vim.api.nvim_buf_get_lines(require('acp.chat').get('s1').prompt_buf, 0, -1, false)`,
      );
      expect(text).toEqual(['my long prompt']);
      return text;
    });
    expect(prompt).toHaveLength(1);
  });
});
