/**
 * OpenCode: the question has the whole file. Once it is allowed, the editor is told to write the file, and meanwhile the
 * file is written in place, with the text that was proposed.
 */
import { createTwoFilesPatch } from 'diff';
import type { Step } from '../../harness';
import {
  answered,
  ask,
  at,
  byCommand,
  call,
  commandOf,
  diff,
  HERE,
  inTurn,
  isUtf16,
  lossy,
  overwrite,
  request,
  says,
  update,
  type Act,
  type Edit,
  type Options,
  type Project,
  type Shape,
} from './shape';

const OPTIONS: Options = [
  ['once', 'Allow once', 'allow_once'],
  ['always', 'Always allow', 'allow_always'],
  ['reject', 'Reject', 'reject_once'],
];
const REJECTED = 'The user rejected permission to use this specific tool call.';

const begun = (id: string, title: string, kind: string, locations: object[] = []): Step =>
  call(id, { title, kind, status: 'pending', locations, rawInput: {} });

const failed = (id: string, error: string, more: object): Step =>
  update(id, { status: 'failed', ...more, content: [says(error)], rawOutput: { error } });

/** As it is shown: without the carriage returns of the file. */
function patchOf(name: string, before: string, after: string): string {
  const [old, now] = [before, after].map((text) => text.replaceAll('\r\n', '\n'));
  return createTwoFilesPatch(at(name), at(name), old!, now!, undefined, undefined, { context: 4 });
}

/** Both are set off at once; which is done first is anybody's guess. */
type Order = 'at once' | 'editor first' | 'disk first' | 'disk slowly';

/** The file written through the editor and on disk. */
function both(order: Order, name: string, after: string, id: string): Step[] {
  const told = request(`write-${id}`, 'fs/write_text_file', { path: at(name), content: after });
  const done = answered(`write-${id}`);
  const written = overwrite(name, Buffer.from(after));
  // The file is empty for a while.
  const begun: Step[] = order === 'disk slowly' ? [{ sh: `: > '${name}'` }, { delay: 50 }] : [];
  if (order === 'editor first') return [told, done, written];
  return order === 'disk first' ? [written, told, done] : [told, ...begun, written, done];
}

function file(
  act: Edit | { create: string; text: string },
  project: Project,
  id: string,
  order: Order,
): Step[] {
  const isEdit = 'edit' in act;
  const [name, title] = isEdit ? [act.edit, 'edit'] : [act.create, 'write'];
  const [before, after] = isEdit ? lossy(project.bytes(name), act) : ['', act.text];
  const locations = [{ path: at(name) }];
  const rawInput = isEdit
    ? { filePath: at(name), oldString: act.from, newString: act.to }
    : { filePath: at(name), content: act.text };
  const running = { kind: 'edit', title, locations, rawInput };
  const proposal = {
    title: at(name),
    kind: 'edit',
    status: 'pending',
    locations,
    rawInput: { filepath: at(name), diff: patchOf(name, before, after) },
    content: [diff(name, before, after)],
  };
  const piece = isEdit ? [diff(name, act.from, act.to)] : [];
  const done = [
    ...both(order, name, after, id),
    update(id, { status: 'in_progress', ...running }),
    update(id, {
      status: 'completed',
      title: name,
      content: [says('Edit applied successfully.'), ...piece],
      rawOutput: { output: 'Edit applied successfully.', metadata: { truncated: false } },
    }),
  ];
  const fails = [
    request(`write-${id}`, 'fs/write_text_file', { path: at(name), content: after }),
    answered(`write-${id}`),
    failed(id, 'EACCES: permission denied', running),
  ];
  return [
    begun(id, title, 'edit'),
    update(id, { status: 'in_progress', ...running }),
    ...ask(id, proposal, OPTIONS, {
      allowed: isEdit && project.isReadOnly(name) ? fails : done,
      rejected: [failed(id, REJECTED, running)],
    }),
  ];
}

function bash(command: string, id: string): Step[] {
  const locations = [{ path: HERE }];
  const running = { kind: 'execute', title: command, locations, rawInput: { command, cwd: HERE } };
  const question = { title: command, kind: 'execute', status: 'pending', locations: [] };
  return [
    begun(id, 'bash', 'execute', locations),
    update(id, { status: 'in_progress', ...running }),
    ...ask(id, { ...question, rawInput: { command } }, OPTIONS, {
      allowed: [
        { sh: command },
        update(id, { status: 'in_progress', ...running, content: [says('')] }),
        update(id, { status: 'completed', title: command, rawOutput: { output: '' } }),
      ],
      rejected: [failed(id, REJECTED, running)],
    }),
  ];
}

const step =
  (order: Order) =>
  (act: Act, project: Project, id: string): Step[] => {
    // It finds nothing to replace in bytes that are no text to it.
    if ('edit' in act && isUtf16(project.bytes(act.edit))) {
      return bash(byCommand(act, project).run, id);
    }
    return 'edit' in act || 'create' in act
      ? file(act, project, id, order)
      : bash(commandOf(act), id);
  };

export const opencode: Shape = {
  name: 'OpenCode',
  throughUs: false,
  turn: inTurn(step('at once')),
};

/** Where the order is certain. */
export const ORDERS: Shape[] = (['editor first', 'disk first', 'disk slowly'] as const).map(
  (order) => ({
    ...opencode,
    name: `OpenCode, ${order},`,
    turn: inTurn(step(order)),
  }),
);
