import { expect, it } from 'vitest';
import { Reminder } from '../../src/session/reminder';
import type { StoredSummary } from '../../src/store/store';

const SESSION: StoredSummary = {
  key: 'last',
  agent: 'a',
  cwd: '/project',
  agentSession: null,
  title: null,
  first: '',
  last: [],
  updated: 1,
  prompts: 1,
  draft: false,
  running: false,
  busy: false,
};

const reminder = (sessions: Partial<StoredSummary>[], open: string[] = []) =>
  new Reminder({
    store: { list: () => Promise.resolve(sessions.map((it) => ({ ...SESSION, ...it }))) },
    isOpen: (key) => open.includes(key),
    pauseMs: 1,
  });

it.each([
  [[], null],
  [[{}], null],
  [[{ draft: true }], 'has a draft'],
  [[{ running: true }], 'ended in the middle'],
  [[{ running: true, draft: true }], 'ended in the middle, with a draft'],
  [[{ running: true, busy: true }], null],
  [[{}, { key: 'older', draft: true }], null],
])('of %j it says: %s', async (sessions, words) => {
  const said = words && `The last session here ${words}: :AcpSessions`;
  expect(await reminder(sessions).of('/project')).toBe(said);
});

it('passes over what is open here', async () => {
  const sessions = [{ draft: true }, { key: 'before', running: true }];
  expect(await reminder(sessions, ['last']).of('/project')).toContain('in the middle:');
});

it('says it once for each folder', async () => {
  const it = reminder([{ draft: true }]);
  expect(await it.of('/a')).not.toBe(null);
  expect(await it.of('/a')).toBe(null);
  expect(await it.of('/b')).not.toBe(null);
});

it('waits a while for the process of a Neovim that has just ended', async () => {
  let looks = 0;
  const it = new Reminder({
    store: { list: () => Promise.resolve([{ ...SESSION, draft: true, busy: ++looks < 3 }]) },
    isOpen: () => false,
    pauseMs: 1,
  });
  expect(await it.of('/project')).toContain('has a draft');
});
