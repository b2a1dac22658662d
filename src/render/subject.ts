import path from 'node:path';
import { changesOf } from '../proposal/input';
import { namedPaths } from '../proposal/shapes';
import type { ToolBlock } from '../session/model';
import { count, oneLine, quoted } from '../text';
import type { Icons } from './icons';
import { inputLines } from './input';

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
const EDITS = ['view', 'create', 'str_replace', 'insert', 'undo_edit'];
/** Lines of a question; the rest is in the details. */
const MOST_ASKED = 200;

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
  const { command, cmd, args, path: file } = block.rawInput;
  const given = command ?? cmd;
  // The words of a tool that edits files.
  if (typeof file === 'string' && EDITS.includes(String(given))) return null;
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

/** Paths of a tool call, without repetitions: those it names and those of its diffs, else those of its input. */
export function pathsOf(block: ToolBlock): { path: string; line?: number }[] {
  const diffs = block.content.flatMap((item) =>
    item.type === 'diff' ? [{ path: item.path }] : [],
  );
  let places: { path: string; line?: number }[] = [...block.locations, ...diffs];
  if (places.length === 0 && FILES.includes(block.toolKind)) {
    places = namedPaths(block.rawInput).map((file) => ({ path: file }));
  }
  const paths = new Map<string, { path: string; line?: number }>();
  for (const place of places) if (!paths.has(place.path)) paths.set(place.path, place);
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

/** What was worked out for a content and an input: neither is ever changed, and the status asks with each frame. */
const asked = new WeakMap<ToolBlock['content'], { input: unknown; lines: Map<string, string[]> }>();

/**
 * Lines that say in full what a question is about, where the card's first line and its diffs do not: the whole command,
 * paths, and what else the input says.
 */
export function askedInFull(block: ToolBlock, shown: string, cwd: string): string[] {
  const { content, rawInput, title, toolKind, locations } = block;
  let entry = asked.get(content);
  if (entry?.input !== rawInput) entry = undefined;
  if (!entry) asked.set(content, (entry = { input: rawInput, lines: new Map() }));
  const key = JSON.stringify([shown, cwd, title, toolKind, locations]);
  let lines = entry.lines.get(key);
  if (!lines) entry.lines.set(key, (lines = bounded(linesOf(block, shown, cwd))));
  return lines;
}

function bounded(lines: string[]): string[] {
  if (lines.length <= MOST_ASKED) return lines;
  const rest = count(lines.length - MOST_ASKED, 'more line');
  return [...lines.slice(0, MOST_ASKED), `… ${rest}: see the details`];
}

function linesOf(block: ToolBlock, shown: string, cwd: string): string[] {
  const command = commandOf(block);
  if (command !== null) return commandLines(block, command, shown, cwd);
  const input = hasWholeDiff(block, cwd) ? [] : unsaid(block, shown, cwd);
  const paths = pathsOf(block).map((place) => relative(place.path, cwd));
  const full = paths.length > 0 ? paths : [oneLine(block.title)];
  const named = full.every((text) => shown.includes(text)) ? [] : full;
  return [...named, ...input];
}

function commandLines(block: ToolBlock, command: string, shown: string, cwd: string): string[] {
  const lines = inputLines(command.trim());
  const { cwd: given, workdir, directory } = block.rawInput as Record<string, unknown>;
  const folder = [given, workdir, directory].find((value) => typeof value === 'string');
  const elsewhere =
    folder !== undefined && path.resolve(cwd, folder) !== path.resolve(cwd)
      ? [`in ${oneLine(folder)}`]
      : [];
  return lines.length === 1 && lines[0] === shown ? elsewhere : [...lines, ...elsewhere];
}

/** Whether the card's diffs are all that the call would do to files. */
function hasWholeDiff(block: ToolBlock, cwd: string): boolean {
  const diffs = block.content.flatMap((item) =>
    item.type === 'diff' ? [path.resolve(cwd, item.path)] : [],
  );
  const changes = changesOf(block, cwd) ?? [];
  return (
    diffs.length > 0 &&
    changes.every((change) => change.type !== 'unsure' && diffs.includes(change.path))
  );
}

/** The fields of a call's input that nothing else on its card says. */
function unsaid(block: ToolBlock, shown: string, cwd: string): string[] {
  const { rawInput, content, toolKind } = block;
  if (!isRecord(rawInput)) return inputLines(rawInput);
  const texts = content.flatMap((item) => (item.type === 'text' ? [item.text.trim()] : []));
  const words = ` ${shown.replace(/:\d+(?:-\d+)?(?=\s|$)/g, '')} `;
  const isSaid = (value: unknown): boolean => {
    if (value === null || value === false || value === '') return true;
    // Of what is read, the lines are in the title.
    if (typeof value === 'number' && toolKind === 'read') return true;
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    const text = oneLine(String(value));
    const said = [text, relative(text, cwd)].some((form) => words.includes(` ${form} `));
    return said || texts.includes(String(value).trim());
  };
  const fields = Object.entries(rawInput).filter(([, value]) => !isSaid(value));
  return inputLines(Object.fromEntries(fields));
}
