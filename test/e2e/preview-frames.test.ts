/** Drafts that become texts: no picture that Neovim draws lacks what was said, or says it twice. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedAgent, type Nvim, type Step } from '../harness';
import { idle, startChat } from './e2e';
import { run } from './sessions';

const KEY = 'claude-pty-acp/streaming-preview';
const HELLO: Step[] = [
  { expect: 'initialize' },
  {
    reply: {
      protocolVersion: 1,
      agentInfo: { name: 'claude-pty-acp', title: 'Claude Code' },
      agentCapabilities: { _meta: { [KEY]: { provisionalReplace: true } } },
    },
  },
];
const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const ended = (stopReason: string): Step => ({ reply: { stopReason }, to: 'prompt' });
/** Time for a picture. */
const BREATH: Step = { delay: 40 };

function says(text: string, about: object): Step[] {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  const params = { sessionId: 'session-1', update, _meta: { [KEY]: about } };
  return [{ notify: { method: 'session/update', params } }, BREATH];
}
const draft = (text: string, turn = 1): Step[] => says(text, { provisional: true, turn });
const final = (text: string, turn = 1): Step[] => says(text, { replaceProvisional: true, turn });

const tool = (id: string, status: string): Step[] => [
  {
    update: {
      sessionUpdate: status === 'in_progress' ? 'tool_call' : 'tool_call_update',
      toolCallId: id,
      title: `Read ${id}.js`,
      kind: 'read',
      status,
    },
  },
  BREATH,
];
/** Goes on when there is a file of that name beside the session's folder. */
const wait = (name: string): Step => ({ sh: `until [ -e ../${name} ]; do sleep 0.02; done` });
const goOn = (nvim: Nvim, name: string): void => writeFileSync(join(nvim.dir, '..', name), '');

/** What all pictures show exactly once, from the first that has it on: as it was drafted, or as it was said. */
const ONE = /I look at/g;
const TWO = /They are (?:\*\*)?compared(?:\*\*)? as/g;
const THREE = /so ten comes (?:bfore|before) two/g;
const PARTS = [ONE, TWO, THREE];

/** Looks at every picture that Neovim draws from now on. */
function watch(nvim: Nvim, parts: readonly RegExp[]) {
  const seen = parts.map(() => 0);
  const wrong: string[] = [];
  nvim.grid.onFlush(() => {
    const picture = nvim.screen();
    parts.forEach((part, i) => {
      const times = picture.match(part)?.length ?? 0;
      if (times > 1 || (times === 0 && seen[i]! > 0)) wrong.push(`${part} ${times}×:\n${picture}`);
      if (times > 0) seen[i]!++;
    });
  });
  return { seen, wrong };
}

async function start(...steps: (Step | Step[])[]): Promise<Nvim> {
  const nvim = await startChat(scriptedAgent([...HELLO, PROMPT, ...steps.flat()]), {
    columns: 180,
    lines: 44,
  });
  await nvim.input(':AcpChat why?<CR>');
  return nvim;
}

const FIRST = [
  ...draft('I look'),
  ...draft(' at the files.\n'),
  ...tool('semver', 'in_progress'),
  ...draft('They are compared'),
  ...draft(' as strings,\n'),
  ...tool('semver', 'completed'),
  ...tool('compare', 'in_progress'),
  ...draft('so ten comes bfore two\n'),
];
const WHOLE = final(
  'I look at the files.They are **compared** as strings,so ten comes before two.',
);

describe('no picture lacks what was drafted or said, and none has it twice', () => {
  it('where tool calls stand between the drafts', async () => {
    const nvim = await start(
      FIRST,
      tool('compare', 'completed'),
      WHOLE,
      tool('after', 'in_progress'),
      tool('after', 'completed'),
      ended('end_turn'),
    );
    const { seen, wrong } = watch(nvim, PARTS);
    await nvim.waitForScreen('ten comes before two');
    await idle(nvim);
    expect(wrong).toEqual([]);
    expect(Math.min(...seen)).toBeGreaterThan(1);
    expect(nvim.screen()).toMatch(
      /I look at[^]*semver[^]*They are[^]*compare[^]*comes before[^]*after/,
    );
  });

  it('where the text goes another way than its drafts', async () => {
    const nvim = await start(
      draft('I look at one of them.\n'),
      tool('semver', 'completed'),
      final('No: I look at all of them.'),
      ended('end_turn'),
    );
    const { seen, wrong } = watch(nvim, [ONE]);
    await idle(nvim);
    await nvim.waitForScreen('No: I look at all');
    expect(wrong).toEqual([]);
    expect(seen[0]).toBeGreaterThan(1);
  });

  it('where the text never comes', async () => {
    const nvim = await start(
      FIRST,
      ended('end_turn'),
      PROMPT,
      draft('Hello again', 2),
      final('Hello again.', 2),
      ended('end_turn'),
    );
    const { wrong } = watch(nvim, PARTS);
    await nvim.waitForScreen('ten comes bfore two');
    await idle(nvim);
    await nvim.command('AcpChat and?');
    await nvim.waitForScreen('Hello again.');
    await idle(nvim);
    expect(wrong).toEqual([]);
    expect(nvim.screen()).toContain('ten comes bfore two');
  });

  it('where the text comes when its turn is over, and after the next one has begun', async () => {
    const nvim = await start(
      FIRST,
      ended('end_turn'),
      wait('late'),
      WHOLE,
      PROMPT,
      draft('Tht is all', 2),
      ended('end_turn'),
      PROMPT,
      draft('Nothing', 3),
      final('That is all.', 2),
      final('Nothing more.', 3),
      ended('end_turn'),
    );
    const { wrong } = watch(nvim, [...PARTS, /(?:Tht|That) is all/g, /Nothing/g]);
    await nvim.waitForScreen('ten comes bfore two');
    await idle(nvim);
    goOn(nvim, 'late');
    await nvim.waitForScreen('ten comes before two');
    await nvim.command('AcpChat and?');
    await nvim.waitForScreen('Tht is all');
    await idle(nvim);
    await nvim.command('AcpChat well?');
    await nvim.waitForScreen('Nothing more.');
    await idle(nvim);
    expect(wrong).toEqual([]);
    expect(nvim.screen()).toMatch(/That is all\.[^]*well\?[^]*Nothing more\./);
  });

  it('where the turn was cancelled, and the text comes in the next one', async () => {
    const nvim = await start(
      FIRST,
      { expect: 'session/cancel' },
      ended('cancelled'),
      PROMPT,
      draft('Gone on', 2),
      WHOLE,
      final('Gone on.', 2),
      ended('end_turn'),
    );
    const { wrong } = watch(nvim, [...PARTS, /Gone on/g]);
    await nvim.waitForScreen('ten comes bfore two');
    await run(nvim, 'AcpCancel');
    await nvim.waitForScreen('cancelled');
    expect(nvim.screen()).toContain('ten comes bfore two');
    await nvim.command('AcpChat go on');
    await nvim.waitForScreen('Gone on.');
    await idle(nvim);
    expect(wrong).toEqual([]);
    expect(nvim.screen()).toMatch(/ten comes before two[^]*cancelled[^]*go on[^]*Gone on\./);
  });

  it('where it is longer than the window, whose end stays in view', async () => {
    const lines = (slip: string) =>
      Array.from({ length: 80 }, (_, i) => `line ${i} of ${slip}`).join('\n\n');
    const nvim = await start(
      draft(lines('te drft')),
      draft('\n\nThis is the end of te drft'),
      final(`${lines('the **text**')}\n\nThis is the end of the **text**`),
      ended('end_turn'),
    );
    const { seen, wrong } = watch(nvim, [/This is the end of (?:te drft|the \*{0,2}text)/g]);
    await nvim.waitForScreen(/This is the end of the/);
    await idle(nvim);
    expect(wrong).toEqual([]);
    expect(seen[0]).toBeGreaterThan(1);
  });
});
