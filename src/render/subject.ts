import path from 'node:path';
import type { ToolBlock } from '../session/model';
import type { Icons } from './icons';
import { oneLine, quoted, sanitize, unmask } from '../text';

/** What a tool call is about: `Run` `node --test`, `Read` `src/main.py:3`. */
export interface Subject {
  verb: string;
  text: string;
  /** A path is shown as one. */
  isPath: boolean;
}

const VERBS: Record<string, string> = {
  read: 'Read',
  edit: 'Edit',
  execute: 'Run',
  search: 'Search',
  fetch: 'Fetch',
  move: 'Move',
  delete: 'Delete',
  think: 'Think',
  switch_mode: 'Switch mode',
  other: 'Tool',
};
/** Kinds that are about files. */
const FILES = ['read', 'edit', 'delete', 'move'];

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function verbOf(kind: string): string {
  const known = Object.hasOwn(VERBS, kind) ? VERBS[kind] : undefined;
  if (known) return known;
  const own = oneLine(kind).replaceAll('_', ' ');
  return own ? own.charAt(0).toUpperCase() + own.slice(1) : 'Tool';
}

/** The exact command of a tool call, whatever its title says. */
function commandOf(block: ToolBlock): string | null {
  if (FILES.includes(block.toolKind) || !isRecord(block.rawInput)) return null;
  const { command, cmd, args } = block.rawInput;
  const given = command ?? cmd;
  const argv = (list: unknown): string[] | null =>
    Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : null;
  if (typeof given === 'string' && given.trim()) {
    return [given, ...(argv(args) ?? []).map(quoted)].join(' ');
  }
  const list = argv(given);
  return list && list.length > 0 ? list.map(quoted).join(' ') : null;
}

/** `file` relative to the session's folder, where it is inside. */
export function relative(file: string, cwd: string): string {
  const inside = path.isAbsolute(file) ? path.relative(cwd, file) : file;
  const outside = inside === '' || inside === '..' || inside.startsWith('../');
  return oneLine(outside ? file : inside);
}

/** Paths of a tool call, without repetitions: those it names, else those of its diffs. */
export function pathsOf(block: ToolBlock): { path: string; line?: number }[] {
  const named: { path: string; line?: number }[] =
    block.locations.length > 0 ? block.locations : [];
  const diffs = block.content.flatMap((item) =>
    item.type === 'diff' ? [{ path: item.path }] : [],
  );
  const paths = new Map<string, { path: string; line?: number }>();
  for (const place of [...named, ...diffs])
    if (!paths.has(place.path)) paths.set(place.path, place);
  return [...paths.values()];
}

/** `:3` or `:3-9`. */
function lineRange(block: ToolBlock, line: number | undefined): string {
  if (line === undefined) return '';
  const limit = isRecord(block.rawInput) ? block.rawInput.limit : undefined;
  const lines = block.toolKind === 'read' && Number.isSafeInteger(limit) ? Number(limit) : 0;
  if (lines > 1) return `:${line}-${line + lines - 1}`;
  // Some agents name the first line of whatever they read.
  return line > 1 ? `:${line}` : '';
}

function fileSubject(block: ToolBlock, cwd: string, icons: Icons): string {
  const places = pathsOf(block).map(
    ({ path: file, line }) => relative(file, cwd) + lineRange(block, line),
  );
  const arrow = block.toolKind === 'move' && places.length === 2;
  return arrow ? places.join(icons.arrow) : places.join(' ');
}

/** The title without backticks around it, the verb that stands before it, and absolute paths of the session's folder. */
function titleOf(block: ToolBlock, verb: string, cwd: string): string {
  const title = oneLine(block.title).replaceAll(cwd.endsWith('/') ? cwd : `${cwd}/`, '');
  const bare = /^`([^`]+)`$/.exec(title)?.[1] ?? title;
  const [first] = bare.split(' ', 1) as [string];
  const rest = bare.slice(first.length).trim();
  return rest && first.toLowerCase() === verb.toLowerCase() ? rest : bare;
}

export function subjectOf(block: ToolBlock, cwd: string, icons: Icons): Subject {
  const verb = verbOf(block.toolKind);
  if (FILES.includes(block.toolKind)) {
    const files = fileSubject(block, cwd, icons);
    if (files) return { verb, text: files, isPath: true };
  }
  const named =
    ['search', 'think', 'switch_mode'].includes(block.toolKind) && block.title.trim() !== '';
  const command = named ? null : commandOf(block);
  if (command !== null) return { verb, text: oneLine(command, icons.newline), isPath: false };
  const url =
    block.toolKind === 'fetch' && isRecord(block.rawInput) ? block.rawInput.url : undefined;
  const text = typeof url === 'string' ? oneLine(url) : titleOf(block, verb, cwd);
  return { verb, text, isPath: false };
}

/** Lines that say in full what a question is about, where the card's first line does not. */
export function askedInFull(block: ToolBlock, shown: string, cwd: string): string[] {
  const command = commandOf(block);
  if (command !== null) {
    const lines = unmask(sanitize(command)).trim().split('\n');
    return lines.length === 1 && lines[0] === shown ? [] : lines;
  }
  const paths = pathsOf(block).map((place) => relative(place.path, cwd));
  const full = paths.length > 0 ? paths : [oneLine(block.title)];
  return full.every((text) => shown.includes(text)) ? [] : full;
}
