/** What agents make of files that are not there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, tempDir, type Step } from '../harness';
import { openChat } from './fake-editor';

const named = (name: string): Step[] => [
  { expect: 'initialize' },
  { reply: { protocolVersion: 1, agentInfo: { name, version: '1' } } },
  { expect: 'session/new' },
  { reply: { sessionId: 's' } },
  { expect: 'session/prompt', as: 'prompt' },
];
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

describe('a file that is not there', () => {
  /** An agent of that name looks for a file before it makes it, and makes it where it learns that there is none. */
  async function made(name: string, missing: 'error.code' | 'content', value: unknown) {
    const cwd = tempDir();
    const path = join(cwd, 'new.txt');
    const agent = scriptedAgent([
      ...named(name),
      { request: { method: 'fs/read_text_file', params: { path } }, as: 'read' },
      { answer: 'read' },
      {
        when: [`\${read.${missing}}`, value as string],
        steps: [{ request: { method: 'fs/write_text_file', params: { path, content: 'made' } } }],
      },
      END,
    ]);
    const { editor, send } = openChat(agent, { cwd });
    send('go');
    await eventually(() => expect(editor.blocks('turn')).toHaveLength(1));
    expect(editor.faults).toEqual([]);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  }

  it('is told as the error that ACP has for it', async () => {
    expect(await made('qwen-code', 'error.code', -32002)).toBe('made');
  });

  it('reads as an empty one for an agent that would not make it otherwise', async () => {
    expect(await made('gemini-cli', 'content', '')).toBe('made');
  });

  it('outside of the session’s folders is an error for that agent, too', async () => {
    const agent = scriptedAgent([
      ...named('gemini-cli'),
      {
        request: { method: 'fs/read_text_file', params: { path: join(tempDir(), 'secret') } },
        as: 'read',
      },
      { answer: 'read' },
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.blocks('turn')).toHaveLength(1));
    const answer = agent.received().find(({ id }) => id === 'scripted-1');
    expect(answer?.error?.message).toContain('outside');
  });
});
