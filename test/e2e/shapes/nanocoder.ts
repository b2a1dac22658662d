/** Nanocoder: the call has the whole file, and so has the question. It writes in place; what came of it is only raw output. */
import type { Step } from '../../harness';
import {
  ask,
  at,
  byCommand,
  call,
  commandOf,
  diff,
  inTurn,
  isUtf16,
  isUtf8,
  lossy,
  overwrite,
  patch,
  update,
  type Act,
  type Edit,
  type Options,
  type Project,
  type Shape,
} from './shape';

const OPTIONS: Options = [
  ['allow', 'Allow', 'allow_once'],
  ['deny', 'Deny', 'reject_once'],
];

function tool(id: string, fields: object, done: Step[], rawOutput: string): Step[] {
  const pending = { ...fields, status: 'pending' };
  return [
    call(id, pending),
    ...ask(id, pending, OPTIONS, {
      allowed: [
        update(id, { status: 'in_progress' }),
        ...done,
        update(id, { status: 'completed', rawOutput }),
      ],
      rejected: [update(id, { status: 'failed', rawOutput: 'Denied by user' })],
    }),
  ];
}

function replaceString(act: Edit, project: Project, id: string): Step[] {
  const { edit: name, from, to } = act;
  const bytes = project.bytes(name);
  const [before, after] = lossy(bytes, act);
  const fields = {
    title: `string_replace: ${at(name)}`,
    kind: 'edit',
    rawInput: { path: at(name), old_str: from, new_str: to },
    content: [diff(name, before, after)],
    locations: [{ path: at(name) }],
  };
  // What fails is told to be completed, too.
  if (project.isReadOnly(name)) return tool(id, fields, [], '⚒ EACCES: permission denied');
  // It reads the file again first.
  const write = isUtf8(bytes) ? patch(act) : overwrite(name, Buffer.from(after));
  return tool(id, fields, [write], 'Successfully replaced content at line 2 (now line 2).');
}

function writeFile(name: string, text: string, id: string): Step[] {
  const fields = {
    title: `write_file: ${at(name)}`,
    kind: 'edit',
    rawInput: { path: at(name), content: text },
    content: [diff(name, null, text)],
    locations: [{ path: at(name) }],
  };
  return tool(id, fields, [overwrite(name, Buffer.from(text))], 'File written successfully');
}

function bash(command: string, id: string): Step[] {
  const fields = { title: `execute_bash: ${command}`, kind: 'execute', rawInput: { command } };
  return tool(id, fields, [{ sh: command }], 'EXIT_CODE: 0\n');
}

function step(act: Act, project: Project, id: string): Step[] {
  if ('create' in act) return writeFile(act.create, act.text, id);
  if (!('edit' in act)) return bash(commandOf(act), id);
  if (isUtf16(project.bytes(act.edit))) return bash(byCommand(act, project).run, id);
  return replaceString(act, project, id);
}

export const nanocoder: Shape = { name: 'Nanocoder', throughUs: false, turn: inTurn(step) };
