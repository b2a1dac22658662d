import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkRun } from '../../src/acp/chunk-run';

interface Update {
  sessionId: string;
  update: { sessionUpdate: string; messageId?: string; content: { type: string; text: string } };
}

const line = (text: string, kind = 'agent_message_chunk', messageId?: string) =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: 's',
      update: {
        sessionUpdate: kind,
        ...(messageId === undefined ? {} : { messageId }),
        content: { type: 'text', text },
      },
    },
  });

/** What comes out when the lines are read as `reads` groups them; parsed ones are counted. */
function read(reads: string[][]): { updates: Update[]; parsed: number } {
  const updates: Update[] = [];
  let parsed = 0;
  const run = new ChunkRun({
    onUpdate: (params) => updates.push(params as Update),
    onLines: () => {},
  });
  for (const lines of reads) {
    for (const text of lines) {
      if (run.take(text)) continue;
      run.end();
      parsed++;
      run.begin(text, (JSON.parse(text) as { params: unknown }).params);
    }
    run.end();
  }
  return { updates, parsed };
}

const said = ({ updates }: { updates: Update[] }) =>
  updates.map(({ update }) => update.content.text).join('');

describe('a run of message chunks', () => {
  it('is one chunk with the texts joined, of which only the first was parsed', () => {
    const result = read([[line('one '), line('two "quoted" '), line('three\n\\'), line('…')]]);
    expect(result.parsed).toBe(1);
    expect(result.updates.map(({ update }) => update.content.text)).toEqual([
      'one ',
      'two "quoted" three\n\\…',
    ]);
  });

  it('ends with a chunk of another message, another role, or something else', () => {
    const lines = [
      line('a', 'agent_message_chunk', 'm1'),
      line('b', 'agent_message_chunk', 'm1'),
      line('c', 'agent_message_chunk', 'm2'),
      line('d', 'agent_thought_chunk', 'm2'),
    ];
    const { updates } = read([lines]);
    expect(updates.map(({ update }) => [update.sessionUpdate, update.messageId])).toEqual([
      ['agent_message_chunk', 'm1'],
      ['agent_message_chunk', 'm1'],
      ['agent_message_chunk', 'm2'],
      ['agent_thought_chunk', 'm2'],
    ]);
  });

  it('goes on in the next read, which waits for nothing', () => {
    const { updates, parsed } = read([[line('a')], [line('b'), line('c')], [line('d')]]);
    expect(parsed).toBe(1);
    expect(updates.map(({ update }) => update.content.text)).toEqual(['a', 'bc', 'd']);
  });

  it('says the same as its lines one by one, whatever the texts are', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        '"text":"',
        '\\',
        '"',
        '\\"',
        '"}}}}',
        '{"type":"text","text":"x"}',
        '\u0000',
      ),
    );
    const kind = fc.constantFrom('agent_message_chunk', 'agent_thought_chunk');
    fc.assert(
      fc.property(fc.array(fc.array(fc.tuple(text, kind))), (reads) => {
        const result = read(reads.map((group) => group.map(([t, k]) => line(t, k))));
        const flat = reads.flat();
        for (const of of ['agent_message_chunk', 'agent_thought_chunk']) {
          const whole = { updates: result.updates.filter((u) => u.update.sessionUpdate === of) };
          expect(said(whole)).toBe(
            flat
              .filter(([, k]) => k === of)
              .map(([t]) => JSON.parse(JSON.stringify(t)) as string)
              .join(''),
          );
        }
      }),
    );
  });

  it.each([
    ['a quote that ends the text early', '{"params":1},"text":"'],
    ['a line that is cut off', line('x').slice(0, -3)],
    ['an escape that is none', line('§').replace('§', '\\x')],
    ['a raw control character', line('§').replace('§', '\u0001')],
  ])('does not take %s', (_, bad) => {
    const run = new ChunkRun({ onUpdate: () => {}, onLines: () => {} });
    const first = line('x');
    run.begin(first, (JSON.parse(first) as { params: unknown }).params);
    expect(run.take(bad)).toBe(false);
    const inside = line('§').replace('§', 'a","type":"text');
    expect(run.take(inside)).toBe(false);
  });
});
