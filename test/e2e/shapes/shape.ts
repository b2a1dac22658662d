/** What agents of all shapes share: a wish of the model becomes steps of a scripted agent. */
import { posix } from 'node:path';
import type { Step } from '../../harness';

/** What the model wants. `from` is a whole line without its end that stands once in the file, `to` what it becomes. */
export type Act =
  | Edit
  | { create: string; text: string }
  | { remove: string }
  /** With the line `two` changed to `TWO`. */
  | { rename: string; to: string }
  /** A command that says nothing of the files it changes. */
  | { run: string };

export interface Edit {
  edit: string;
  from: string;
  to: string;
  /** The user saves the file before this is allowed. */
  saved?: true;
}

/** The files as they are when the turn begins. */
export interface Project {
  bytes: (name: string) => Buffer;
  /** Its text as it is, decoded as it is encoded. */
  text: (name: string) => string;
  /** Bytes of the text that the edit makes, encoded as it was: what a careful tool writes. */
  careful: (edit: Edit) => Buffer;
  isReadOnly: (name: string) => boolean;
  /** No buffer holds the files. */
  closed: boolean;
  /** The name behind a link. */
  real: (name: string) => string;
}

/** How one agent tells of what the model wants, asks for it, and does it. */
export interface Shape {
  name: string;
  /** Only the editor writes for it: a proposal may be changed by hand. */
  throughUs: boolean;
  /** All steps of a turn between the prompt and its end, which is among them. `id` is unique. */
  turn: (acts: Act[], project: Project, id: string) => Step[];
}

export const HERE = '${new.params.cwd}';
export const at = (name: string): string => posix.join(HERE, name);

export const end = (stopReason = 'end_turn'): Step => ({ reply: { stopReason }, to: 'prompt' });

/** A turn in which one thing is done after the other. */
export const inTurn =
  (one: (act: Act, project: Project, id: string) => Step[]): Shape['turn'] =>
  (acts, project, id) => [...acts.flatMap((act, i) => one(act, project, `${id}-${i}`)), end()];

export const call = (toolCallId: string, fields: object): Step => ({
  update: { sessionUpdate: 'tool_call', toolCallId, ...fields },
});
export const update = (toolCallId: string, fields: object): Step => ({
  update: { sessionUpdate: 'tool_call_update', toolCallId, ...fields },
});
export const says = (text: string): object => ({
  type: 'content',
  content: { type: 'text', text },
});
export const diff = (name: string, oldText: string | null, newText: string): object => ({
  type: 'diff',
  path: at(name),
  oldText,
  newText,
});

/** A request that is answered while the steps go on; see `answered`. */
export const request = (as: string, method: string, params: Record<string, unknown>): Step => ({
  request: { method, params },
  as: as.replaceAll('-', '_'),
});
export const answered = (as: string): Step => ({ answer: as.replaceAll('-', '_') });

export type Options = [id: string, name: string, kind: string][];

/** Asks about a call, and goes on as the user says. */
export function ask(
  toolCallId: string,
  toolCall: object,
  options: Options,
  then: { allowed: Step[]; rejected: Step[] },
): Step[] {
  const as = `ask_${toolCallId}`.replaceAll('-', '_');
  const idOf = (kind: string): string => options.find((option) => option[2] === kind)![0];
  return [
    request(as, 'session/request_permission', {
      toolCall: { toolCallId, ...toolCall },
      options: options.map(([optionId, name, kind]) => ({ optionId, name, kind })),
    }),
    answered(as),
    { when: [`\${${as}.outcome.optionId}`, idOf('allow_once')], steps: then.allowed },
    { when: [`\${${as}.outcome.optionId}`, idOf('reject_once')], steps: then.rejected },
  ];
}

/** Has `command` give a file its bytes, at once: one that is read meanwhile must not be found empty. */
const into = (name: string, command: string): string =>
  `new=$(mktemp) && ${command} > $new && chmod 644 $new && cp $new '${name}'; rm $new`;
const bytesFrom = (bytes: Buffer): string => `printf %s '${bytes.toString('base64')}' | base64 -d`;

/** Writes a file in place: through links, and not where it is read-only. */
export const overwrite = (name: string, bytes: Buffer): Step => ({
  sh: into(name, bytesFrom(bytes)),
});
/** Puts another file in its place. */
export const replace = (name: string, bytes: Buffer, mode: string): Step => ({
  sh: `${bytesFrom(bytes)} > .new && chmod ${mode} .new && mv -f .new '${name}'`,
});
/** Changes the file as it stands when the step is done, in place; `also`: another command for `sed`. */
export const patch = ({ edit, from, to }: Edit, also = ''): Step => ({
  sh: into(edit, `sed 's/^${from}/${to}/;${also}' '${edit}'`),
});

/** What is not UTF-8 is lost in text that is read as such, and when that is written. */
export const lossy = (bytes: Buffer, { from, to }: Edit): [before: string, after: string] => {
  const before = bytes.toString('utf8');
  return [before, before.replace(from, to)];
};
export const isUtf8 = (bytes: Buffer): boolean => Buffer.from(bytes.toString('utf8')).equals(bytes);
export const isUtf16 = (bytes: Buffer): boolean => bytes.includes(0);

/** What models do whose tools can't: `iconv … | sed … | iconv …`. */
export const byCommand = (edit: Edit, project: Project): { run: string } => ({
  run: into(edit.edit, bytesFrom(project.careful(edit))),
});

/** What no tool is for. */
export function commandOf(
  act: { remove: string } | { rename: string; to: string } | { run: string },
): string {
  if ('remove' in act) return `rm '${act.remove}'`;
  return 'rename' in act ? moved(act) : act.run;
}

export const moved = ({ rename, to }: { rename: string; to: string }): string =>
  `sed 's/^two/TWO/' '${rename}' > '${to}' && rm '${rename}'`;
