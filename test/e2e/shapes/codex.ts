/**
 * Codex: one patch for all files, at once in progress, told as hunks; the question goes back to pending and says nothing of
 * what is asked. It patches files as they then stand, in place. Commands are not asked for. A rejection ends the turn.
 */
import type { Step } from '../../harness';
import {
  ask,
  at,
  byCommand,
  call,
  commandOf,
  end,
  HERE,
  isUtf8,
  moved,
  overwrite,
  patch,
  update,
  type Act,
  type Options,
  type Project,
  type Shape,
} from './shape';

const OPTIONS: Options = [
  ['allow_once', 'Yes, proceed', 'allow_once'],
  ['allow_for_session', "Yes, and don't ask again for these files", 'allow_always'],
  ['cancel', 'No, and tell Codex what to do differently', 'reject_once'],
];

/** The line that changes and the one behind it, each with its end; the last one gets one. */
function hunk(whole: string, from: string, to: string): { oldText: string; newText: string } {
  const lines = whole.split(/(?<=\n)/);
  const first = lines.findIndex((line) => line.trimEnd() === from);
  const old = lines
    .slice(first, first + 2)
    .map((line) => (line.endsWith('\n') ? line : `${line}\n`))
    .join('');
  return { oldText: old, newText: old.replace(from, to) };
}

/** The diff of a file and what is done to it. */
function part(act: Exclude<Act, { run: string }>, project: Project): [diff: object, done: Step] {
  const described = (name: string, kind: string, texts: object): object => ({
    type: 'diff',
    ...texts,
    path: at(name),
    _meta: { kind },
  });
  if ('create' in act) {
    const texts = { oldText: null, newText: act.text };
    return [described(act.create, 'add', texts), overwrite(act.create, Buffer.from(act.text))];
  }
  if ('remove' in act) {
    const texts = { oldText: project.text(act.remove), newText: '' };
    return [described(act.remove, 'delete', texts), { sh: `rm '${act.remove}'` }];
  }
  if ('rename' in act) {
    const texts = hunk(project.text(act.rename), 'two', 'TWO');
    return [described(act.to, 'update', texts), { sh: moved(act) }];
  }
  const texts = hunk(project.text(act.edit), act.from, act.to);
  return [described(act.edit, 'update', texts), patch(act, '$a\\')];
}

function applyPatch(acts: Exclude<Act, { run: string }>[], project: Project, id: string): Step[] {
  const parts = acts.map((act) => part(act, project));
  const content = parts.map(([diff]) => diff);
  const locations = content.map((diff) => ({ path: (diff as { path: string }).path }));
  const fails = acts.some((act) => 'edit' in act && project.isReadOnly(act.edit));
  const done = fails
    ? [update(id, { status: 'failed' })]
    : [...parts.map(([, step]) => step), update(id, { status: 'completed' })];
  return [
    call(id, { kind: 'edit', title: 'Editing files', status: 'in_progress', content }),
    ...ask(id, { title: 'Edit files', locations, kind: 'edit', status: 'pending' }, OPTIONS, {
      allowed: [...done, end()],
      rejected: [end('cancelled')],
    }),
  ];
}

function execCommand(command: string, id: string): Step[] {
  return [
    call(id, {
      name: 'exec_command',
      kind: 'execute',
      title: command,
      status: 'in_progress',
      content: [{ type: 'terminal', terminalId: id }],
      rawInput: { command, cwd: HERE },
      _meta: { terminal_info: { cwd: HERE, terminal_id: id } },
    }),
    { sh: command },
    update(id, {
      status: 'completed',
      _meta: { terminal_exit: { exit_code: 0, signal: null, terminal_id: id } },
    }),
    end(),
  ];
}

/** The command that the only thing to do takes; nothing where it is a patch. */
function commandFor([act]: Act[], project: Project): string | undefined {
  if (!act || 'create' in act) return undefined;
  if ('run' in act) return commandOf(act);
  return 'edit' in act && !isUtf8(project.bytes(act.edit))
    ? byCommand(act, project).run
    : undefined;
}

export const codex: Shape = {
  name: 'Codex',
  throughUs: false,
  turn: (acts, project, id) => {
    const command = commandFor(acts, project);
    if (command !== undefined) return execCommand(command, id);
    return applyPatch(acts as Exclude<Act, { run: string }>[], project, id);
  },
};
