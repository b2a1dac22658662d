/**
 * Claude: the call is told bit by bit, the question repeats it all; of an edit there is the piece that changes, in line
 * feeds. It writes by itself and puts another file in place of the old one. What has no tool is done by commands.
 */
import type { Step } from '../../harness';
import {
  ask,
  at,
  call,
  commandOf,
  diff,
  inTurn,
  isUtf16,
  lossy,
  overwrite,
  replace,
  says,
  update,
  type Act,
  type Edit,
  type Options,
  type Project,
  type Shape,
} from './shape';

const OPTIONS: Options = [
  ['allow-once', 'Yes', 'allow_once'],
  ['allow-with-updates', 'Yes, allow all edits during this session', 'allow_always'],
  ['reject', 'No', 'reject_once'],
];

const of = (toolName: string): object => ({ _meta: { claudeCode: { toolName } } });

function failed(id: string, why: string): Step {
  return update(id, {
    status: 'failed',
    rawOutput: why,
    content: [says(`\`\`\`\n${why}\n\`\`\``)],
  });
}

function write(edit: Edit, project: Project): Step {
  const bytes = project.bytes(edit.edit);
  const after = isUtf16(bytes) ? project.careful(edit) : Buffer.from(lossy(bytes, edit)[1]);
  const mode = project.isReadOnly(edit.edit) ? '444' : '644';
  return replace(project.real(edit.edit), after, mode);
}

function file(act: Edit | { create: string; text: string }, project: Project, id: string): Step[] {
  const isEdit = 'edit' in act;
  const name = isEdit ? act.edit : act.create;
  const tool = isEdit ? 'Edit' : 'Write';
  const where = { title: `${tool} ${name}`, locations: [{ path: at(name) }] };
  const rawInput = isEdit
    ? { file_path: at(name), old_string: act.from, new_string: act.to, replace_all: false }
    : { file_path: at(name), content: act.text };
  const content = [isEdit ? diff(name, act.from, act.to) : diff(name, null, act.text)];
  const done = [
    isEdit ? write(act, project) : overwrite(name, Buffer.from(act.text)),
    update(id, { ...of(tool), content, ...where }),
    update(id, { ...of(tool), status: 'completed', rawOutput: `${at(name)} has been updated` }),
  ];
  return [
    call(id, {
      ...of(tool),
      name: tool,
      rawInput: {},
      status: 'pending',
      title: isEdit ? 'Edit' : 'Preparing file…',
      kind: 'edit',
      content: [],
      locations: [],
    }),
    update(id, { ...of(tool), rawInput: { file_path: at(name) }, ...where }),
    update(id, { ...of(tool), rawInput, content }),
    ...ask(
      id,
      { name: tool, status: 'pending', rawInput, kind: 'edit', content, ...where },
      OPTIONS,
      {
        allowed: isEdit && act.saved ? [failed(id, 'File has been modified since read')] : done,
        rejected: [failed(id, 'User refused permission to run tool')],
      },
    ),
  ];
}

function bash(command: string, id: string): Step[] {
  const rawInput = { command, description: 'Run a command' };
  const content = [{ type: 'terminal', terminalId: id }];
  const bare = { name: 'Bash', status: 'pending', kind: 'execute', content };
  return [
    call(id, { ...of('Bash'), ...bare, rawInput: {}, title: 'Terminal' }),
    update(id, { ...of('Bash'), rawInput, title: command }),
    ...ask(id, { ...bare, rawInput, title: command }, OPTIONS, {
      allowed: [{ sh: command }, update(id, { ...of('Bash'), status: 'completed' })],
      rejected: [failed(id, 'User refused permission to run tool')],
    }),
  ];
}

function step(act: Act, project: Project, id: string): Step[] {
  return 'edit' in act || 'create' in act ? file(act, project, id) : bash(commandOf(act), id);
}

export const claude: Shape = { name: 'Claude', throughUs: false, turn: inTurn(step) };
