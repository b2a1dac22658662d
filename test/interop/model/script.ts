/**
 * What the scripted model answers, whatever API it is asked through. The script stands in the user's message:
 *
 *   [[say N WORD]]          WORD-1 to WORD-N, one a piece
 *   [[slow MS]]             with that many milliseconds between the pieces
 *   [[read FILE]]           calls the agent's tool that reads a file
 *   [[edit FILE | A | B]]   … that replaces A by B
 *   [[write FILE | TEXT]]   … that writes a whole file
 *   [[bash COMMAND]]        … that runs a command
 *
 * Texts are whole lines, with `\n` between them. Calls are made in their order, each when the one before has its result.
 * After the last comes a closing text that does not quote it: what a test finds on the screen is from the tool.
 */

export interface Message {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  /** Whether it calls tools. */
  calls: boolean;
}

export interface Tool {
  name: string;
  /** Takes text instead of named arguments. */
  custom: boolean;
  /** Names of its arguments. */
  properties: string[];
}

export interface Conversation {
  messages: Message[];
  tools: Tool[];
  /** Names of the fields of a JSON answer, where one is wanted. */
  fields?: string[];
}

export interface Call {
  name: string;
  /** Text for a custom tool, else its arguments. */
  input: string | Record<string, string>;
}

export interface Reply {
  pieces: string[];
  call: Call | null;
  pauseMs: number;
}

type Kind = 'read' | 'edit' | 'write' | 'bash';

/** Names that agents give their tools. */
const TOOLS: Record<Kind, RegExp> = {
  read: /^read(_file)?$/i,
  edit: /^(edit|string_replace)$/i,
  write: /^write(_file)?$/i,
  bash: /^(bash|execute_bash|exec_command|shell)$/i,
};
/** Names that they give to arguments, and what these are of a script line's parts. */
const ARGUMENTS: [RegExp, (parts: string[]) => string | undefined][] = [
  [/^(file_?)?path$/i, ([file]) => file],
  [/^old_?(string|str)$/i, ([, before]) => before],
  [/^new_?(string|str)$/i, ([, , after]) => after],
  [/^content$/i, ([, text]) => `${text}\n`],
  [/^(command|cmd)$/i, ([command]) => command],
  [/^description$/i, () => 'A step of the script'],
];

const MARKER = /\[\[(say|slow|read|edit|write|bash) (.+?)\]\]/g;

export function reply(conversation: Conversation): Reply {
  const { messages, tools, fields } = conversation;
  if (fields)
    return text(JSON.stringify(Object.fromEntries(fields.map((name) => [name, 'scripted']))));
  // Titles and summaries are asked for without tools.
  if (tools.length === 0) return text('Scripted');
  const start = messages.findLastIndex(({ role, text }) => role === 'user' && text.match(MARKER));
  const markers = Array.from(messages[start]?.text.matchAll(MARKER) ?? [], (m) => [m[1]!, m[2]!]);
  const { say = '0', slow = '2' } = Object.fromEntries(markers) as Record<string, string>;
  const wanted = markers.filter(([kind]) => isKind(kind!));
  const made = messages.slice(start + 1).filter(({ calls }) => calls).length;
  const [kind, line] = wanted[made] ?? [];
  const pauseMs = Number(slow);
  if (kind && line) {
    const parts = line.split(' | ').map((part) => part.replaceAll('\\n', '\n'));
    return { pieces: made === 0 ? said(say) : [], pauseMs, call: call(kind as Kind, parts, tools) };
  }
  if (made > 0) return text('The tool was called.');
  const pieces = said(say);
  return { pieces: pieces.length > 0 ? pieces : ['No script.'], pauseMs, call: null };
}

function isKind(kind: string): kind is Kind {
  return kind in TOOLS;
}

function text(piece: string): Reply {
  return { pieces: [piece], call: null, pauseMs: 0 };
}

/** Numbered, so that no agent takes it for a model that loops. */
function said(line: string): string[] {
  const [count, word] = line.split(' ');
  return Array.from({ length: Number(count) }, (_, i) => `${word}-${i + 1} `);
}

function call(kind: Kind, parts: string[], tools: Tool[]): Call {
  const tool = tools.find(({ name }) => TOOLS[kind].test(name));
  if (tool) {
    const values = tool.properties.map((name) => {
      const [, value] = ARGUMENTS.find(([pattern]) => pattern.test(name)) ?? [];
      return [name, value?.(parts)] as const;
    });
    const known = values.filter((entry): entry is [string, string] => entry[1] !== undefined);
    return { name: tool.name, input: Object.fromEntries(known) };
  }
  // Codex reads by a command and edits by a patch.
  if (kind === 'read') return call('bash', [`cat ${parts[0]}`], tools);
  const patch = tools.find(({ name }) => name === 'apply_patch');
  if (patch && kind !== 'bash') {
    const input = `*** Begin Patch\n${hunk(kind, parts)}*** End Patch`;
    return { name: patch.name, input: patch.custom ? input : { input } };
  }
  throw new Error(`no tool for ${kind} among ${tools.map(({ name }) => name).join(', ')}`);
}

function hunk(kind: 'edit' | 'write', [file, ...texts]: string[]): string {
  const lines = (mark: string, text = '') => `${text.replace(/^/gm, mark)}\n`;
  const [before, after] = texts;
  if (kind === 'write') return `*** Add File: ${file}\n${lines('+', before)}`;
  return `*** Update File: ${file}\n@@\n${lines('-', before)}${lines('+', after)}`;
}
