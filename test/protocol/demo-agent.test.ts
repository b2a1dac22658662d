import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runDemoAgent } from '../../src/demo/agent';
import { MARKDOWN } from '../../src/demo/texts';
import { chunksOf } from '../../src/demo/turn';
import { eventually, tempDir } from '../harness';
import { choose, DemoClient } from './demo-client';

const LOOP = 'for (let i = 0; i <= list.length; i++) {}\n';

let dir: string;
let file: string;
let demo: DemoClient;

async function connect(...args: Parameters<typeof DemoClient.connect>): Promise<DemoClient> {
  demo?.close();
  demo = await DemoClient.connect(...args);
  await demo.open(dir);
  return demo;
}

beforeEach(async () => {
  dir = tempDir();
  file = join(dir, 'loop.js');
  writeFileSync(file, LOOP);
  await connect({ stateDir: join(dir, '.state') });
});
afterEach(() => demo.close());

describe('what it says', () => {
  it('says what it is, what it received and what can be tried', async () => {
    const result = await demo.prompt([
      { type: 'text', text: 'Please explain these' },
      {
        type: 'resource',
        resource: { uri: `${pathToFileURL(file).href}#L1-2`, text: 'one\ntwo' },
      },
      { type: 'resource_link', name: 'a.py', uri: 'file:///a.py' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    ]);
    expect(result.stopReason).toBe('end_turn');
    expect(demo.said).toContain('without a language model');
    expect(demo.said).toContain('a text of 3 words');
    expect(demo.said).toContain('loop.js L1-2 (embedded text, 2 lines)');
    expect(demo.said).toContain('a.py (link)');
    expect(demo.said).toContain('image, image/png, 3 bytes');
    expect(demo.said).toContain('`/run`');
  });

  it('streams Markdown in small pieces of one message, none lost', async () => {
    await demo.prompt('/markdown');
    const chunks = demo.of('agent_message_chunk');
    expect(demo.said).toBe(MARKDOWN);
    expect(chunks.length).toBeGreaterThan(100);
    expect(new Set(chunks.map(({ messageId }) => messageId)).size).toBe(1);
    expect(MARKDOWN).toMatch(/^\| -+/m);
    expect(MARKDOWN.match(/^```\w+/gm)).toHaveLength(4);
  });

  it('thinks before it speaks', async () => {
    await demo.prompt('/think');
    expect(demo.of('agent_thought_chunk').length).toBeGreaterThan(10);
    expect(demo.said).toBe('That was the thought.\n');
  });

  it('streams as many pieces as were asked for', async () => {
    await demo.prompt('/big 500');
    expect(demo.of('agent_message_chunk')).toHaveLength(500);
  });

  it('keeps a plan up to date until all is done', async () => {
    await demo.prompt('/plan');
    const plans = demo.of('plan').map(({ entries }) => entries.map(({ status }) => status));
    expect(plans[0]).toEqual(['pending', 'pending', 'pending']);
    expect(plans[2]).toEqual(['completed', 'in_progress', 'pending']);
    expect(plans.at(-1)).toEqual(['completed', 'completed', 'completed']);
  });

  it('tells title, usage and commands', async () => {
    await demo.prompt('Hello there\nand more');
    expect(demo.of('session_info_update')[0]?.title).toBe('Hello there');
    expect(demo.of('usage_update')[0]).toMatchObject({ size: 32_000 });
    expect(demo.of('usage_update')[0]?.used).toBeGreaterThan(10);
    const commands = demo.of('available_commands_update')[0]?.availableCommands;
    expect(commands?.map(({ name }) => name)).toContain('tour');
    expect(commands?.find(({ name }) => name === 'read')?.input).toEqual({
      hint: 'FILE[:FROM-TO]',
    });
  });
});

describe('files', () => {
  it('reads the attached file when none is named', async () => {
    await demo.prompt([
      { type: 'text', text: '/read' },
      { type: 'resource_link', name: 'loop.js', uri: pathToFileURL(file).href },
    ]);
    expect(demo.of('tool_call')[0]).toMatchObject({
      title: 'Read loop.js',
      kind: 'read',
      locations: [{ path: file }],
    });
    expect(demo.statuses).toEqual(['pending', 'completed']);
    expect(demo.said).toContain('I read 1 line of `loop.js`');
  });

  it('reads the named lines', async () => {
    writeFileSync(file, 'a\nb\nc\nd\n');
    await demo.prompt('/read loop.js:2-3');
    expect(demo.of('tool_call')[0]?.title).toBe('Read loop.js:2-3');
    expect(demo.of('tool_call_update').at(-1)?.content).toEqual([
      { type: 'content', content: { type: 'text', text: 'b\nc' } },
    ]);
  });

  it('shows a missing file as a failed call, and ends the turn well', async () => {
    expect((await demo.prompt('/read missing.js')).stopReason).toBe('end_turn');
    expect(demo.statuses).toEqual(['pending', 'failed']);
  });

  it('asks with the diff before it writes', async () => {
    await demo.prompt('/edit loop.js');
    const newText = LOOP.replace('<=', '<');
    const call = demo.of('tool_call').find(({ kind }) => kind === 'edit');
    expect(call?.content).toEqual([{ type: 'diff', path: file, oldText: LOOP, newText }]);
    expect(demo.asked).toHaveLength(1);
    expect(demo.asked[0]?.toolCall).toMatchObject({ toolCallId: call?.toolCallId });
    expect(demo.asked[0]?.options.map(({ name }) => name)).toEqual([
      'Allow once',
      'Always allow edits',
      'Reject',
    ]);
    expect(readFileSync(file, 'utf8')).toBe(newText);
  });

  it('leaves the file as it is when the edit is rejected', async () => {
    demo.answer = choose('reject');
    expect((await demo.prompt('/edit loop.js')).stopReason).toBe('end_turn');
    expect(readFileSync(file, 'utf8')).toBe(LOOP);
    expect(demo.called).not.toContain('fs/write_text_file');
    expect(demo.statuses.at(-1)).toBe('failed');
  });

  it('asks no more after “always”', async () => {
    demo.answer = choose('always');
    await demo.prompt('/edit loop.js list => items');
    await demo.prompt('/edit loop.js items => values');
    expect(demo.asked).toHaveLength(1);
    expect(readFileSync(file, 'utf8')).toBe(LOOP.replace('list', 'values'));
  });

  it('adds a comment where it finds nothing to mend', async () => {
    writeFileSync(file, 'ok();');
    await demo.prompt('/edit loop.js');
    expect(readFileSync(file, 'utf8')).toBe('ok();\n// The demo agent was here.\n');
  });
});

describe('programs', () => {
  it('runs a program without a shell and embeds its terminal', async () => {
    await demo.prompt(`/run ${process.execPath} -p "1 + 1; '$HOME'"`);
    expect(demo.of('tool_call_update').flatMap(({ content }) => content ?? [])).toContainEqual({
      type: 'terminal',
      terminalId: 'terminal-1',
    });
    expect(demo.terminals.get('terminal-1')?.output).toBe('$HOME\n');
    expect(demo.statuses).toEqual(['pending', 'in_progress', 'in_progress', 'completed']);
    expect(demo.said).toContain('exit code 0');
    expect(demo.called).toContain('terminal/release');
  });

  it('shows a program that ends with an error as failed', async () => {
    await demo.prompt(`/run ${process.execPath} -e process.exit(3)`);
    expect(demo.statuses.at(-1)).toBe('failed');
    expect(demo.said).toContain('exit code 3');
  });
});

describe('modes', () => {
  it('are offered as modes and as a config option', async () => {
    const { modes, configOptions } = await demo.open(dir);
    expect(modes?.currentModeId).toBe('ask');
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(['ask', 'plan', 'auto']);
    expect(configOptions?.[0]).toMatchObject({ category: 'mode', currentValue: 'ask' });
  });

  it('plan: writes and runs nothing', async () => {
    await demo.setMode('plan');
    await demo.prompt('/edit loop.js');
    await demo.prompt('/run node --version');
    expect(demo.asked).toEqual([]);
    expect(demo.terminals.size).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(LOOP);
    expect(demo.said).toContain("I'd run `node --version`");
  });

  it('auto: does not ask', async () => {
    await demo.agent.request('session/set_config_option', {
      sessionId: demo.sessionId,
      configId: 'mode',
      value: 'auto',
    });
    await demo.prompt('/edit loop.js');
    expect(demo.asked).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(LOOP.replace('<=', '<'));
    expect(demo.of('current_mode_update').at(-1)?.currentModeId).toBe('auto');
  });

  it('refuses one that it does not have', async () => {
    await expect(demo.setMode('yolo')).rejects.toMatchObject({ code: -32602 });
  });
});

describe('cancel', () => {
  it('ends a stream between two pieces', async () => {
    const turn = demo.prompt('/slow');
    await eventually(() => expect(demo.said).toContain('1'));
    await demo.cancel();
    expect((await turn).stopReason).toBe('cancelled');
  });

  it('ends a flood', async () => {
    const turn = demo.prompt('/big 1000000');
    await eventually(() => expect(demo.updates.length).toBeGreaterThan(50));
    await demo.cancel();
    expect((await turn).stopReason).toBe('cancelled');
  });

  it('ends an open question, and the call with it', async () => {
    demo.answer = () => new Promise(() => undefined);
    const turn = demo.prompt('/edit loop.js');
    await eventually(() => expect(demo.asked).toHaveLength(1));
    await demo.cancel();
    expect((await turn).stopReason).toBe('cancelled');
    expect(demo.statuses.at(-1)).toBe('failed');
    expect(readFileSync(file, 'utf8')).toBe(LOOP);
  });

  it('ends a running program', async () => {
    const turn = demo.prompt(`/run ${process.execPath} -e "setInterval(() => {}, 1000)"`);
    await eventually(() => expect(demo.terminals.size).toBe(1));
    await demo.cancel();
    expect((await turn).stopReason).toBe('cancelled');
    expect(await demo.terminals.get('terminal-1')?.exit).toMatchObject({ signal: 'SIGTERM' });
  });

  it('leaves the session ready for the next prompt', async () => {
    const turn = demo.prompt('/slow');
    await eventually(() => expect(demo.said).toContain('1'));
    await demo.cancel();
    await turn;
    expect((await demo.prompt('/think')).stopReason).toBe('end_turn');
  });
});

describe('faults on request', () => {
  it('fails a turn', async () => {
    await expect(demo.prompt('/error')).rejects.toMatchObject({ code: -32603 });
  });

  it('crashes with an exit code, and the session can be resumed by another process', async () => {
    const codes: number[] = [];
    const stateDir = join(dir, '.state');
    await connect({ stateDir, exit: (code) => codes.push(code) });
    const { sessionId } = demo;
    await demo.prompt('/crash');
    expect(codes).toEqual([70]);

    await connect({ stateDir });
    await demo.agent.request('session/resume', { sessionId, cwd: dir });
    demo.sessionId = sessionId;
    expect((await demo.prompt('/think')).stopReason).toBe('end_turn');
  });

  it('refuses a second prompt during a turn', async () => {
    const turn = demo.prompt('/slow');
    await eventually(() => expect(demo.said).toContain('1'));
    await expect(demo.prompt('hello')).rejects.toMatchObject({ code: -32600 });
    await demo.cancel();
    await turn;
  });
});

describe('stored sessions', () => {
  it('are listed by folder and replayed by a load', async () => {
    await demo.prompt('/edit loop.js');
    await demo.prompt(`/run ${process.execPath} -p 40+2`);
    const { sessionId, said } = demo;
    await connect({ stateDir: join(dir, '.state') });

    const { sessions } = await demo.agent.request('session/list', { cwd: dir });
    expect(sessions).toMatchObject([{ sessionId, cwd: dir, title: '/edit loop.js' }]);
    expect((await demo.agent.request('session/list', { cwd: '/' })).sessions).toEqual([]);

    await demo.agent.request('session/load', { sessionId, cwd: dir, mcpServers: [] });
    expect(demo.of('user_message_chunk').map(({ content }) => content)).toContainEqual({
      type: 'text',
      text: '/edit loop.js',
    });
    expect(demo.said).toBe(said);
    expect(demo.of('tool_call')).toHaveLength(3);
    // The terminal is gone: its output is not.
    expect(JSON.stringify(demo.of('tool_call_update').at(-1)?.content)).toContain('42');
  });

  it('are not found under an unknown id', async () => {
    const load = demo.agent.request('session/load', {
      sessionId: '../x',
      cwd: dir,
      mcpServers: [],
    });
    await expect(load).rejects.toMatchObject({ code: -32002 });
  });
});

describe('a client without capabilities', () => {
  it('is told, and never called', async () => {
    await connect({ stateDir: join(dir, '.state') }, {});
    await demo.prompt('/read loop.js');
    await demo.prompt('/run node --version');
    expect(demo.said).toContain('does not offer `fs/read_text_file`');
    expect(demo.said).toContain('does not offer terminals');
    expect(demo.called).toEqual([]);
    expect(demo.terminals.size).toBe(0);
  });
});

describe('the tour', () => {
  it('shows everything once: the tests of the sample project fail, and pass when it is mended', async () => {
    cpSync(resolve('demo'), dir, { recursive: true });
    const { stopReason } = await demo.prompt('Show me the Tour, please');
    expect(stopReason).toBe('end_turn');
    expect(demo.of('tool_call').map(({ kind }) => kind)).toEqual([
      'execute',
      'read',
      'edit',
      'execute',
    ]);
    expect(demo.said).toContain('found 3 of them');
    const exits = demo
      .of('tool_call_update')
      .flatMap(({ rawOutput }) =>
        rawOutput && typeof rawOutput === 'object' && 'exitCode' in rawOutput
          ? [rawOutput.exitCode]
          : [],
      );
    expect(exits).toEqual([1, 0]);
    expect(demo.of('agent_thought_chunk').length).toBeGreaterThan(0);
    expect(
      demo
        .of('plan')
        .at(-1)
        ?.entries.every(({ status }) => status === 'completed'),
    ).toBe(true);
  });
});

describe('on two streams', () => {
  it('answers line by line and ends with its input', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const lines: unknown[] = [];
    output.on('data', (data: Buffer) => {
      for (const line of data.toString().split('\n')) if (line) lines.push(JSON.parse(line));
    });
    const ended = runDemoAgent(input, output, { stateDir: join(dir, '.state') });
    const params = { protocolVersion: 1 };
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await eventually(() =>
      expect(lines).toMatchObject([{ id: 1, result: { agentInfo: { title: 'Demo agent' } } }]),
    );
    input.end();
    await ended;
  });
});

it('cuts a text into pieces that give the same text again', () => {
  for (const text of ['', '  x', 'a\n\n  ', MARKDOWN, 'unbelievable words']) {
    expect(chunksOf(text).join('')).toBe(text);
  }
});
