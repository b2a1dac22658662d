import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { openChat, type Chat } from './fake-editor';

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
});
