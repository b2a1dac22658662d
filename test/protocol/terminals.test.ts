import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, tempDir, type Step } from '../harness';
import { listed, openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

const told =
  (sessionUpdate: string) =>
  (fields: object, id = 't'): Step => ({
    update: { sessionUpdate, toolCallId: id, ...fields },
  });
const call = told('tool_call');
const update = told('tool_call_update');
const shows = (...terminals: string[]) => ({
  content: terminals.map((terminalId) => ({ type: 'terminal', terminalId })),
});
const meta = (fields: object) => ({ _meta: fields });
const output = (data: string, terminal_id = 't') =>
  meta({ terminal_output: { terminal_id, data } });
const delta = (data: string, terminal_id = 't') =>
  meta({ terminal_output_delta: { terminal_id, data } });
const exit = (exit_code: number | null, signal: string | null = null, terminal_id = 't') =>
  meta({ terminal_exit: { terminal_id, exit_code, signal } });

/** Plays the steps in one turn. */
async function turn(...steps: Step[]): Promise<Chat> {
  const chat = openChat(scriptedAgent([PROMPT, ...steps, END]));
  chat.send('go');
  await over(chat);
  return chat;
}

async function over({ editor }: Chat, turns = 1): Promise<void> {
  await eventually(() =>
    expect(editor.kinds().filter((kind) => kind === 'turn')).toHaveLength(turns),
  );
  expect(editor.faults).toEqual([]);
}

/** What stands at the right edge of the last card. */
function facts({ editor }: Chat): string[] {
  const id = editor.idOf('tool');
  const ops = editor.sent('frame').flatMap(({ frames }) => frames.flatMap((it) => it.ops ?? []));
  const put = ops.findLast((op) => op.op === 'put' && op.id === id);
  const all = put && put.op === 'put' ? (put.facts ?? []) : [];
  return all.flatMap(({ right = [] }) => right.map(([text]) => text));
}

/** Presses `K` on the last card, and gives what Neovim is shown when it has come. */
async function look(chat: Chat): Promise<{ title: string; data: string; end?: string }> {
  const { editor } = chat;
  const before = editor.sent('terminal.show').length;
  chat.tell('block.inspect', { block: editor.idOf('tool') });
  await eventually(() => expect(editor.sent('terminal.show')).toHaveLength(before + 1));
  return editor.sent('terminal.show')[before]!;
}

/** All that came of the last terminal that was shown. */
function seen({ editor }: Chat): string {
  const { data, terminal } = editor.sent('terminal.show').at(-1)!;
  const more = editor.sent('terminal.data').filter((it) => it.terminal === terminal);
  return data + more.map((it) => it.data).join('');
}

describe('a terminal that the agent runs itself', () => {
  it('shows its output where all of it comes at the end', async () => {
    const chat = await turn(
      call({
        kind: 'execute',
        title: 'Terminal',
        ...shows('t'),
        ...meta({ terminal_info: { terminal_id: 't' } }),
      }),
      update({ title: 'make' }),
      update(output('one\ntwo')),
      update({ status: 'completed', ...exit(0) }),
    );
    expect(chat.editor.text).toContain('✓ Run   make\n  one\n  two');
    expect(facts(chat)).toContain('exit 0');
    expect(await look(chat)).toMatchObject({ title: 'make', data: 'one\ntwo', end: 'exit 0' });
  });

  it('shows its output piece by piece while the command runs, and in the terminal too', async () => {
    const chat = openChat(
      scriptedAgent([
        PROMPT,
        call({ kind: 'execute', title: 'make', status: 'in_progress', ...shows('t') }),
        update(delta('one\n')),
        { expect: 'session/cancel' },
        update(delta('\u001b[31mtw')),
        update(delta('o\u001b[0m\n')),
        update(delta('\n<stdin>\n')),
        update({ status: 'failed', ...exit(3) }),
        END,
      ]),
    );
    chat.send('go');
    await eventually(() => expect(chat.editor.text).toContain('one'));
    expect(chat.editor.status.terminals).toMatchObject([
      { id: 't', title: 'make', canStop: false, block: chat.editor.idOf('tool') },
    ]);
    expect(await look(chat)).toMatchObject({ data: 'one\n' });
    expect(chat.editor.sent('terminal.show')[0]).not.toHaveProperty('end');
    chat.cancel();
    await over(chat);
    await eventually(() => {
      expect(seen(chat)).toBe('one\n\u001b[31mtwo\u001b[0m\n\n<stdin>\n');
      expect(chat.editor.sent('terminal.data').at(-1)).toMatchObject({ end: 'exit 3' });
    });
    expect(chat.editor.status.terminals).toEqual([]);
  });

  it('is shown with the folder of the command, and how its signal ended it', async () => {
    const chat = await turn(
      call({
        kind: 'execute',
        title: 'sleep 9',
        ...shows('t'),
        ...meta({ terminal_info: { terminal_id: 't', cwd: '/elsewhere' } }),
      }),
      update({ ...output('waiting\n'), status: 'in_progress' }),
      update({ status: 'failed', ...exit(null, 'SIGKILL') }),
    );
    expect(facts(chat)).toContain('SIGKILL');
    expect(await look(chat)).toMatchObject({ cwd: '/elsewhere', end: 'ended by SIGKILL' });
  });

  it('has an unknown end where its agent does not say how it ended: neither 0 nor 1', async () => {
    const chat = await turn(
      call({ kind: 'execute', title: 'x', status: 'in_progress', ...shows('t') }),
      update(output('told to stop')),
      update({ status: 'failed', ...exit(null) }),
    );
    expect(facts(chat)).toContain('exit ?');
    expect(await look(chat)).toMatchObject({ end: 'end unknown' });
  });

  it('has an unknown end where its call never ended, and does not run for ever', async () => {
    const chat = await turn(
      call({ kind: 'execute', title: 'x', status: 'in_progress', ...shows('t') }),
      update(output('a\n')),
    );
    expect(chat.editor.status.terminals).toEqual([]);
    expect(await look(chat)).toMatchObject({ end: 'end unknown' });
  });

  it('may be told of before its call, and its end before its output', async () => {
    const chat = await turn(
      update(output('early\n')),
      update(exit(0)),
      update(delta('late\n')),
      call({ kind: 'execute', title: 'x', status: 'completed', ...shows('t') }),
    );
    expect(chat.editor.text).toContain('✓ Run   x\n  early\n  late');
    expect(facts(chat)).toContain('exit 0');
  });

  it('shares its card with others: each can be looked at', async () => {
    const chat = await turn(
      call({ kind: 'execute', title: 'both', status: 'in_progress', ...shows('a', 'b') }),
      update(output('of a\n', 'a')),
      update(output('of b\n', 'b')),
      update({ status: 'completed', ...exit(0, null, 'a') }),
      update(exit(2, null, 'b')),
    );
    expect(chat.editor.text).toContain('✓ Run   both\n  of a\n  of b');
    expect(await look(chat)).toMatchObject({ terminal: 'b', all: ['a', 'b'], end: 'exit 2' });
    chat.tell('terminal.open', { terminal: 'a' });
    await eventually(() => {
      expect(chat.editor.sent('terminal.show').at(-1)).toMatchObject({
        terminal: 'a',
        data: 'of a\n',
        end: 'exit 0',
      });
    });
  });

  it('is another one where the agent uses the id of a call again', async () => {
    const run = (text: string): Step[] => [
      call({ kind: 'execute', title: text, status: 'in_progress', ...shows('t') }),
      update(output(`${text}\n`)),
      update({ status: 'completed', ...exit(0), ...shows('t') }),
    ];
    const chat = openChat(
      scriptedAgent([PROMPT, ...run('first'), END, PROMPT, ...run('second'), END]),
    );
    chat.send('go');
    await over(chat);
    chat.send('again');
    await over(chat, 2);
    expect(chat.editor.text).toContain('✓ Run   first\n  first\n\n──');
    expect(chat.editor.text).toContain('✓ Run   second\n  second\n\n──');
    expect(await look(chat)).toMatchObject({ data: 'second\n' });
  });

  it('cannot be stopped by itself, and it is said what can be done', async () => {
    const chat = openChat(
      scriptedAgent([
        PROMPT,
        call({ kind: 'execute', title: 'x', status: 'in_progress', ...shows('t') }),
        update(output('a\n')),
        { expect: 'session/cancel' },
        END,
      ]),
    );
    chat.send('go');
    await eventually(() => expect(chat.editor.text).toContain('  a'));
    chat.tell('terminal.stop', { terminal: 't' });
    await eventually(() => expect(chat.editor.messages().join()).toContain('cancel the turn'));
    chat.cancel();
    await over(chat);
    chat.tell('terminal.stop', { terminal: 't' });
    await eventually(() =>
      expect(chat.editor.messages().join()).toContain('does not run any more'),
    );
  });

  it('is not lost on what is no such output', async () => {
    const chat = await turn(
      call({ kind: 'execute', title: 'x', ...shows('t'), ...meta({ terminal_info: null }) }),
      update(meta({ terminal_output: { terminal_id: 7, data: 'a' } })),
      update(meta({ terminal_output: { terminal_id: 't', data: null } })),
      update(meta({ terminal_output_delta: 'text', terminal_exit: [] })),
      update({
        status: 'completed',
        ...meta({ terminal_exit: { terminal_id: 't', exit_code: 'x' } }),
      }),
    );
    expect(facts(chat)).toContain('exit ?');
  });
});

describe('an output that is told otherwise', () => {
  it('is replaced where the agent sends all of it again each time', async () => {
    const text = (all: string) => ({
      content: [{ type: 'content', content: { type: 'text', text: all } }],
    });
    const chat = await turn(
      call({ kind: 'execute', title: 'make', status: 'in_progress' }),
      update(text('one\n')),
      update(text('one\ntwo\n')),
      update({ status: 'completed', ...text('one\ntwo\nthree\n') }),
    );
    expect(chat.editor.text).toContain('✓ Run   make\n  one\n  two\n  three\n\n');
  });

  it('of a tool of an MCP server grows piece by piece, until its result takes its place', async () => {
    const progress = (data: string) => meta({ is_mcp_tool_call: true, mcp_output_delta: { data } });
    const chat = openChat(
      scriptedAgent([
        PROMPT,
        call({ kind: 'other', title: 'mcp.tool', status: 'in_progress' }),
        update(progress('step 1\n')),
        update(progress('step 2\n')),
        { expect: 'session/cancel' },
        update({
          status: 'completed',
          content: [{ type: 'content', content: { type: 'text', text: 'the result' } }],
        }),
        END,
      ]),
    );
    chat.send('go');
    await eventually(() => expect(chat.editor.text).toContain('  step 1\n  step 2'));
    chat.cancel();
    await over(chat);
    expect(chat.editor.text).toContain('  the result');
    expect(chat.editor.text).not.toContain('step 1');
  });
});

describe('a terminal of ours', () => {
  const create = (script: string, as = 'made'): Step => ({
    request: { method: 'terminal/create', params: { command: 'sh', args: ['-c', script] } },
    as,
  });

  /** An agent that leaves a command running in the background. */
  async function background(script: string, ...more: Step[]): Promise<Chat> {
    const chat = openChat(
      scriptedAgent([
        PROMPT,
        create(script),
        { answer: 'made' },
        call({
          kind: 'execute',
          title: 'Serve',
          status: 'completed',
          ...shows('${made.terminalId}'),
        }),
        END,
        ...more,
      ]),
    );
    chat.send('go');
    await over(chat);
    return chat;
  }

  it('goes on when its turn is over: it is listed, followed, and ends when the user wants it', async () => {
    const chat = await background('while :; do echo tick; sleep 0.1; done');
    const { editor } = chat;
    await eventually(() => expect(editor.status.terminals).toHaveLength(1));
    const [running] = editor.status.terminals!;
    expect(running).toMatchObject({ canStop: true, block: editor.idOf('tool') });
    expect(running!.title).toMatch(/^sh -c 'while/);
    expect(running!.since).toBeGreaterThan(Date.now() - 60_000);
    // Its call is over, and it is not: no time stands still beside it.
    expect(facts(chat)).toEqual(['in the background']);
    expect(editor.text).toMatch(/⠋ Run {3}Serve/);
    expect(await look(chat)).toMatchObject({ terminal: running!.id, canStop: true, cwd: chat.cwd });
    await eventually(() => expect(seen(chat).split('tick').length).toBeGreaterThan(4));
    chat.tell('terminal.stop', { terminal: running!.id });
    await eventually(() => expect(editor.status.terminals).toEqual([]));
    await eventually(() => {
      expect(editor.sent('terminal.data').at(-1)).toMatchObject({ end: 'ended by SIGTERM' });
    });
    expect(facts(chat)).toContain('SIGTERM');
    expect(facts(chat)).not.toContain('in the background');
    expect(facts(chat)).toContainEqual(expect.stringMatching(/^[\d.]+ m?s$/));
    expect(editor.text).toMatch(/✓ Run {3}Serve/);
    expect(editor.faults).toEqual([]);
  });

  it('is listed also where no card shows it', async () => {
    const chat = openChat(scriptedAgent([PROMPT, create('sleep 60'), { answer: 'made' }, END]));
    chat.send('go');
    await over(chat);
    const [running] = chat.editor.status.terminals!;
    expect(running).toMatchObject({ title: "sh -c 'sleep 60'", canStop: true });
    expect(running).not.toHaveProperty('block');
    chat.tell('terminal.stop', { terminal: running!.id });
    await eventually(() => expect(chat.editor.status.terminals).toEqual([]));
  });

  it('that its agent releases while it runs is ended, and its card keeps the output', async () => {
    const chat = await background(
      'echo ready; sleep 60',
      PROMPT,
      { request: { method: 'terminal/release', params: { terminalId: '${made.terminalId}' } } },
      END,
    );
    await eventually(() => expect(chat.editor.text).toContain('  ready'));
    chat.send('release it');
    await over(chat, 2);
    await eventually(() => expect(chat.editor.status.terminals).toEqual([]));
    await eventually(() => expect(facts(chat)).toContain('SIGTERM'));
    expect(chat.editor.text).toContain('  ready');
    expect(await look(chat)).toMatchObject({ data: 'ready\n', end: 'ended by SIGTERM' });
  });

  it('shows more than its card does: all of some megabytes, a slice at a time', async () => {
    const chat = await background('seq 1 150000');
    await eventually(() => expect(chat.editor.status.terminals).toEqual([]));
    const first = await look(chat);
    expect(first.data.length).toBeLessThanOrEqual(32 * 1024);
    await eventually(() => expect(seen(chat)).toMatch(/\n150000\n$/));
    expect(seen(chat)).toMatch(/^1\n2\n3\n/);
    expect(seen(chat).split('\n')).toHaveLength(150_001);
    expect(first).toMatchObject({ truncated: false, lines: 150_001, end: 'exit 0' });
  });

  it('of very much output shows its end, from a whole line on, and says that there was more', async () => {
    const chat = await background('seq -f "line %.0f of many" 1 400000');
    await eventually(() => expect(chat.editor.status.terminals).toEqual([]));
    expect(await look(chat)).toMatchObject({ truncated: true });
    await eventually(() => expect(seen(chat)).toMatch(/\nline 400000 of many\n$/));
    expect(seen(chat)).toMatch(/^line \d+ of many\n/);
  });

  it('is not followed any more when its window is closed', async () => {
    const chat = await background('while :; do echo tick; sleep 0.05; done');
    await look(chat);
    const [running] = chat.editor.status.terminals!;
    await eventually(() => expect(chat.editor.sent('terminal.data').length).toBeGreaterThan(2));
    chat.tell('terminal.close', { terminal: running!.id });
    const count = chat.editor.sent('terminal.data').length;
    const frames = chat.editor.sent('frame').length;
    await eventually(() => expect(chat.editor.sent('frame').length).toBeGreaterThan(frames + 5));
    expect(chat.editor.sent('terminal.data').length).toBeLessThanOrEqual(count + 1);
  });

  it('draws and does nothing else, whatever the command prints', async () => {
    const chat = await background(
      "printf 'a\\033]52;c;aGk=\\007\\033]0;title\\007\\033[6n\\033[1mb\\033[0m'",
    );
    await eventually(() => expect(chat.editor.status.terminals).toEqual([]));
    expect((await look(chat)).data).toBe('a\u001b[1mb\u001b[0m');
  });
});

describe('details', () => {
  it('are what K shows of a card whose command put nothing out', async () => {
    const chat = await turn(
      call({ kind: 'execute', title: 'true', status: 'in_progress', ...shows('t') }),
      update({ status: 'completed', ...exit(0) }),
    );
    chat.tell('block.inspect', { block: chat.editor.idOf('tool') });
    await eventually(() => expect(chat.editor.sent('detail.show')).toHaveLength(1));
    expect(chat.editor.sent('terminal.show')).toEqual([]);
  });

  it('are what K shows of a card that asks', async () => {
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
    const chat = openChat(
      scriptedAgent([
        PROMPT,
        call({ kind: 'execute', title: 'x', ...shows('t') }),
        update(output('asked before\n')),
        {
          request: {
            method: 'session/request_permission',
            params: { toolCall: { toolCallId: 't', rawInput: { command: 'rm -r x' } }, options },
          },
        },
        END,
      ]),
    );
    chat.send('go');
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    chat.tell('block.inspect', { block: chat.editor.idOf('tool') });
    await eventually(() => expect(chat.editor.sent('detail.show')).toHaveLength(1));
    chat.answer(chat.editor.opened[0]!.id, 'yes');
    await over(chat);
  });

  it('hold the raw result, on demand', async () => {
    const result = { stdout: 'x'.repeat(100_000), interrupted: false };
    const chat = await turn(
      call({ kind: 'execute', title: 'x', status: 'in_progress', ...shows('t') }),
      update(meta({ claudeCode: { toolName: 'Bash', toolResponse: result } })),
      update(output('out')),
      update({ status: 'completed', ...exit(0) }),
    );
    expect(chat.editor.text).not.toContain('interrupted');
    await look(chat);
    chat.tell('block.inspect', { block: chat.editor.idOf('tool'), details: true });
    await eventually(() => expect(chat.editor.sent('detail.show')).toHaveLength(1));
    const lines = chat.editor.sent('detail.show')[0]!.lines.join('\n');
    expect(lines).toContain('## Terminal\n\n```\nout\n```');
    expect(lines).toMatch(/## Result\n\n[^#]*"interrupted": false/);
    expect(lines).toMatch(/KB not kept/);
    expect(lines.length).toBeLessThan(20_000);
  });
});

describe('a session that is loaded', () => {
  const card = (id: string, title: string, terminal: string): Step =>
    call({ kind: 'execute', title, status: 'completed', ...shows(terminal) }, id);

  it('shows what is told of its terminals; one that is not costs its card alone', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize' },
      {
        reply: {
          protocolVersion: 1,
          agentCapabilities: { loadSession: true, sessionCapabilities: { list: {} } },
        },
      },
      { expect: 'session/new', as: 'new' },
      { reply: { sessionId: 'other' } },
      { expect: 'session/list' },
      { reply: { sessions: [{ sessionId: 'former', cwd: '${new.params.cwd}', title: 'Former' }] } },
      { expect: 'session/load', as: 'load' },
      ...[
        card('t', 'told', 't'),
        update({ _meta: { ...output('once\n')._meta, ...exit(0)._meta } }),
        card('u', 'untold', 'terminal-gone'),
      ].map((step) => ({ ...step, session: 'former' })),
      { reply: {}, to: 'load' },
    ]);
    const chat = openChat(agent);
    const { editor, sessions, cwd } = chat;
    await eventually(() => expect(editor.status.state).toBe('idle'));
    const [row] = await listed(chat, agent);
    sessions.handle('session.open', { session: 's2', agent, cwd, columns: 80, from: row!.id });
    await eventually(() => {
      expect(editor.text).toContain('✓ Run   told\n  once\n\n✓ Run   untold\n  output not kept');
    });
    sessions.handle('block.inspect', { session: 's2', block: editor.idOf('tool') });
    await eventually(() => expect(editor.sent('detail.show')).toHaveLength(1));
    expect(editor.faults).toEqual([]);
  });

  it('anew has the output of its terminals once', async () => {
    const ready: Step[] = [
      { expect: 'initialize' },
      { reply: { protocolVersion: 1, agentCapabilities: { loadSession: true } } },
    ];
    const told = [card('t', 'told', 't'), update(output('once\n')), update(exit(0))];
    const agent = scriptedAgent(
      [...ready, { expect: 'session/new' }, { reply: { sessionId: 'kept' } }, PROMPT, ...told, END],
      [
        ...ready,
        { expect: 'session/load' },
        ...told.map((step) => ({ ...step, session: 'kept' })),
        { reply: {} },
      ],
    );
    const chat = openChat(agent);
    chat.send('go');
    await over(chat);
    chat.tell('session.restart');
    await eventually(() => expect(agent.received('session/load')).toHaveLength(1));
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    expect(chat.editor.text.split('once')).toHaveLength(2);
    expect(await look(chat)).toMatchObject({ data: 'once\n', end: 'exit 0' });
  });

  it('from the store has the output of its terminals, as far as it was kept, and their raw results', async () => {
    const agent = scriptedAgent([
      PROMPT,
      call({ kind: 'execute', title: 'x', status: 'in_progress', ...shows('t') }),
      update(output('kept\n')),
      update(meta({ claudeCode: { toolResponse: { code: 'E42' } } })),
      update({ status: 'completed', ...exit(0) }),
      END,
    ]);
    const where = { cwd: tempDir(), stateDir: tempDir() };
    const first = openChat(agent, where);
    first.send('go');
    await over(first);
    const from = first.editor.status.key!;
    await first.sessions.end();
    const chat = openChat(agent, { ...where, from });
    await eventually(() => expect(chat.editor.text).toContain('  kept'));
    expect(await look(chat)).toMatchObject({ data: 'kept\n', end: 'exit 0', truncated: false });
    chat.tell('block.inspect', { block: chat.editor.idOf('tool'), details: true });
    await eventually(() => expect(chat.editor.sent('detail.show')).toHaveLength(1));
    expect(chat.editor.sent('detail.show')[0]!.lines.join('\n')).toContain('"code": "E42"');
  });
});
