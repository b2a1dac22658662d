/** Writes of agents through us: asked about, changed by hand, merged with what the user typed. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  eventually,
  replayAgent,
  scriptedAgent,
  tempDir,
  type ScriptedAgent,
  type Step,
} from '../harness';
import { openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
const TEXT = 'one\ntwo\nthree\nfour\nfive\n';
const AGENTS = 'ONE\ntwo\nthree\nfour\nfive\n';
const USERS = 'one\ntwo\nthree\nfour\nFIVE\n';
const BOTH = 'ONE\ntwo\nthree\nfour\nFIVE\n';

interface Recorded {
  frame: { params: { toolCall: { content: [{ path: string; oldText: string }] } } };
}

let cwd: string;
let a: string;

beforeEach(() => {
  cwd = tempDir();
  a = join(cwd, 'a.txt');
  writeFileSync(a, TEXT);
});

const read = (): Step => ({ request: { method: 'fs/read_text_file', params: { path: a } } });
const write = (content: string, as?: string, path = a): Step => ({
  request: { method: 'fs/write_text_file', params: { path, content } },
  ...(as && { as }),
});
const call = (id: string, fields: object = {}): Step => ({
  update: {
    sessionUpdate: 'tool_call',
    toolCallId: id,
    kind: 'edit',
    title: 'edit',
    status: 'pending',
    locations: [{ path: a }],
    ...fields,
  },
});
const done = (id: string): Step => ({
  update: { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' },
});
const whole = (newText: string, oldText: string | null = TEXT): object => ({
  content: [{ type: 'diff', path: a, oldText, newText }],
});
const ask = (id: string): Step => ({
  request: {
    method: 'session/request_permission',
    params: {
      toolCall: { toolCallId: id },
      options: [
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    },
  },
  as: 'ask',
});
const permission = (id: string): Step[] => [ask(id), { answer: 'ask' }];

const disk = (): string => readFileSync(a, 'utf8');
/** What the agent's requests were answered. */
const answers = (agent: ScriptedAgent) =>
  agent.received().filter(({ id, method }) => !method && String(id).startsWith('scripted-'));

/** Runs a turn until it asks, or ends. */
async function turn(steps: Step[], options: { writes?: 'ask' | 'allow' } = { writes: 'ask' }) {
  const agent = scriptedAgent([PROMPT, ...steps, END]);
  const chat = openChat(agent, { cwd, ...options });
  chat.send('go');
  return { agent, ...chat };
}
const asked = async ({ editor }: Pick<Chat, 'editor'>, n = 1) => {
  await eventually(() => expect(editor.opened).toHaveLength(n));
  return editor.sent('question.opened').at(-1)!;
};
const idle = ({ editor }: Pick<Chat, 'editor'>): Promise<void> =>
  eventually(() => expect(editor.status.state).toBe('idle'));

describe('in ask mode a write', () => {
  it('waits for the user, with its change on a card of its own, and is made when it is allowed', async () => {
    const chat = await turn([write(AGENTS)]);
    const { question, diff } = await asked(chat);
    expect(question).toMatchObject({
      title: 'Edit a.txt',
      hasDiff: true,
      editable: true,
      options: [
        { id: 'allow', kind: 'allow_once' },
        { id: 'allow_session', name: 'Allow all writes of this session', kind: 'allow_always' },
        { id: 'reject', kind: 'reject_once' },
      ],
    });
    expect(diff).toMatchObject([
      { path: a, name: 'a.txt', status: 'modified', added: 1, removed: 1, text: AGENTS },
    ]);
    await eventually(() => expect(chat.editor.status.state).toBe('waiting'));
    expect(chat.editor.text).toMatch(/Edit +a\.txt[^]*- one[^]*\+ ONE[^]*Allow\?/);
    expect(disk()).toBe(TEXT);
    expect(answers(chat.agent)).toEqual([]);
    chat.answer(question.id, 'allow');
    await idle(chat);
    expect(disk()).toBe(AGENTS);
    expect(answers(chat.agent)).toMatchObject([{ result: {} }]);
    expect(chat.editor.text).toMatch(/✓ Edit +a\.txt/);
  });

  it('that is rejected is an error with the user’s words', async () => {
    const chat = await turn([write(AGENTS)]);
    const { question } = await asked(chat);
    chat.answer(question.id, 'reject', { words: ' use two\n' });
    await idle(chat);
    expect(answers(chat.agent)).toMatchObject([
      { error: { message: 'The user rejected this write: use two' } },
    ]);
    expect(disk()).toBe(TEXT);
    expect(chat.editor.text).toMatch(/⊘ Edit +a\.txt/);
    // The agent has them: they are no prompt.
    expect(chat.agent.received('session/prompt')).toHaveLength(1);
  });

  it('is asked on the card of the running call that names the file', async () => {
    const chat = await turn([
      call('other', { locations: [{ path: join(cwd, 'b') }] }),
      call('t'),
      write(AGENTS),
      done('t'),
    ]);
    const { question } = await asked(chat);
    expect(chat.editor.kinds().filter((kind) => kind === 'tool')).toHaveLength(2);
    expect(chat.editor.text).toMatch(/a\.txt[^]*- one[^]*Allow\?/);
    chat.answer(question.id, 'allow');
    await idle(chat);
    expect(chat.editor.kinds().filter((kind) => kind === 'tool')).toHaveLength(2);
  });

  it('is not asked about again after all writes of the session were allowed', async () => {
    const b = join(cwd, 'new', 'b.txt');
    const chat = await turn([write(AGENTS), write('b\n', undefined, b)]);
    const { question } = await asked(chat);
    chat.answer(question.id, 'allow_session');
    await idle(chat);
    expect([disk(), readFileSync(b, 'utf8')]).toEqual([AGENTS, 'b\n']);
    expect(chat.editor.opened).toHaveLength(1);
  });

  it('of a new file shows it as new, and makes nothing before it is allowed', async () => {
    const b = join(cwd, 'new', 'b.txt');
    const chat = await turn([write('b\n', undefined, b)]);
    const { question, diff } = await asked(chat);
    expect(diff).toMatchObject([{ path: b, status: 'new', added: 1 }]);
    expect(existsSync(join(cwd, 'new'))).toBe(false);
    chat.answer(question.id, 'allow');
    await idle(chat);
    expect(readFileSync(b, 'utf8')).toBe('b\n');
  });

  it('can be changed by hand; the agent’s next write is merged with that', async () => {
    const chat = await turn([write(AGENTS), write(AGENTS.replace('two', 'TWO'))]);
    const first = await asked(chat);
    chat.answer(first.question.id, 'allow', { text: BOTH });
    const second = await asked(chat, 2);
    expect(disk()).toBe(BOTH);
    expect(second.diff).toMatchObject([{ text: BOTH.replace('two', 'TWO'), added: 1 }]);
    chat.answer(second.question.id, 'allow');
    await idle(chat);
    expect(disk()).toBe(BOTH.replace('two', 'TWO'));
  });

  it('is an error when the turn is cancelled', async () => {
    const agent = scriptedAgent([
      PROMPT,
      write(AGENTS, 'w'),
      { expect: 'session/cancel' },
      { answer: 'w' },
      { reply: { stopReason: 'cancelled' }, to: 'prompt' },
    ]);
    const chat = openChat(agent, { cwd, writes: 'ask' });
    chat.send('go');
    await asked(chat);
    chat.cancel();
    await idle(chat);
    expect(answers(agent)).toMatchObject([{ error: { message: /cancelled/ } }]);
    expect(disk()).toBe(TEXT);
    expect(chat.editor.closed).toHaveLength(1);
  });

  it('is an error without a question while the turn is being cancelled', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { expect: 'session/cancel' },
      write(AGENTS),
      { reply: { stopReason: 'cancelled' }, to: 'prompt' },
    ]);
    const chat = openChat(agent, { cwd, writes: 'ask' });
    chat.send('go');
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
    chat.cancel();
    await idle(chat);
    expect(answers(agent)).toMatchObject([{ error: { message: /cancelled/ } }]);
    expect(chat.editor.opened).toEqual([]);
  });

  it('that the agent withdraws is asked about no more', async () => {
    const chat = await turn([
      write(AGENTS, 'w'),
      { delay: 100 },
      { notify: { method: '$/cancel_request', params: { requestId: 'scripted-1' } } },
      { answer: 'w' },
    ]);
    await idle(chat);
    await eventually(() => expect(chat.editor.closed).toHaveLength(chat.editor.opened.length));
    expect(chat.editor.status.questions).toEqual([]);
    expect(answers(chat.agent)[0]!.error).toBeDefined();
    expect(disk()).toBe(TEXT);
  });

  it('is not asked about where the user has just allowed this very change', async () => {
    const chat = await turn([
      call('t', whole(AGENTS)),
      ...permission('t'),
      write(AGENTS),
      done('t'),
    ]);
    const { question } = await asked(chat);
    chat.answer(question.id, 'yes');
    await idle(chat);
    expect(disk()).toBe(AGENTS);
    expect(chat.editor.opened).toHaveLength(1);
  });

  it.each(['edit-allow', 'edit-crlf', 'edit-twice', 'write', 'overwrite'])(
    'is not asked about twice in what OpenCode sends: %s',
    async (log) => {
      mkdirSync(join(cwd, 'src'));
      const lines = readFileSync(
        join(import.meta.dirname, `../fixtures/logs/opencode/${log}.jsonl`),
        'utf8',
      ).split('\n');
      // The files as they were when it was recorded.
      for (const line of lines.filter((it) => it.includes('"session/request_permission"'))) {
        const { content } = (JSON.parse(line) as Recorded).frame.params.toolCall;
        const [{ path, oldText }] = content;
        const file = path.replace('/project', cwd);
        if (oldText !== '' && !existsSync(file)) writeFileSync(file, oldText);
      }
      const agent = replayAgent(`opencode/${log}`);
      const chat = openChat(agent, { cwd, writes: 'ask' });
      chat.send('go');
      const count = lines.filter((it) => it.includes('"session/request_permission"')).length;
      for (let n = 1; n <= count; n++) {
        const { question } = await asked(chat, n);
        expect(question.options.map(({ id }) => id)).not.toContain('allow_session');
        chat.answer(question.id, 'once');
      }
      await idle(chat);
      expect(chat.editor.opened).toHaveLength(count);
      expect(chat.editor.sent('question.closed')).toHaveLength(count);
    },
  );

  it('is asked about where it is another change than the allowed one', async () => {
    const chat = await turn([call('t', whole(AGENTS)), ...permission('t'), write('else\n')]);
    chat.answer((await asked(chat)).question.id, 'yes');
    const { question, diff } = await asked(chat, 2);
    expect(diff).toMatchObject([{ text: 'else\n' }]);
    chat.answer(question.id, 'reject');
    await idle(chat);
    expect(disk()).toBe(TEXT);
    expect(answers(chat.agent).at(-1)).toMatchObject({
      error: { message: 'The user rejected this write' },
    });
  });

  it('shows what the user has typed since the agent read, as part of what will be', async () => {
    const chat = await turn([read(), ...permission('wait'), write(AGENTS)]);
    chat.editor.buffers.set(a, TEXT);
    const wait = await asked(chat);
    chat.editor.buffers.set(a, USERS);
    chat.answer(wait.question.id, 'yes');
    const { question, diff } = await asked(chat, 2);
    expect(diff).toMatchObject([{ added: 1, removed: 1, text: BOTH }]);
    chat.answer(question.id, 'allow');
    await idle(chat);
    expect(chat.editor.buffers.get(a)).toBe(BOTH);
  });

  it('over a binary file shows no diff that isn’t one', async () => {
    writeFileSync(a, Buffer.from([0, 1, 2]));
    const chat = await turn([write('text\n')]);
    const { question, diff } = await asked(chat);
    expect(question).toMatchObject({ hasDiff: false, editable: /no text/ });
    expect(diff).toBeUndefined();
    chat.answer(question.id, 'allow');
    await idle(chat);
    expect(disk()).toBe('text\n');
  });

  it('that fails says so on its card', async () => {
    mkdirSync(join(cwd, 'dir'));
    const chat = await turn([write('text\n', undefined, join(cwd, 'dir'))]);
    chat.answer((await asked(chat)).question.id, 'allow');
    await idle(chat);
    expect(answers(chat.agent)).toMatchObject([{ error: { message: /is a folder/ } }]);
    expect(chat.editor.text).toMatch(/✗ Edit +dir/);
  });
});

describe('a proposal of the agent’s own', () => {
  /** A turn that shows the agent to write through us, then one with `steps`. */
  const known = async (steps: Step[], first: Step[] = [write(`${TEXT}six\n`), write(TEXT)]) => {
    const agent = scriptedAgent([PROMPT, ...first, END, PROMPT, ...steps, END]);
    const chat = openChat(agent, { cwd });
    chat.send('first');
    await idle(chat);
    chat.send('second');
    return { agent, ...chat };
  };

  it('can be changed where the agent writes through us: the changed text is written', async () => {
    const chat = await known([
      call('t', whole(AGENTS)),
      ...permission('t'),
      write(AGENTS),
      done('t'),
      write(AGENTS.replace('two', 'TWO')),
    ]);
    const { question, diff } = await asked(chat);
    expect(question.editable).toBe(true);
    expect(diff).toMatchObject([{ text: AGENTS }]);
    chat.tell('block.diff', { block: question.block });
    await eventually(() => {
      expect(chat.editor.sent('diff.show')).toMatchObject([
        { question: question.id, files: [{ text: AGENTS }] },
      ]);
    });
    chat.answer(question.id, 'yes', { text: BOTH });
    await idle(chat);
    expect(disk()).toBe(BOTH.replace('two', 'TWO'));
    expect(chat.editor.text).not.toContain('your changed text');
  });

  it('can be changed where the agent has read the file through us', async () => {
    const chat = await turn(
      [read(), call('t', whole(AGENTS)), ...permission('t'), write(AGENTS)],
      {},
    );
    const { question } = await asked(chat);
    expect(question.editable).toBe(true);
    chat.answer(question.id, 'yes', { text: BOTH });
    await idle(chat);
    expect(disk()).toBe(BOTH);
  });

  it('can’t be changed where nothing is known of how the agent writes; a text is given back', async () => {
    const chat = await turn([call('t', whole(AGENTS)), ...permission('t')], {});
    const { question, diff } = await asked(chat);
    expect(question.editable).toBe(
      "Scripted writes files by itself: it can't take a changed proposal",
    );
    expect(diff![0]).not.toHaveProperty('text');
    chat.answer(question.id, 'yes', { text: BOTH });
    await eventually(() => expect(chat.editor.messages()).toEqual([question.editable]));
    expect(chat.editor.sent('detail.show')).toMatchObject([{ lines: BOTH.trimEnd().split('\n') }]);
    expect(answers(chat.agent)).toEqual([]);
    chat.answer(question.id, 'yes');
    await idle(chat);
  });

  it('can’t be changed where the agent has been seen to write by itself', async () => {
    const byItself: Step[] = [
      call('s', whole(AGENTS)),
      { sh: `printf '${AGENTS.replaceAll('\n', '\\n')}' > a.txt` },
      done('s'),
    ];
    const chat = await known(
      [read(), call('t', whole(TEXT, AGENTS)), ...permission('t')],
      [...byItself],
    );
    const { question } = await asked(chat);
    expect(question.editable).toMatch(/by itself/);
    chat.answer(question.id, 'no');
    await idle(chat);
  });

  it('can’t be changed where the agent writes by itself what it has written through us', async () => {
    const chat = await known(
      [call('t', whole(TEXT, AGENTS)), ...permission('t')],
      [
        call('s', whole(AGENTS)),
        write(AGENTS),
        { sh: `printf '${AGENTS.replaceAll('\n', '\\n')}' > a.txt` },
        done('s'),
      ],
    );
    const { question } = await asked(chat);
    expect(question.editable).toMatch(/by itself/);
  });

  it.each(['its call', 'the turn'])(
    'that was changed gives the text back where the agent did not write it before %s ended',
    async (end) => {
      const chat = await known([
        call('t', whole(AGENTS)),
        ...permission('t'),
        ...(end === 'its call' ? [done('t'), { delay: 300 }] : []),
      ]);
      const { question } = await asked(chat);
      chat.answer(question.id, 'yes', { text: BOTH });
      await eventually(() => {
        expect(chat.editor.text).toContain(
          'Scripted wrote a.txt by itself: your changed text was not used',
        );
      });
      expect(chat.editor.sent('detail.show')).toMatchObject([
        { title: 'a.txt', lines: BOTH.trimEnd().split('\n') },
      ]);
      await idle(chat);
      expect(chat.editor.sent('detail.show')).toHaveLength(1);
    },
  );

  it('that is rejected with words sends them as the next prompt', async () => {
    const chat = await turn([call('t', whole(AGENTS)), ...permission('t')], {});
    chat.answer((await asked(chat)).question.id, 'no', { words: 'keep one' });
    await eventually(() => expect(chat.agent.received('session/prompt')).toHaveLength(2));
    expect(chat.agent.received('session/prompt')[1]!.params).toMatchObject({
      prompt: [{ type: 'text', text: 'keep one' }],
    });
  });

  it('of two files can’t be changed by hand', async () => {
    const two = [
      { type: 'diff', path: a, oldText: TEXT, newText: AGENTS },
      { type: 'diff', path: join(cwd, 'b'), oldText: null, newText: 'b\n' },
    ];
    const chat = await known([call('t', { content: two }), ...permission('t')]);
    expect((await asked(chat)).question.editable).toMatch(/one whole file/);
  });
});

describe('without asking', () => {
  it('a write keeps what the user typed meanwhile, or tells the agent to read again', async () => {
    const chat = await turn([read(), ...permission('wait'), write(AGENTS), write('else\n')], {});
    chat.editor.buffers.set(a, TEXT);
    const { question } = await asked(chat);
    chat.editor.buffers.set(a, USERS);
    chat.answer(question.id, 'yes');
    await idle(chat);
    expect(chat.editor.buffers.get(a)).toBe(BOTH);
    expect(answers(chat.agent).map(({ error }) => error?.message)).toEqual([
      undefined,
      undefined,
      undefined,
      expect.stringMatching(/user has changed.*lines 1-5.*Read the file again/),
    ]);
  });

  it('what the agent then writes by itself over that is put right again', async () => {
    const self = `printf '${AGENTS.replaceAll('\n', '\\n')}' > a.txt`;
    const chat = await turn([read(), ...permission('wait'), write(AGENTS), { sh: self }], {});
    const { question } = await asked(chat);
    writeFileSync(a, USERS);
    chat.answer(question.id, 'yes');
    await idle(chat);
    await eventually(() => expect(disk()).toBe(BOTH));
  });
});
