import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationMarkdown, transcriptMarkdown } from '../../src/session/markdown';
import { TextLog, type Block } from '../../src/session/model';
import { sanitize } from '../../src/text';
import { add, message, tool, transcript } from './render-screen';

let ids = 0;
function user(text: string, fields: Partial<Extract<Block, { kind: 'user' }>> = {}): Block {
  return {
    id: `u${++ids}`,
    kind: 'user',
    text,
    attachments: [],
    time: null,
    queued: false,
    ...fields,
  };
}

const TURN: Block = {
  id: 'turn',
  kind: 'turn',
  stopReason: 'end_turn',
  startedAt: 0,
  endedAt: 34_000,
  tools: 3,
  unasked: 1,
  files: 2,
  added: 4,
  removed: 2,
  measured: true,
};

/** Lines that stand outside of every fence of CommonMark. */
function outside(markdown: string): string[] {
  let fence: string | null = null;
  return markdown.split('\n').filter((line) => {
    const sign = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence === null) {
      if (sign && !(sign[1]![0] === '`' && sign[2]!.includes('`'))) fence = sign[1]!;
      return fence === null;
    }
    if (sign && sign[1]!.startsWith(fence) && sign[2]!.trim() === '') fence = null;
    return false;
  });
}

describe('a transcript as Markdown', () => {
  it('has all that was said and done', () => {
    const made = transcript(
      user('please\n\n- mend it', {
        time: new Date(2025, 4, 1, 14, 2).getTime(),
        attachments: [{ label: 'src/a.py:3-9' }],
      }),
      {
        id: 'th',
        kind: 'thought',
        messageId: null,
        text: new TextLog('hm\n\nwell\n'),
        startedAt: 0,
        endedAt: 3000,
        expanded: false,
      },
      message('m', 'I will **mend** it.\n', true),
      tool('e', {
        toolKind: 'edit',
        answer: 'Allow once',
        content: [
          { type: 'diff', path: '/project/src/a.py', oldText: 'a\nb\nc\n', newText: 'a\nB\nc\n' },
        ],
      }),
      tool('r', {
        rawInput: { command: 'node --test' },
        status: 'failed',
        content: [{ type: 'terminal', terminalId: 'term' }],
      }),
      tool('n', {
        toolKind: 'edit',
        status: 'in_progress',
        rejected: true,
        answer: 'No `way`',
        content: [{ type: 'diff', path: '/project/new', oldText: null, newText: 'x' }],
      }),
      {
        id: 'p',
        kind: 'plan',
        planId: 'p',
        entries: [
          { content: 'look', priority: '', status: 'completed' },
          { content: 'mend', priority: '', status: 'in_progress' },
          { content: 'test', priority: '', status: 'pending' },
        ],
      },
      {
        id: 'no',
        kind: 'notice',
        severity: 'warning',
        title: 'It is late',
        detail: 'Go home.\nNow.',
      },
      { id: 'un', kind: 'unknown', label: 'update ‘x’', payload: { a: 1 }, expanded: false },
      TURN,
      user('faster', { steered: true }),
      user('then', { queued: true }),
    );
    made.terminals.set('term', {
      id: 'term',
      command: null,
      cwd: null,
      output: '\u001b[31mred\u001b[0m\r\n```\n1%\r100%\n',
      truncated: false,
      exit: null,
    });
    expect(transcriptMarkdown(made)).toBe(`## User (2025-05-01 14:02)

please

- mend it

- @src/a.py:3-9

> *Thought for 3.0 s*
>
> hm
>
> well

I will **mend** it.

**Edit** \`src/a.py\` — completed, allowed: Allow once

\`\`\`diff
--- src/a.py
+++ src/a.py
@@
 a
-b
+B
 c
\`\`\`

**Run** \`node --test\` — failed

\`\`\`\`
red
\`\`\`
100%
\`\`\`\`

**Edit** \`new\` — in progress, rejected: No \`way\`

\`\`\`diff
--- /dev/null
+++ new
@@
+x
\`\`\`

**Plan**

- [x] look
- [ ] mend (in progress)
- [ ] test

> **Warning:** It is late
> Go home.
> Now.

*update ‘x’*

\`\`\`json
{
  "a": 1
}
\`\`\`

*0:34 · 2 files changed (+4 −2) · 3 tools, 1 ran without asking*

---

## User (steered)

faster

## User (queued)

then`);
  });

  it('shows what control bytes there are', () => {
    const made = transcript(message('m', 'a\u001b[31mb'), tool('t', { title: 'x\u0007\ny' }));
    expect(transcriptMarkdown(made)).toBe('a^[[31mb\n\n**Run** `x^G y` — completed');
  });

  it('is not swallowed by a fence that a message leaves open', () => {
    const made = transcript(message('m', 'see\n~~~js\nlet a'), message('n', 'behind'));
    expect(transcriptMarkdown(made)).toBe('see\n~~~js\nlet a\n~~~\n\nbehind');
  });

  const text = fc.oneof(
    fc.string(),
    fc
      .array(
        fc.constantFrom(
          '```',
          '````js',
          '~~~',
          '\n',
          'word',
          '  ',
          '> ',
          '`',
          '# x',
          '\u001b[1m',
          '\r\n',
          '\t',
        ),
      )
      .map((parts) => parts.join('')),
  );
  const block = fc.oneof(
    text.map((it): Block => message(`m${++ids}`, it, true)),
    text.map((it): Block => user(it)),
    text.map((it): Block =>
      tool(`t${++ids}`, { title: it, content: [{ type: 'text', text: it }] }),
    ),
    fc
      .tuple(text, text)
      .map(([oldText, newText]): Block =>
        tool(`t${++ids}`, { content: [{ type: 'diff', path: '/project/a', oldText, newText }] }),
      ),
    text.map((it): Block => ({
      id: `n${++ids}`,
      kind: 'notice',
      severity: 'error',
      title: it,
      detail: it,
    })),
    text.map((it): Block => ({
      id: `x${++ids}`,
      kind: 'unknown',
      label: it,
      payload: it,
      expanded: false,
    })),
  );

  it('holds each message as it was said, and no block stands in a fence of another', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
        const made = transcript(...blocks);
        for (const at of [...blocks.keys()].reverse()) {
          made.order.splice(at, 0, `end${at}`);
          made.blocks.set(`end${at}`, user(`the end of ${at}`));
        }
        const markdown = transcriptMarkdown(made);
        for (const { kind, text } of blocks as { kind: string; text: string | TextLog }[]) {
          if (kind === 'message') {
            expect(markdown).toContain(sanitize(text.toString()).replace(/\n+$/, ''));
          }
          if (kind === 'user') expect(markdown).toContain(sanitize(text.toString()).trim());
        }
        const lines = outside(markdown);
        for (const at of blocks.keys()) expect(lines).toContain(`the end of ${at}`);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a conversation that is sent along', () => {
  it('says what it is, and leaves out the prompt and those that wait', () => {
    const prompt = user('sum it up');
    const made = transcript(
      user('hello'),
      message('m', 'hi', true),
      prompt,
      user('later', { queued: true }),
    );
    expect(conversationMarkdown(made, prompt.id)).toBe(
      'A conversation between a user and a coding agent, until now.\n\n## User\n\nhello\n\nhi\n',
    );
    expect(conversationMarkdown(transcript(prompt), prompt.id)).toBe('');
  });

  it('is the newest of a long one', () => {
    const made = transcript();
    for (let i = 0; i < 1000; i++)
      add(made, message(`m${i}`, `message ${i} ${'x'.repeat(1000)}`, true));
    const markdown = conversationMarkdown(made, '');
    expect(markdown.length).toBeLessThan(61_000);
    expect(markdown.length).toBeGreaterThan(55_000);
    expect(markdown).toMatch(/^A conversation .* Its beginning is left out\.\n\nmessage 9/);
    expect(markdown).toContain('message 999 ');
  });

  it('is the end of a last message that is too long alone', () => {
    const made = transcript(
      message('m', 'gone', true),
      message('n', `${'x'.repeat(100_000)} the end`, true),
    );
    const markdown = conversationMarkdown(made, '');
    expect(markdown).toMatch(/^A conversation .* Its beginning is left out\.\n\n…x/);
    expect(markdown).toMatch(/the end\n$/);
    expect(markdown.length).toBeLessThan(61_000);
  });

  it('has beginning and end of a long output', () => {
    const output = `first\n${'x\n'.repeat(5000)}last`;
    const made = transcript(tool('t', { content: [{ type: 'text', text: output }] }));
    const markdown = conversationMarkdown(made, '');
    expect(markdown).toMatch(/first\n[^]* more characters …\n[^]*last\n```\n$/);
    expect(markdown.length).toBeLessThan(3000);
    expect(transcriptMarkdown(made)).toContain(output);
  });
});
