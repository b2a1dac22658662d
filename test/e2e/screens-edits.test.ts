import { describe, it } from 'vitest';
import { expectScreen, startNvim, type Nvim, type Step } from '../harness';
import { init } from './e2e';
import { CLOCK, COUNT_TURNS, project, turn, turnAgent } from './turns';

const SEMVER = `const parse = (version) => version.split('.');

export function compareIdentifiers(a, b) {
  const x = Number(a), y = Number(b);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function rcompare(a, b) {
  return compareIdentifiers(b, a);
}
`;
const MENDED = SEMVER.replace(
  '  return a < b ? -1 : 1;\n',
  '  if (Number.isNaN(x)) return a < b ? -1 : 1;\n  return x - y;\n',
).replace("version.split('.')", "version.trim().split('.')");

const ASK: Step = {
  request: {
    method: 'session/request_permission',
    params: {
      toolCall: {
        toolCallId: 'edit',
        kind: 'edit',
        title: 'Edit src/semver.js',
        content: [
          {
            type: 'diff',
            path: '${new.params.cwd}/src/semver.js',
            oldText: SEMVER,
            newText: MENDED,
          },
        ],
      },
      options: [
        { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
        { optionId: 'always', name: 'Always allow edits', kind: 'allow_always' },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' },
      ],
    },
  },
};
const WRITE: Step = {
  request: {
    method: 'fs/write_text_file',
    params: { path: '${new.params.cwd}/src/semver.js', content: MENDED },
  },
};
const HANG: Step = { expect: '_never' };

async function start(turns: Record<string, Step[]>, options: object): Promise<Nvim> {
  const agent = turnAgent(turns);
  const nvim = await startNvim({ init: init({ nanocoder: agent }, options) + COUNT_TURNS });
  project(nvim, { 'src/semver.js': SEMVER, 'README.md': '# semver\n\nCompares versions.\n' });
  await nvim.command('edit src/semver.js');
  return nvim;
}

describe('the screen', () => {
  it('of a proposal in the window of its file', async () => {
    const options = { diff: { view: 'inline' }, permission: { open: 'always' } };
    const nvim = await start({ 'Mend it': [ASK] }, options);
    await nvim.input(':AcpChat Mend it<CR>');
    await nvim.waitForScreen('2: Always allow edits');
    await expectScreen(nvim, 'inline', { replace: CLOCK });
  });

  it('of a proposal that is changed by hand', async () => {
    const options = {
      diff: { view: 'inline', edit: true },
      permission: { open: 'manual', writes: 'ask' },
    };
    const nvim = await start({ 'Mend it': [WRITE] }, options);
    await nvim.input(':AcpChat Mend it<CR>');
    await nvim.waitForScreen('2 Allow all writes');
    await nvim.input('<Esc><C-w>t:AcpPermission<CR>');
    await nvim.waitForScreen('2: ');
    await nvim.input('<Esc>');
    await nvim.input('jo  // NaN is not less than anything<Esc>');
    await nvim.waitForScreen('changed by you');
    await expectScreen(nvim, 'inline-changed', { replace: CLOCK });
  });

  it('of a conflict, with its diff and its select', async () => {
    const nvim = await start({ 'Mend it': [{ sh: 'sed -i s/Number/BigInt/ src/semver.js' }] }, {});
    await nvim.input('6Gcc  return x - y;<Esc>gg');
    await turn(nvim, 'Mend it');
    await nvim.waitForScreen('was changed on disk');
    await expectScreen(nvim, 'conflict-card', { replace: CLOCK });
    await nvim.input(':AcpPermission<CR>');
    await nvim.waitForScreen('3: Merge');
    await expectScreen(nvim, 'conflict', { replace: CLOCK });
  });

  it('of the question about unsaved buffers', async () => {
    const nvim = await start({}, { unsaved: 'ask' });
    await nvim.input('ix<Esc>:edit README.md<CR>ix<Esc>:AcpChat Mend it<CR>');
    await nvim.waitForScreen('6: Send anyway');
    await expectScreen(nvim, 'unsaved', { replace: CLOCK });
  });

  it('of a window that follows the agent', async () => {
    const location = { path: '${new.params.cwd}/src/semver.js', line: 10 };
    const reads: Step = {
      update: {
        sessionUpdate: 'tool_call',
        toolCallId: 'read',
        kind: 'read',
        title: 'Read src/semver.js',
        status: 'in_progress',
        locations: [location],
      },
    };
    const nvim = await start({ 'Mend it': [reads, HANG] }, {});
    await nvim.input(':edit README.md<CR>:AcpChat Mend it<CR>');
    await nvim.waitForScreen('Read');
    await nvim.input('<Esc>:AcpFollow<CR>');
    await nvim.waitForScreen('rcompare');
    await expectScreen(nvim, 'follow', { replace: CLOCK });
  });
});
