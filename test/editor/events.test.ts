import { expect, test } from 'vitest';
import { eventually } from '../harness';
import { BufferRig } from './buffers-fixture';

const INIT = `
  vim.o.swapfile = false
  _G.events = {}
  vim.api.nvim_create_autocmd('User', {
    pattern = 'Acp*',
    callback = function(args) table.insert(_G.events, { args.match, args.data }) end,
  })`;

const start = (): Promise<BufferRig> => BufferRig.start(INIT);

const call = (rig: BufferRig, method: string, params: object): Promise<unknown> =>
  rig.lua("return require('acp.rpc').call(...)", method, params);

const events = async (rig: BufferRig): Promise<unknown[]> =>
  Object.values(await rig.lua<unknown[]>('return _G.events'));

test('a file without a buffer that was changed: AcpFileChanged, with path, session and hunks', async () => {
  const rig = await start();
  await call(rig, 'file.changed', {
    session: 's1',
    path: rig.at('a'),
    hunks: [{ oldStart: 1, oldCount: 0, newStart: 2, newCount: 3 }],
  });
  expect(await events(rig)).toEqual([
    [
      'AcpFileChanged',
      {
        session: 's1',
        path: rig.at('a'),
        hunks: [{ old_start: 1, old_count: 0, new_start: 2, new_count: 3 }],
      },
    ],
  ]);
});

test('a file with a buffer is told once, by the buffer', async () => {
  const rig = await start();
  await rig.edit('a', 'old\n');
  rig.make('a', 'new\n');
  const changed = { session: 's1', path: rig.at('a'), hunks: [] };
  await call(rig, 'file.changed', changed);
  await call(rig, 'buffers.check', {});
  await call(rig, 'file.changed', changed);
  expect(await events(rig)).toHaveLength(1);
});

test('what an agent writes through the buffer is told, with what autocommands made of it', async () => {
  const rig = await start();
  await rig.edit('a', 'a\nb\n');
  await rig.lua(`vim.api.nvim_create_autocmd('BufWritePre', { callback = function()
    vim.api.nvim_buf_set_lines(0, -1, -1, true, { 'formatted' })
  end })`);
  await rig.write('a', 'A\nb\n');
  await call(rig, 'buffers.check', {});
  expect(await events(rig)).toEqual([
    [
      'AcpFileChanged',
      {
        path: rig.at('a'),
        buf: 1,
        hunks: [
          { old_start: 1, old_count: 1, new_start: 1, new_count: 1 },
          { old_start: 2, old_count: 0, new_start: 3, new_count: 1 },
        ],
      },
    ],
  ]);
});

test('turns: AcpTurnStart and AcpTurnEnd', async () => {
  const rig = await start();
  await call(rig, 'turn.started', { session: 's1' });
  await call(rig, 'turn.ended', { session: 's1', stopReason: 'end_turn', files: ['/a'] });
  expect(await events(rig)).toEqual([
    ['AcpTurnStart', { session: 's1' }],
    ['AcpTurnEnd', { session: 's1', stop_reason: 'end_turn', files: ['/a'] }],
  ]);
});

test('an autocommand that fails is told in one line, and nobody is asked for a key', async () => {
  const rig = await start();
  await rig.lua(
    "vim.api.nvim_create_autocmd('User', { pattern = 'AcpTurn*', callback = function() error('mine') end })",
  );
  await call(rig, 'turn.started', { session: 's1' });
  await call(rig, 'turn.ended', { session: 's1', stopReason: 'end_turn', files: [] });
  await eventually(async () =>
    expect(await rig.nvim.messages()).toMatch(/AcpTurnStart: .*mine · AcpTurnEnd: /),
  );
  expect(await rig.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
});
