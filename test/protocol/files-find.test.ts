/** The question for files as it comes through the door. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually, scriptedAgent, tempDir } from '../harness';
import { openChat } from './fake-editor';

test('files under the roots of the session are found, those that went along with a prompt first', async () => {
  const cwd = tempDir();
  const lib = tempDir();
  mkdirSync(join(cwd, 'src'));
  for (const name of ['src/model1.ts', 'src/model2.ts']) writeFileSync(join(cwd, name), '');
  writeFileSync(join(lib, 'models.ts'), '');
  const agent = scriptedAgent([{ expect: 'session/prompt' }]);
  const spec = { name: agent.name, command: agent.command, args: agent.args, roots: [lib] };
  const chat = openChat(spec, { cwd });
  const find = (id: number, query: string) =>
    chat.sessions.handle('files.find', { session: 's1', id, query, limit: 10 });
  const answer = (id: number) =>
    eventually(() => {
      const found = chat.editor.sent('files.found').find((it) => it.id === id);
      expect(found).toBeDefined();
      return found!;
    });
  find(1, 'mod');
  // In which order depends on the folder's name too, which is made up.
  const { session, id, paths } = await answer(1);
  expect([session, id]).toEqual(['s1', 1]);
  expect(new Set(paths)).toEqual(
    new Set(['src/model1.ts', 'src/model2.ts', join(lib, 'models.ts')]),
  );
  chat.sessions.handle('prompt.send', {
    session: 's1',
    text: 'x',
    attachments: [{ type: 'file', path: join(cwd, 'src/model2.ts') }],
  });
  find(2, 'mod');
  expect((await answer(2)).paths[0]).toBe('src/model2.ts');
  expect(chat.editor.faults).toEqual([]);
});
