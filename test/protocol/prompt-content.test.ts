import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Attachment } from '../../src/nvim/protocol';
import { eventually, scriptedAgent, type ScriptedAgent, type Step } from '../harness';
import { chunk, openChat, type Chat } from './fake-editor';

type Takes = { embeddedContext?: boolean; image?: boolean; audio?: boolean };
type Block = Record<string, unknown> & { resource?: Record<string, unknown> };

const ALL: Takes = { embeddedContext: true, image: true, audio: true };

function agentThatTakes(promptCapabilities: Takes, ...steps: Step[]): ScriptedAgent {
  return scriptedAgent([
    { expect: 'initialize' },
    { reply: { protocolVersion: 1, agentCapabilities: { promptCapabilities } } },
    ...steps,
  ]);
}

function chatWith(agent: ScriptedAgent, options?: Parameters<typeof openChat>[1]): Chat {
  return openChat(agent, options);
}

function media(path: string, mime = 'image/png'): Attachment {
  return { type: 'media', path, mime, name: 'shot.png' };
}

/** What the agent got of the last prompt, without its text. */
async function sent(agent: ScriptedAgent, count = 1): Promise<Block[]> {
  await eventually(() => expect(agent.received('session/prompt')).toHaveLength(count));
  const [text, ...blocks] = agent.received('session/prompt').at(-1)!.params!.prompt as Block[];
  expect(text).toMatchObject({ type: 'text' });
  return blocks;
}

describe('a file in a prompt', () => {
  it('is embedded with the text of its buffer, saved or not, else of the disk', async () => {
    const agent = agentThatTakes(ALL);
    const chat = chatWith(agent);
    const open = join(chat.cwd, 'open.txt');
    const closed = join(chat.cwd, 'a b.txt');
    writeFileSync(open, 'on disk\n');
    writeFileSync(closed, 'only on disk\r\n');
    chat.editor.buffers.set(open, 'not saved\n');
    chat.send('look', [
      { type: 'file', path: open },
      { type: 'file', path: closed },
    ]);
    const [first, second] = await sent(agent);
    expect(first).toEqual({
      type: 'resource',
      resource: { uri: `file://${open}`, text: 'not saved\n', mimeType: 'text/plain' },
    });
    expect(second!.resource).toMatchObject({
      uri: `file://${chat.cwd}/a%20b.txt`,
      text: 'only on disk\r\n',
    });
    await eventually(() => expect(chat.editor.text).toContain('▌ @open.txt\n▌ @a b.txt'));
    expect(chat.editor.text).not.toContain('could be sent');
  });

  it('is a link for an agent that takes no more, but for text that is not on disk', async () => {
    const agent = agentThatTakes({});
    const chat = chatWith(agent);
    const [saved, unsaved, fresh] = ['saved.md', 'unsaved.md', 'new.md'].map((name) =>
      join(chat.cwd, name),
    );
    writeFileSync(saved!, 'text');
    writeFileSync(unsaved!, 'old');
    chat.editor.buffers.set(saved!, 'text');
    chat.editor.buffers.set(unsaved!, '```\nnew\n```\n');
    chat.editor.buffers.set(fresh!, 'fresh\n');
    chat.send(
      'look',
      [saved!, unsaved!, fresh!].map((path) => ({ type: 'file', path })),
    );
    expect(await sent(agent)).toEqual([
      {
        type: 'resource_link',
        name: 'saved.md',
        uri: `file://${saved}`,
        size: 4,
        mimeType: 'text/markdown',
      },
      { type: 'text', text: 'unsaved.md:\n````\n```\nnew\n```\n````' },
      { type: 'resource_link', name: 'unsaved.md', uri: `file://${unsaved}` },
      { type: 'text', text: 'new.md:\n```\nfresh\n```' },
    ]);
  });

  it('is a link when it is a folder, too large or no text, and what is not sent is told', async () => {
    const agent = agentThatTakes(ALL);
    const chat = chatWith(agent, { embedBytes: 1000 });
    const path = (name: string) => join(chat.cwd, name);
    mkdirSync(path('src'));
    writeFileSync(path('large.log'), 'x'.repeat(1001));
    writeFileSync(path('logo.png'), Buffer.from([0x89, 0x50, 0, 1]));
    writeFileSync(path('edge.txt'), 'x'.repeat(1000));
    writeFileSync(path('big.txt'), '');
    chat.editor.buffers.set(path('big.txt'), 'y'.repeat(2000));
    const names = ['src', 'large.log', 'logo.png', 'edge.txt', 'big.txt'];
    chat.send(
      'look',
      names.map((name) => ({ type: 'file', path: path(name) })),
    );
    const blocks = await sent(agent);
    expect(blocks).toMatchObject([
      { type: 'resource_link', name: 'src/', uri: `file://${chat.cwd}/src/` },
      { type: 'resource_link', name: 'large.log', size: 1001 },
      { type: 'resource_link', name: 'logo.png', size: 4, mimeType: 'image/png' },
      { type: 'resource' },
      { type: 'resource_link', name: 'big.txt' },
    ]);
    await eventually(() =>
      expect(chat.editor.text).toContain('Not all that was attached could be sent'),
    );
    expect(chat.editor.text).toContain('  large.log has 1001 B: a link to it was sent');
    expect(chat.editor.text).toContain('  logo.png is no text: a link to it was sent');
    expect(chat.editor.text).toContain(
      'big.txt has 2 KB: a link to it was sent, without what is not saved',
    );
    expect(chat.editor.text).not.toContain('edge.txt has');
    expect(chat.editor.text).toContain('▌ @src/');
    await eventually(() => expect(chat.editor.kinds()).toEqual(['user', 'notice', 'turn']));
  });

  // Files of the system say that they hold nothing, as does what is written at this very moment.
  it.runIf(existsSync('/proc/self/limits'))(
    'is a link when it holds more than it says',
    async () => {
      const agent = agentThatTakes(ALL);
      const chat = chatWith(agent, { embedBytes: 100 });
      chat.send('look', [{ type: 'file', path: '/proc/self/limits' }]);
      expect(await sent(agent)).toMatchObject([{ type: 'resource_link', name: 'limits' }]);
      const words = '/proc/self/limits has more than 100 B: a link to it was sent';
      await eventually(() => expect(chat.editor.text).toContain(words));
    },
  );

  it('that can not be had does not keep the prompt from being sent', async () => {
    const agent = agentThatTakes(ALL);
    const chat = chatWith(agent);
    const path = (name: string) => join(chat.cwd, name);
    execFileSync('mkfifo', [path('pipe')]);
    symlinkSync('loop', path('loop'));
    writeFileSync(path('secret'), 'x');
    chmodSync(path('secret'), 0);
    const names = [
      'gone.txt',
      'pipe',
      'loop',
      'a\0b',
      ...(process.getuid?.() === 0 ? [] : ['secret']),
    ];
    chat.send(
      'look',
      names.map((name) => ({ type: 'file', path: path(name) })),
    );
    expect(await sent(agent)).toEqual([]);
    await eventually(() => expect(chat.editor.text).toContain('Not all that was attached'));
    expect(chat.editor.text).toContain('gone.txt: there is no such file');
    expect(chat.editor.text).toContain('pipe is not a regular file');
    expect(chat.editor.text).toContain('loop: too many symbolic links');
    expect(chat.editor.text).toContain('a^@b: ');
    expect(chat.editor.faults).toEqual([]);
  });

  it('goes back when there is nothing else in the prompt and it is gone', async () => {
    const agent = agentThatTakes(ALL);
    const chat = chatWith(agent);
    chat.send('', [{ type: 'file', path: join(chat.cwd, 'gone.txt') }]);
    await eventually(() => expect(chat.editor.sent('prompt.restore')).toHaveLength(1));
    expect(chat.editor.sent('prompt.restore')[0]!.attachments).toHaveLength(1);
    expect(chat.editor.messages()).toEqual([
      'the prompt was not sent: gone.txt: there is no such file',
    ]);
    expect(agent.received('session/prompt')).toEqual([]);
  });
});

describe('an image or sound in a prompt', () => {
  it('is sent where the agent takes it', async () => {
    const agent = agentThatTakes(ALL);
    const chat = chatWith(agent);
    const image = join(chat.cwd, 'shot.png');
    writeFileSync(image, Buffer.alloc(3000, 7));
    chat.send('look', [media(image), media(image, 'audio/wav')]);
    const data = Buffer.alloc(3000, 7).toString('base64');
    expect(await sent(agent)).toEqual([
      { type: 'image', data, mimeType: 'image/png', uri: `file://${image}` },
      { type: 'audio', data, mimeType: 'audio/wav' },
    ]);
    await eventually(() => expect(chat.editor.text).toContain('▌ @shot.png (3 KB)'));
  });

  it.each([
    ['takes none', {}, 'image/png', 'scripted takes no images: shot.png'],
    ['takes none', { image: true }, 'audio/wav', 'scripted takes no sounds: shot.png'],
    ['can not', ALL, 'video/mp4', 'scripted takes no video/mp4: shot.png'],
  ])('goes back with the whole prompt where the agent %s', async (_, takes, mime, why) => {
    const agent = agentThatTakes(takes);
    const chat = chatWith(agent);
    const image = join(chat.cwd, 'shot.png');
    writeFileSync(image, 'x');
    const attachments: Attachment[] = [{ type: 'text', text: 'x' }, media(image, mime)];
    chat.send('look', attachments);
    await eventually(() => expect(chat.editor.sent('prompt.restore')).toHaveLength(1));
    expect(chat.editor.sent('prompt.restore')[0]).toMatchObject({ text: 'look', attachments });
    expect(chat.editor.messages()).toEqual([`the prompt was not sent: ${why}`]);
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    await eventually(() => expect(chat.editor.kinds()).toEqual([]));
    expect(agent.received('session/prompt')).toEqual([]);
    // And nothing is in the way of the next one.
    chat.send('then without');
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
    await eventually(() => expect(chat.editor.kinds()).toEqual(['user', 'turn']));
  });

  it('goes back when it is too large or not there', async () => {
    const agent = agentThatTakes(ALL);
    const chat = chatWith(agent);
    const image = join(chat.cwd, 'shot.png');
    writeFileSync(image, '');
    truncateSync(image, 20 * 1024 * 1024 + 1);
    chat.send('look', [media(image), media(join(chat.cwd, 'gone.png'))]);
    await eventually(() => expect(chat.editor.messages()).toHaveLength(1));
    expect(chat.editor.messages()[0]).toBe(
      'the prompt was not sent: shot.png has 20.0 MB, and at most 20 MB can be sent; shot.png is not there any more',
    );
    expect(chat.editor.restored).toEqual(['look']);
  });
});

describe('a piece of text in a prompt', () => {
  it('has the name that it was given', async () => {
    const agent = agentThatTakes(ALL);
    const chat = chatWith(agent);
    chat.send('look', [{ type: 'text', name: 'diff of main', text: '+x\n', filetype: 'diff' }]);
    expect((await sent(agent))[0]!.resource).toMatchObject({ uri: 'untitled:diff%20of%20main' });
    await eventually(() => expect(chat.editor.text).toContain('▌ @diff of main'));
  });
});

describe('the conversation in a prompt', () => {
  const first: Step[] = [
    { expect: 'session/prompt' },
    chunk('I said so.'),
    { reply: { stopReason: 'end_turn' } },
  ];

  it('is what was said until now, without the prompt itself', async () => {
    const agent = agentThatTakes(ALL, ...first);
    const chat = chatWith(agent);
    chat.send('what did you say?');
    await eventually(() => expect(chat.editor.kinds()).toContain('turn'));
    chat.send('summarize', [{ type: 'conversation' }]);
    const [block] = await sent(agent, 2);
    const text = block!.resource!.text as string;
    expect(text.split('\n')[0]).toBe(
      'A conversation between a user and a coding agent, until now.',
    );
    expect(text).toContain('what did you say?');
    expect(text).toContain('I said so.');
    expect(text).not.toContain('summarize');
    await eventually(() => expect(chat.editor.text).toContain('▌ @conversation'));
  });

  it('is left out with a word where nothing was said', async () => {
    const agent = agentThatTakes(ALL);
    const chat = chatWith(agent);
    chat.send('summarize', [{ type: 'conversation' }]);
    expect(await sent(agent)).toEqual([]);
    await eventually(() => expect(chat.editor.text).toContain('there is no conversation yet'));
  });
});

describe('the export of a session', () => {
  it('is its whole transcript', async () => {
    const agent = agentThatTakes(ALL, { expect: 'session/prompt' }, chunk('# So\n\nI said.'));
    const chat = chatWith(agent);
    chat.send('go');
    await eventually(() => expect(chat.editor.text).toContain('I said'));
    chat.tell('session.export', { id: 7 });
    await eventually(() => expect(chat.editor.sent('session.markdown')).toHaveLength(1));
    const { id, title, lines } = chat.editor.sent('session.markdown')[0]!;
    expect([id, title]).toEqual([7, 'Conversation with scripted']);
    expect(lines.join('\n')).toMatch(/^## User \(.*\)\n\ngo\n\n# So\n\nI said\.$/);
  });
});
