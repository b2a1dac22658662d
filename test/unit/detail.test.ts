import { describe, expect, it } from 'vitest';
import { blockDetail } from '../../src/session/detail';
import { newTranscript, type Block } from '../../src/session/model';

const detail = (block: object) =>
  blockDetail({ id: 'b', late: false, ...block } as Block, newTranscript('/project'));

describe('details', () => {
  it('of a plan are a list with the status and priority of each entry, in words', () => {
    const entries = [
      { content: 'Run the\ntests', priority: 'high', status: 'completed' },
      { content: 'Fix it', priority: '', status: 'in_progress' },
      { content: 'Rest', priority: '', status: '' },
    ];
    expect(detail({ kind: 'plan', planId: 'p', entries }).lines).toEqual([
      '- [x] Run the tests (completed, high priority)',
      '- [ ] Fix it (in progress)',
      '- [ ] Rest',
    ]);
  });

  it('of an edit show what it takes away and what it adds', () => {
    const oldText = 'a\nsame\nb\n';
    const content = [{ type: 'diff', path: '/project/x', oldText, newText: 'A\nsame\nb\nc\n' }];
    const tool = { kind: 'tool', title: 'Edit', status: 'completed', content, locations: [] };
    expect(detail({ ...tool, answer: null }).lines.slice(4)).toEqual([
      '## Diff of /project/x',
      '',
      '```diff',
      '-a',
      '+A',
      '',
      '+c',
      '```',
    ]);
  });

  it('of a command show what it has put out as it stands on a screen', () => {
    const text = '\u001b[32mgreen\u001b[0m\n10%\r100%\n';
    const tool = { kind: 'tool', title: 'make', status: 'completed', locations: [], answer: null };
    const { lines } = detail({ ...tool, content: [{ type: 'text', text }] });
    expect(lines.slice(4)).toEqual(['## Content', '', 'green', '100%', '']);
  });

  it('of a turn say when it was, why it ended and what it did', () => {
    const startedAt = new Date(2026, 0, 2, 13, 4, 5).getTime();
    const turn = { stopReason: 'end_turn', startedAt, endedAt: startedAt + 95_000 };
    const did = { tools: 5, unasked: 3, files: 1, added: 9, removed: 4 };
    expect(detail({ kind: 'turn', ...turn, ...did }).lines).toEqual([
      'Stop reason  end_turn',
      'Began        2026-01-02 13:04:05',
      'Ended        2026-01-02 13:05:40',
      'Took         1:35',
      'Changed      1 file, +9 -4',
      'Tools        5, of which 3 ran without asking',
    ]);
  });
});
