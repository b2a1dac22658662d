import { RequestError } from '@agentclientprotocol/sdk';
import { approve, form, page } from './asking';
import { helpers } from './helpers';
import { MODES } from './session';
import { count, words } from './prompt';
import { findFile, findTests } from './project';
import { mend, sign } from './slips';
import { MARKDOWN, pieces, THOUGHT } from './texts';
import * as tools from './tools';
import { Plan, type Turn } from './turn';

interface Command {
  /** What it shows something of. */
  kind: string;
  description: string;
  /** What may follow the name. */
  hint?: string;
  run(turn: Turn, argument: string): Promise<void>;
}

/** The slash commands, in the order in which they are offered. */
export const COMMANDS: Record<string, Command> = {
  tour: { kind: 'All at once', description: 'Show the most of it once', run: tour },
  read: {
    kind: 'Tools',
    description: 'Read a file through the editor',
    hint: 'FILE[:FROM-TO]',
    run: read,
  },
  edit: {
    kind: 'Tools',
    description: 'Mend small slips in a file, or replace a text in it',
    hint: 'FILE [OLD => NEW]',
    run: edit,
  },
  run: {
    kind: 'Tools',
    description: 'Run a program in a terminal, without a shell',
    hint: 'PROGRAM ARGS',
    run,
  },
  background: {
    kind: 'Tools',
    description: 'Run a program that goes on after the turn: the tests, each time a file changes',
    hint: '[PROGRAM ARGS]',
    run: background,
  },
  form: { kind: 'Questions', description: 'Ask with a form', hint: '[choice]', run: form },
  page: { kind: 'Questions', description: 'Ask to open a page in the browser', run: page },
  approve: {
    kind: 'Questions',
    description: 'Plan to mend a file, and have the plan approved',
    hint: '[FILE]',
    run: async (turn, name) => approve(turn, await fileFor(turn, name)),
  },
  subagents: {
    kind: 'Work',
    description: 'Send two subagents out, one of which asks',
    run: helpers,
  },
  plan: { kind: 'Work', description: 'Keep a plan and work it off', run: plan },
  think: { kind: 'Work', description: 'Stream a thought', run: think },
  markdown: {
    kind: 'Text',
    description: 'Stream Markdown of every kind',
    run: (turn) => turn.say(MARKDOWN),
  },
  big: {
    kind: 'Text',
    description: 'Stream many pieces as fast as possible',
    hint: 'NUMBER',
    run: big,
  },
  slow: {
    kind: 'Text',
    description: 'Say a word a second, to try cancelling',
    hint: 'SECONDS',
    run: slow,
  },
  error: { kind: 'Faults', description: 'Fail the turn with an error', run: fail },
  crash: { kind: 'Faults', description: 'End the agent in the middle of a turn', run: crash },
};

/** Plays a turn: a slash command, the tour, or an honest answer. */
export async function play(turn: Turn): Promise<void> {
  const { text } = turn.prompt;
  const [, name = '', argument = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) await command.run(turn, argument.trim());
  else if (/\btour\b/i.test(text)) await tour(turn);
  else await answer(turn);
}

async function answer(turn: Turn): Promise<void> {
  const { text, attachments } = turn.prompt;
  const received = [
    text ? `- a text of ${count(words(text).length, 'word')}` : '- no text',
    ...attachments.map(({ label }) => `- ${label}`),
  ];
  const mode = MODES.find(({ id }) => id === turn.session.mode);
  await turn.say(
    `I am the **demo agent**: a script without a language model, so I can't understand what you ` +
      `write. What I received:\n\n${received.join('\n')}\n\n` +
      `What you can try in mode *${mode?.name}*; typing \`/\` tells of each:\n\n${listing()}\n`,
  );
}

/** A kind a line: the `/` menu has the descriptions. */
function listing(): string {
  const kinds = new Map<string, string[]>();
  for (const [name, { kind }] of Object.entries(COMMANDS)) {
    kinds.set(kind, [...(kinds.get(kind) ?? []), `\`/${name}\``]);
  }
  return [...kinds].map(([kind, names]) => `- ${kind}: ${names.join(', ')}`).join('\n');
}

async function tour(turn: Turn): Promise<void> {
  await turn.say(
    '# The demo agent\n\nI follow a script: there is **no language model** behind me, and I say nothing ' +
      'that I know. But all that you see goes through the *Agent Client Protocol*, as with a real agent.\n',
  );
  await turn.think(THOUGHT);

  const path = turn.session.file ?? (await findFile(turn.session.cwd));
  const tests = await findTests(turn.session.cwd);
  const [command, ...args] = tests ?? ['node', '--version'];
  const steps = [
    tests ? 'Run the tests' : 'Run a program',
    ...(path ? ['Read a file', 'Mend what is wrong in it'] : []),
    ...(path && tests ? ['Run the tests again'] : []),
  ];
  const todo = new Plan(turn, steps);
  await todo.show();
  await todo.next();
  const exits = [await tools.run(turn, command!, args)];
  const changed = path !== null && (await improveAsPlanned(turn, path, todo));
  if (changed && tests) {
    await todo.next();
    exits.push(await tools.run(turn, command!, args));
  }
  // What was not done stays open in the plan.
  if (changed || !path) await todo.next();
  await turn.say(
    `\n## What happened\n\n| step | result |\n| --- | --- |\n` +
      `| ${tests ? 'tests' : 'program'} | ${exits.map(ended).join(', then ')} |\n` +
      `| file | ${!path ? 'none found' : changed ? 'changed' : 'unchanged'} |\n\n` +
      `## What to try\n\n${listing()}\n\nOr change the mode, and take the tour again:\n\n` +
      `${MODES.map(({ name, description }) => `- **${name}**: ${description}`).join('\n')}\n`,
  );
}

function ended(exitCode: number | null): string {
  return exitCode === null ? 'did not run' : `exit code ${exitCode}`;
}

async function improveAsPlanned(turn: Turn, path: string, todo: Plan): Promise<boolean> {
  await todo.next();
  const text = await tools.read(turn, path);
  if (text === null) return false;
  await todo.next();
  return improve(turn, path, text);
}

async function read(turn: Turn, argument: string): Promise<void> {
  const [, name = '', from, to] = /^(.*?)(?::(\d+)(?:-(\d+))?)?$/.exec(argument) ?? [];
  const path = await fileFor(turn, name);
  if (!path) return;
  const lines = from ? { start: Number(from), end: Number(to ?? from) } : undefined;
  const text = await tools.read(turn, path, lines);
  if (text !== null)
    await turn.say(`I read ${tools.size(text)} of \`${tools.shown(turn, path)}\`.\n`);
}

async function edit(turn: Turn, argument: string): Promise<void> {
  const replacement = /^(\S+)\s+([\s\S]+?)\s*=>\s*([\s\S]*)$/.exec(argument);
  const path = await fileFor(turn, replacement?.[1] ?? argument);
  const text = path ? await tools.read(turn, path) : null;
  if (!path || text === null) return;
  const [, , before, after = ''] = replacement ?? [];
  if (before === undefined) {
    await improve(turn, path, text);
  } else if (text.includes(before)) {
    const newText = text.replace(before, () => after);
    await tell(turn, path, await tools.edit(turn, path, text, newText));
  } else {
    await turn.say(`\`${before}\` does not occur in \`${tools.shown(turn, path)}\`.\n`);
  }
}

/** Mends what can be mended without understanding; where nothing can, leaves a comment. */
async function improve(turn: Turn, path: string, text: string): Promise<boolean> {
  const { text: mended, reasons } = mend(path, text);
  await turn.say(
    reasons.length > 0
      ? `I know a few slips by their look, and found ${reasons.length} of them:\n\n` +
          `${reasons.map((reason) => `- ${reason}`).join('\n')}\n`
      : 'I found none of the few slips that I know; so I propose to add a line of comment.\n',
  );
  const changed = await tools.edit(
    turn,
    path,
    text,
    reasons.length > 0 ? mended : sign(path, text),
  );
  await tell(turn, path, changed);
  return changed;
}

async function tell(turn: Turn, path: string, changed: boolean): Promise<void> {
  if (turn.session.mode === 'plan') return;
  const name = tools.shown(turn, path);
  await turn.say(changed ? `\`${name}\` is changed.\n` : `Then \`${name}\` stays as it is.\n`);
}

async function run(turn: Turn, argument: string): Promise<void> {
  const [command, ...args] = words(argument);
  if (!command) return turn.say('Tell me what to run: `/run PROGRAM ARGS`.\n');
  const code = await tools.run(turn, command, args);
  if (code !== null) await turn.say(`It ended with exit code ${code}.\n`);
}

async function background(turn: Turn, argument: string): Promise<void> {
  const tests = await findTests(turn.session.cwd);
  const watch = tests && [tests[0]!, '--watch', ...tests.slice(1)];
  const [command, ...args] = argument ? words(argument) : (watch ?? []);
  if (!command) return turn.say('Tell me what to run: `/background PROGRAM ARGS`.\n');
  const running = await tools.start(turn, command, args);
  if (running) await turn.say('My turn is over; what I have started goes on.\n');
}

async function plan(turn: Turn): Promise<void> {
  const todo = new Plan(turn, ['Look at the plan', 'Do the work', 'Look at the result']);
  await todo.show();
  for (let step = await todo.next(); step; step = await todo.next()) await turn.pause(900);
  await turn.say('All steps of the plan are done.\n');
}

async function think(turn: Turn): Promise<void> {
  await turn.think(THOUGHT);
  await turn.say('That was the thought.\n');
}

async function big(turn: Turn, argument: string): Promise<void> {
  const number = Math.min(Number.parseInt(argument, 10) || 2000, 1_000_000);
  await turn.stream(pieces(number), 0);
}

async function slow(turn: Turn, argument: string): Promise<void> {
  const seconds = Math.min(Number.parseInt(argument, 10) || 60, 3600);
  const numbers = Array.from({ length: seconds }, (_, i) => `${i + 1} `);
  await turn.stream(numbers, 1000);
}

async function fail(turn: Turn): Promise<void> {
  await turn.say('Now I fail, as you asked.\n');
  throw new RequestError(-32603, 'The demo agent failed, as it was asked to');
}

async function crash(turn: Turn): Promise<void> {
  await turn.say('Now I crash, as you asked. Write again, and I am started anew.\n');
  await turn.exit(70);
}

/** The named file, else the one that was last attached, read or edited, else one of the project. */
async function fileFor(turn: Turn, name: string): Promise<string | null> {
  if (name) return tools.absolute(turn, name);
  const path = turn.session.file ?? (await findFile(turn.session.cwd));
  if (!path) await turn.say('Name a file, or attach one.\n');
  return path;
}
