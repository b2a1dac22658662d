/**
 * Gemini: files are read through the editor, twice, and written through it alone. The question is the first that is told of a
 * call; a rejected one is never heard of again.
 */
import type { Step } from '../../harness';
import {
  answered,
  ask,
  at,
  byCommand,
  commandOf,
  inTurn,
  isUtf16,
  lossy,
  request,
  update,
  type Act,
  type Edit,
  type Options,
  type Project,
  type Shape,
} from './shape';

const OPTIONS: Options = [
  ['proceed_always', 'Allow for this session', 'allow_always'],
  ['proceed_once', 'Allow', 'allow_once'],
  ['cancel', 'Reject', 'reject_once'],
];

/** It has the text from the editor: that of the buffer, else of what is UTF-8 in the file. */
function edited(edit: Edit, project: Project): [before: string, after: string] {
  if (project.closed) return lossy(project.bytes(edit.edit), edit);
  const before = project.text(edit.edit);
  return [before, before.replace(edit.from, edit.to)];
}

function file(act: Edit | { create: string; text: string }, project: Project, id: string): Step[] {
  const isEdit = 'edit' in act;
  const name = isEdit ? act.edit : act.create;
  const [before, after] = isEdit ? edited(act, project) : ['', act.text];
  const read = ['a', 'b'].flatMap((n) => [
    request(`read-${id}-${n}`, 'fs/read_text_file', { path: at(name) }),
    answered(`read-${id}-${n}`),
  ]);
  const question = {
    status: 'pending',
    title: isEdit ? `${name}: ${act.from} => ${act.to}` : `Writing to ${name}`,
    kind: 'edit',
    content: [
      {
        type: 'diff',
        path: at(name),
        oldText: before,
        newText: after,
        _meta: { kind: isEdit ? 'modify' : 'add' },
      },
    ],
    locations: [{ path: at(name) }],
  };
  const isRefused = isEdit && (project.isReadOnly(name) || after.includes('\uFFFD'));
  const status = isRefused ? 'failed' : 'completed';
  return [
    ...read,
    ...ask(id, question, OPTIONS, {
      allowed: [
        request(`write-${id}`, 'fs/write_text_file', { path: at(name), content: after }),
        answered(`write-${id}`),
        update(id, { status, content: question.content }),
      ],
      rejected: [],
    }),
  ];
}

function shell(command: string, id: string): Step[] {
  const question = {
    status: 'pending',
    title: command,
    kind: 'execute',
    content: [],
    locations: [],
  };
  return ask(id, question, OPTIONS, {
    allowed: [{ sh: command }, update(id, { status: 'completed', content: [] })],
    rejected: [],
  });
}

function step(act: Act, project: Project, id: string): Step[] {
  // The editor gives no text of it.
  if ('edit' in act && project.closed && isUtf16(project.bytes(act.edit))) {
    return shell(byCommand(act, project).run, id);
  }
  return 'edit' in act || 'create' in act ? file(act, project, id) : shell(commandOf(act), id);
}

export const gemini: Shape = { name: 'Gemini', throughUs: true, turn: inTurn(step) };
