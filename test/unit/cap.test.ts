import { describe, expect, it } from 'vitest';
import { updateEvents } from '../../src/acp/v1';

const MB = 1024 * 1024;
const long = `begin${'x'.repeat(3 * MB)}end`;

/** What is kept of a tool call's update. */
function patch(update: object) {
  const [event] = updateEvents({ sessionUpdate: 'tool_call', toolCallId: 't', ...update });
  return event?.type === 'tool_call' ? event.patch : undefined;
}

function expectEnds(text: string): void {
  expect(text.length).toBeLessThan(MB);
  expect(text).toMatch(/^beginx+\n\[\d+ KB not kept\]\nx+end$/);
}

describe('what is kept of a long tool output', () => {
  it('is its beginning and its end, in content and raw output', () => {
    const kept = patch({
      content: [{ type: 'content', content: { type: 'text', text: long } }],
      rawOutput: { parts: [{ stdout: long }], exit: 0 },
    });
    const [item] = kept!.content!;
    expectEnds(item!.type === 'text' ? item!.text : '');
    const raw = kept!.rawOutput as { parts: { stdout: string }[]; exit: number };
    expectEnds(raw.parts[0]!.stdout);
    expect(raw.exit).toBe(0);
    expectEnds(patch({ rawOutput: long })!.rawOutput as string);
  });

  it('is all of what is asked for leave, and of diffs', () => {
    const kept = patch({
      content: [{ type: 'diff', path: '/a', oldText: null, newText: long }],
      rawInput: { command: long },
    });
    expect(kept!.content![0]).toMatchObject({ newText: long });
    expect(kept!.rawInput).toEqual({ command: long });
  });

  it('does not depend on how deep it is nested', () => {
    let nested: unknown = long;
    for (let i = 0; i < 200_000; i++) nested = [nested];
    expect(patch({ rawOutput: nested })?.id).toBe('t');
  });
});
