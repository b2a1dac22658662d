/**
 * What the scripted model answers, whatever API it is asked through. The script stands in the user's message:
 *
 *   [[say N WORD]]          WORD-1 to WORD-N, one a piece
 *   [[slow MS]]             with that many milliseconds between the pieces
 *   [[read FILE]]           calls the agent's tool that reads a file
 *   [[edit FILE | A | B]]   … that replaces A by B
 *   [[write FILE | TEXT]]   … that writes a whole file
 *   [[bash COMMAND]]        … that runs a command
 *   [[agent STEP]]          … that starts a subagent, whose script is that: `read FILE`
 *   [[tool NAME JSON]]      calls the tool of a server of the user's, with those arguments
 *   [[plan TEXT]]           proposes a plan, in the file that the agent named for it or in its last words
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
  /** Of the server that has it, where it is told apart from the name. */
  namespace?: string;
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
  namespace?: string;
  /** Text for a custom tool, else its arguments. */
  input: string | Record<string, unknown>;
}

export interface Reply {
  pieces: string[];
  call: Call | null;
  pauseMs: number;
}

type Kind = 'read' | 'edit' | 'write' | 'bash' | 'agent';

/** The tool by which a model looks for other tools. */
export const SEARCH = 'tool_search';

/** Names that agents give their tools. */
const TOOLS: Record<Kind, RegExp> = {
  read: /^read(_file)?$/i,
  edit: /^(edit|string_replace)$/i,
  write: /^write(_file)?$/i,
  bash: /^(bash|execute_bash|exec_command|shell)$/i,
  agent: /^(agent|task|spawn_agent)$/i,
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

/** The same of a subagent: each agent has a kind of its own that can do anything. */
const subagentArguments = (tool: string): typeof ARGUMENTS => [
  [/^(prompt|message|task)$/i, ([step]) => `[[${step}]]`],
  [/^(description|task_name)$/i, () => 'helper'],
  [/^subagent_type$/i, () => (/^agent$/i.test(tool) ? 'general-purpose' : 'general')],
];

const MARKER = /\[\[(say|slow|read|edit|write|bash|agent|tool|plan) (.+?)\]\]/g;

export function reply(conversation: Conversation): Reply {
  const { messages, tools, fields } = conversation;
  if (fields)
    return text(JSON.stringify(Object.fromEntries(fields.map((name) => [name, 'scripted']))));
  // Titles and summaries are asked for without tools.
  if (tools.length === 0) return text('Scripted');
  const start = messages.findLastIndex(({ role, text }) => role === 'user' && text.match(MARKER));
  const markers = Array.from(messages[start]?.text.matchAll(MARKER) ?? [], (m) => [m[1]!, m[2]!]);
  const { say = '0', slow = '2', plan } = Object.fromEntries(markers) as Record<string, string>;
  const planFile = plan && planFileOf(messages);
  const wanted = markers.flatMap(([kind, line]) => {
    if (planFile && kind === 'plan')
      return [
        ['write', `${planFile} | ${line}`],
        ['tool', 'ExitPlanMode {}'],
      ];
    return kind === 'tool' || isKind(kind!) ? [[kind, line]] : [];
  });
  const since = messages.slice(start + 1);
  const made = since.filter(({ calls }) => calls).length;
  const [kind, line] = wanted[made] ?? [];
  const pauseMs = Number(slow);
  if (kind && line) {
    const parts = line.split(' | ').map((part) => part.replaceAll('\\n', '\n'));
    const searched = made === 0 && since.some(({ role }) => role === 'assistant');
    const step = kind === 'tool' ? theirs(line, tools, searched) : call(kind as Kind, parts, tools);
    if (!step) return text('That tool is not there yet.');
    return { pieces: made === 0 ? said(say) : [], pauseMs, call: step };
  }
  if (made > 0) return text('The tool was called.');
  if (plan) {
    const proposed = `<proposed_plan>\n${plan.replaceAll('\\n', '\n')}\n</proposed_plan>\n`;
    return text(since.some(({ role }) => role === 'assistant') ? 'Carried out.' : proposed);
  }
  const pieces = said(say);
  return { pieces: pieces.length > 0 ? pieces : ['No script.'], pauseMs, call: null };
}

/** The file that an agent wants a plan to be written to, where it names one. */
function planFileOf(messages: Message[]): string | undefined {
  const found = messages.map(({ text }) => /create your plan at (\S+\.md)/.exec(text)?.[1]);
  return found.findLast((file) => file !== undefined);
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
    const wanted = kind === 'agent' ? subagentArguments(tool.name) : ARGUMENTS;
    const values = tool.properties.map((name) => {
      const [, value] = wanted.find(([pattern]) => pattern.test(name)) ?? [];
      return [name, value?.(parts)] as const;
    });
    const known = values.filter((entry): entry is [string, string] => entry[1] !== undefined);
    const { name, namespace } = tool;
    const input = Object.fromEntries(known);
    return { name, input, ...(namespace !== undefined && { namespace }) };
  }
  // Codex reads by a command and edits by a patch.
  if (kind === 'read') return call('bash', [`cat ${parts[0]}`], tools);
  const patch = tools.find(({ name }) => name === 'apply_patch');
  if (patch && (kind === 'edit' || kind === 'write')) {
    const input = `*** Begin Patch\n${hunk(kind, parts)}*** End Patch`;
    return { name: patch.name, input: patch.custom ? input : { input } };
  }
  throw new Error(`no tool for ${kind} among ${tools.map(({ name }) => name).join(', ')}`);
}

/**
 * A tool of a server of the user's, where it is there: agents put the server's name before its own. Where it is not, a search
 * for it, if that can be had and was not made.
 */
function theirs(line: string, tools: Tool[], searched: boolean): Call | null {
  const [, wanted, json] = /^(\S+) (.*)$/.exec(line) ?? [];
  const tool = tools.find(({ name }) => name === wanted || name.endsWith(`_${wanted}`));
  if (!tool) {
    const search = !searched && tools.some(({ name }) => name === SEARCH);
    return search ? { name: SEARCH, input: { query: wanted, limit: 8 } } : null;
  }
  const { name, namespace } = tool;
  const input = JSON.parse(json ?? '{}') as Record<string, unknown>;
  return { name, input, ...(namespace !== undefined && { namespace }) };
}

function hunk(kind: 'edit' | 'write', [file, ...texts]: string[]): string {
  const lines = (mark: string, text = '') => `${text.replace(/^/gm, mark)}\n`;
  const [before, after] = texts;
  if (kind === 'write') return `*** Add File: ${file}\n${lines('+', before)}`;
  return `*** Update File: ${file}\n@@\n${lines('-', before)}${lines('+', after)}`;
}
