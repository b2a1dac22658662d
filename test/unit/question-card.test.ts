import { describe, expect, test } from 'vitest';
import { askedInFull } from '../../src/render/subject';
import { TranscriptView } from '../../src/render/view';
import { blockDetail } from '../../src/session/detail';
import type { ToolBlock } from '../../src/session/model';
import { Screen, tool, transcript } from './render-screen';

const ASKS = { id: 'q', options: [{ id: 'y', name: 'Yes', kind: 'allow_once' }] };
const DIFF = { type: 'diff' as const, path: '/project/a', oldText: 'x\n', newText: 'y\n' };

const asks = (fields: Partial<ToolBlock>): ToolBlock =>
  tool('t', { toolKind: 'edit', question: ASKS, content: [], ...fields });

const full = (fields: Partial<ToolBlock>, shown = ''): string[] =>
  askedInFull(asks(fields), shown, '/project');

function card(fields: Partial<ToolBlock>): string[] {
  const options = { columns: 60, toolRows: 3, icons: 'unicode' } as const;
  const view = new TranscriptView(transcript(asks(fields)), options);
  return new Screen().apply(view.full()).text.split('\n');
}

describe('a question says', () => {
  test('the input of an edit that no diff can be made of, whole', () => {
    const rawInput = { target_file: 'a', code_edit: '// …\nx = 1\n', attempts: 2 };
    expect(full({ rawInput }, 'a')).toEqual(['code_edit:', '  // …', '  x = 1', 'attempts: 2']);
    expect(card({ rawInput, title: 'edit_file' }).slice(0, 4)).toEqual([
      '? Edit  a',
      '  code_edit:',
      '    // …',
      '    x = 1',
    ]);
  });

  test('only the paths of an edit whose diffs are on the card', () => {
    const rawInput = { path: 'a', old_str: 'x', new_str: 'y' };
    expect(full({ rawInput, content: [DIFF] })).toEqual(['a']);
    expect(full({ rawInput: { x: 1 }, content: [DIFF] })).toEqual(['a']);
  });

  test('the input too where its diffs leave something out', () => {
    const edits = ['a', 'b'].map((path) => ({ path, old_str: 'x', new_str: 'y' }));
    expect(full({ rawInput: { edits }, content: [DIFF] }).join('\n')).toContain('"path": "b"');
    const appended = { path: 'a', content: 'y', mode: 'append' };
    expect(full({ rawInput: appended, content: [DIFF] }, 'a')).toContain('mode: append');
  });

  test('which file it is about, though only the input names it', () => {
    expect(card({ rawInput: { file_path: '/project/src/a.ts' }, title: 'Edit' })[0]).toBe(
      '? Edit  src/a.ts',
    );
    const rawInput = { source: 'a', destination: 'b' };
    expect(card({ toolKind: 'move', rawInput, title: 'move_file' })[0]).toBe('? Move  a → b');
  });

  test('the arguments of a tool whose title hides them', () => {
    const rawInput = { owner: 'me', repo: 'x', draft: true, labels: ['a'], body: null };
    const fields = { toolKind: 'other', title: 'github: create_pull_request', rawInput };
    expect(full(fields, 'github: create_pull_request')).toEqual([
      'owner: me',
      'repo: x',
      'draft: true',
      'labels: [',
      '  "a"',
      ']',
    ]);
  });

  test('nothing twice', () => {
    const url = 'https://example.org/a';
    expect(full({ toolKind: 'fetch', title: url, rawInput: { url, prompt: url } }, url)).toEqual(
      [],
    );
    expect(full({ toolKind: 'fetch', title: url, rawInput: { url, method: 'PUT' } }, url)).toEqual([
      'method: PUT',
    ]);
    const read = { toolKind: 'read', rawInput: { file_path: '/project/a', offset: 3, limit: 2 } };
    expect(full(read, 'a:3-4')).toEqual([]);
    const plan = { toolKind: 'switch_mode', title: 'Approve', rawInput: { plan: '# Plan\n' } };
    expect(full({ ...plan, content: [{ type: 'text', text: '# Plan' }] }, 'Approve')).toEqual([]);
    expect(full(plan, 'Approve')).toEqual(['plan: # Plan']);
  });

  test('where a command runs, if not in the folder of the session', () => {
    const run = (cwd: string) =>
      full({ toolKind: 'execute', rawInput: { command: 'ls', cwd } }, 'ls');
    expect(run('/project')).toEqual([]);
    expect(run('/')).toEqual(['in /']);
  });

  test('what a tool for files is to do, not the word for it', () => {
    const rawInput = { command: 'undo_edit', path: 'a' };
    const fields = { toolKind: 'other', title: 'editor', rawInput };
    expect(full(fields, 'editor')).toEqual(['command: undo_edit', 'path: a']);
  });

  test('nothing that is hidden, and how much is left out', () => {
    expect(full({ rawInput: { a: '\x1b[2K\u202eevil', 'b\nc': 'x' } }, '\n')).toEqual(
      expect.arrayContaining(['a: ^[[2K<U+202E>evil', 'b c: x']),
    );
    const lines = full({ rawInput: { a: 'x\n'.repeat(1000) } }, 't');
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toMatch(/^… \d+ more lines: see the details$/);
    expect(full({ rawInput: { a: 'x'.repeat(5000) } }).at(-1)).toMatch(/ … 3000 more characters$/);
    const shown = card({ rawInput: { a: 'x\n'.repeat(1000) } });
    expect(shown.length).toBeLessThan(50);
    expect(shown.join('\n')).toMatch(/… \d+ more lines/);
  });

  test('something for whatever is sent', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 20_000; i++) deep = [deep];
    expect(full({ rawInput: { deep } }).at(-1)).toContain('too deep');
    for (const rawInput of [undefined, null, 0, true, [], 'text', ['a']]) {
      expect(() => full({ rawInput })).not.toThrow();
    }
  });
});

test('the details show texts of an input line by line', () => {
  const block = asks({ title: 'edit', rawInput: { path: 'a', code_edit: 'x\ny' }, answer: null });
  const { lines } = blockDetail(block, transcript(block));
  expect(lines.join('\n')).toContain('path: a\ncode_edit:\n  x\n  y');
});
