import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { chunk, openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };
const info = (meta: object): Step => ({
  update: { sessionUpdate: 'session_info_update', _meta: meta },
});
const compaction = (fields: object): Step => ({
  update: { sessionUpdate: 'compaction_update', compactionId: 'c1', ...fields },
});
const summary = (text: string): object => ({ summary: [{ type: 'text', text }] });

/** A chat whose agent has done these steps in a turn. */
async function after(steps: Step[], ...later: Step[]): Promise<Chat> {
  const chat = openChat(scriptedAgent([PROMPT, ...steps, END, ...later]));
  chat.send('go');
  await eventually(() => expect(chat.editor.kinds()).toContain('turn'));
  return chat;
}

describe('room that the agent makes in its context', () => {
  it('is one block, however often its end is told', async () => {
    const { editor } = await after([
      compaction({ status: 'in_progress' }),
      compaction({ status: 'completed', ...summary('They fixed the parser.') }),
      compaction({ status: 'completed' }),
    ]);
    expect(editor.kinds()).toEqual(['user', 'compaction', 'turn']);
    expect(editor.text).toContain('Context compacted');
    expect(editor.text).not.toContain('parser');
  });

  it('shows its summary when it is unfolded, chunks and all', async () => {
    const { editor, tell } = await after([
      {
        update: {
          sessionUpdate: 'compaction_summary_chunk',
          compactionId: 'c1',
          content: text('They fixed '),
        },
      },
      {
        update: {
          sessionUpdate: 'compaction_summary_chunk',
          compactionId: 'c1',
          content: text('the parser.'),
        },
      },
      compaction({ status: 'completed' }),
    ]);
    tell('block.fold', { block: editor.idOf('compaction') });
    await eventually(() => expect(editor.text).toContain('They fixed the parser.'));
  });

  it.each([
    ['failed', { error: 'out of tokens' }, 'could not be compacted: out of tokens'],
    ['cancelled', {}, 'was cancelled'],
  ])('says that it %s', async (status, more, words) => {
    const { editor } = await after([
      compaction({ status: 'in_progress' }),
      compaction({ status, ...more }),
    ]);
    expect(editor.text).toContain(words);
  });

  it('does not go on for ever when its end is never told', async () => {
    const { editor } = await after([compaction({ status: 'in_progress' })]);
    expect(editor.kinds()).toEqual(['user', 'compaction', 'turn']);
    expect(editor.text).toContain('· Making room in the context');
    expect(editor.faults).toEqual([]);
  });

  it('without an id is shown as what it is: unknown', async () => {
    const { editor } = await after([{ update: { sessionUpdate: 'compaction_update' } }]);
    expect(editor.kinds()).toContain('unknown');
  });
});

function text(words: string): object {
  return { type: 'text', text: words };
}
