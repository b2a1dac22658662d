import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };
const suggest = (suggestions: unknown): Step => ({
  update: { sessionUpdate: 'session_info_update', _meta: { promptSuggestions: { suggestions } } },
});

describe('prompts that the agent proposes', () => {
  it('are all told, whatever stands among them', async () => {
    const odd = [
      { text: 'Run it' },
      null,
      { text: '' },
      { text: ' Run it ' },
      { text: 'Commit\nit' },
      7,
    ];
    const { editor, send } = openChat(scriptedAgent([PROMPT, suggest(odd), END]));
    send('go');
    await eventually(() => expect(editor.status.suggestions).toEqual(['Run it', 'Commit\nit']));
  });

  it('take the place of those before; an empty list takes them back', async () => {
    const agent = scriptedAgent([
      PROMPT,
      suggest([{ text: 'a' }]),
      suggest([{ text: 'b' }]),
      END,
      { sh: 'until [ -e seen ]; do sleep 0.02; done' },
      suggest([]),
    ]);
    const { editor, send, cwd } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.suggestions).toEqual(['b']));
    writeFileSync(join(cwd, 'seen'), '');
    await eventually(() => expect(editor.status.suggestions).toEqual([]));
  });

  it('are forgotten when the user says something', async () => {
    const agent = scriptedAgent([
      PROMPT,
      suggest([{ text: 'a' }]),
      END,
      PROMPT,
      { expect: '_never' },
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.suggestions).toEqual(['a']));
    send('something else');
    await eventually(() => expect(editor.status.suggestions).toEqual([]));
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(2));
  });
});
