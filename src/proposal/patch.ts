/**
 * Patches as agents write them: unified diffs (of git and of libraries) and `*** Begin Patch`. What is not plainly one
 * of these is nothing.
 */

/** Lines that replace others, without their line ends. */
export interface Hunk {
  before: string[];
  after: string[];
  /** 0-based index in the old file, where the patch says it. */
  at?: number;
  /** Lines that stand before it, each behind the last one. */
  anchors: string[];
  /** It stands at the end of the file. */
  atEnd: boolean;
  /** Whether the last line of each side ends with a newline; matters where it is the last one of the file. */
  newline: [before: boolean, after: boolean];
}

export interface FilePatch {
  format: 'unified' | 'apply_patch';
  action: 'add' | 'update' | 'delete';
  /** As it is written; '' for a unified diff without names. */
  path: string;
  /** The name that the file had, where it gets another. */
  from?: string;
  hunks: Hunk[];
}

const BEGIN = '*** Begin Patch';
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
/** With these lines another file begins. */
const BEGINS = /^(?:diff --git|Index:) /;
const GIT_NAME = /^diff --git a\/(.+) b\/\1$/;
/** Lines that say nothing of the text. */
const HEADER = /^(?:index |=+$|(?:old|new) mode |(?:dis)?similarity index )/;
const NONE = '/dev/null';

/** The files of a patch, in order; `null` for what is none, or not whole. `text`: lines end in `\n`. */
export function parsePatch(text: string): FilePatch[] | null {
  const begin = text.indexOf(BEGIN);
  if (begin >= 0 && (begin === 0 || text[begin - 1] === '\n')) {
    return parseApplyPatch(text.slice(begin).split('\n'));
  }
  return parseUnified(text.split('\n'));
}

// `*** Begin Patch`

const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;

function parseApplyPatch(lines: string[]): FilePatch[] | null {
  const end = lines.findIndex((line) => line.trim() === '*** End Patch');
  if (end < 0) return null;
  const files: FilePatch[] = [];
  for (let i = 1; i < end;) {
    const [, word, name] = FILE.exec(lines[i]!.trimEnd()) ?? [];
    if (name === undefined) return null;
    i++;
    const action = word!.toLowerCase() as FilePatch['action'];
    const file: FilePatch = { format: 'apply_patch', action, path: name, hunks: [] };
    const to = action === 'update' ? MOVE.exec(lines[i]!.trimEnd())?.[1] : undefined;
    if (to !== undefined) {
      Object.assign(file, { path: to, from: name });
      i++;
    }
    const start = i;
    while (i < end && !FILE.test(lines[i]!)) i++;
    const hunks = bodyOf(action, lines.slice(start, i));
    if (hunks === null || (action === 'update' && hunks.length === 0 && !file.from)) return null;
    file.hunks = hunks;
    files.push(file);
  }
  return files.length > 0 ? files : null;
}

function bodyOf(action: FilePatch['action'], lines: string[]): Hunk[] | null {
  switch (action) {
    case 'delete':
      return lines.every((line) => line === '') ? [] : null;
    case 'add':
      if (!lines.every((line) => line.startsWith('+'))) return null;
      return [newHunk({ after: lines.map((line) => line.slice(1)) })];
    case 'update':
      return updateOf(lines);
  }
}

function updateOf(lines: string[]): Hunk[] | null {
  const hunks: Hunk[] = [];
  let hunk: Hunk | null = null;
  for (const line of lines) {
    if (line.startsWith('@@')) {
      const anchor = line.slice(2).replace(/^ /, '');
      // Several in a row narrow the place down, as a class and its method do.
      if (!hunk || hunk.before.length + hunk.after.length > 0) hunks.push((hunk = newHunk({})));
      if (anchor !== '') hunk.anchors.push(anchor);
      continue;
    }
    if (line.trimEnd() === '*** End of File') {
      if (!hunk) return null;
      hunk.atEnd = true;
      hunk = null;
      continue;
    }
    if (!hunk) hunks.push((hunk = newHunk({})));
    if (!takeLine(hunk, line)) return null;
  }
  return hunks.every(({ before, after }) => before.length + after.length > 0) ? hunks : null;
}

// Unified diffs

function parseUnified(lines: string[]): FilePatch[] | null {
  const files: FilePatch[] = [];
  /** Whether what comes belongs to the last file. */
  let open = false;
  const file = (): FilePatch => {
    if (!open) files.push({ format: 'unified', action: 'update', path: '', hunks: [] });
    open = true;
    return files.at(-1)!;
  };
  for (let i = 0; i < lines.length;) {
    const line = lines[i]!;
    const hunk = HUNK.test(line) ? hunkAt(lines, i) : null;
    if (hunk) {
      file().hunks.push(hunk.hunk);
      i = hunk.end;
    } else if (line.startsWith('--- ') && lines[i + 1]?.startsWith('+++ ')) {
      if (open && file().hunks.length > 0) open = false;
      if (!takeNames(file(), line.slice(4), lines[i + 1]!.slice(4))) return null;
      i += 2;
    } else {
      if (BEGINS.test(line)) open = false;
      if (!takeHeader(file, line)) return null;
      i++;
    }
  }
  const changes = ({ action, from, hunks }: FilePatch): boolean =>
    action !== 'update' || from !== undefined || hunks.length > 0;
  return files.length > 0 && files.every(changes) ? files : null;
}

/** Takes a line that stands around hunks; false for one that could mean anything. */
function takeHeader(file: () => FilePatch, line: string): boolean {
  const [, word, value] =
    /^(rename from|rename to|new file mode|deleted file mode) (.+)$/.exec(line) ?? [];
  switch (word) {
    case 'rename from':
      file().from = value!;
      return true;
    case 'rename to':
      file().path = value!;
      return true;
    case 'new file mode':
      file().action = 'add';
      return true;
    case 'deleted file mode':
      file().action = 'delete';
      return true;
    default:
  }
  // Files without hunks are named here only.
  if (line.startsWith('diff --git ')) file().path = GIT_NAME.exec(line)?.[1] ?? '';
  return line === '' || BEGINS.test(line) || HEADER.test(line);
}

/** Takes the names of the lines `---` and `+++`; false for those that can't be read. */
function takeNames(file: FilePatch, oldName: string, newName: string): boolean {
  // Git quotes what isn't ASCII; others write the time behind the name.
  if (oldName.startsWith('"') || newName.startsWith('"')) return false;
  let from = oldName.replace(/\t.*$/, '').trimEnd();
  let to = newName.replace(/\t.*$/, '').trimEnd();
  if (from === NONE) file.action = 'add';
  else if (to === NONE) file.action = 'delete';
  if ((from === NONE || from.startsWith('a/')) && (to === NONE || to.startsWith('b/'))) {
    from = from.replace(/^a\//, '');
    to = to.replace(/^b\//, '');
  }
  file.path = file.action === 'delete' ? from : to;
  if (file.action === 'update' && from !== to) file.from = from;
  return true;
}

/** The hunk whose head is line `start`; `null` when its lines are not as many as it says. */
function hunkAt(lines: string[], start: number): { hunk: Hunk; end: number } | null {
  const [, oldStart, oldCount, , newCount] = HUNK.exec(lines[start]!)!;
  const counts = [Number(oldCount ?? 1), Number(newCount ?? 1)] as const;
  // A hunk without old lines names the line before it.
  const hunk = newHunk({ at: Number(oldStart) - (counts[0] === 0 ? 0 : 1) });
  let i = start + 1;
  while (hunk.before.length < counts[0] || hunk.after.length < counts[1]) {
    const line = lines[i];
    // Behind the last newline there is no line.
    if (line === undefined || (line === '' && i === lines.length - 1)) return null;
    if (line.startsWith('\\')) noNewline(hunk, lines[i - 1]!);
    else if (!takeLine(hunk, line)) return null;
    i++;
  }
  if (lines[i]?.startsWith('\\')) noNewline(hunk, lines[i++ - 1]!);
  const { before, after } = hunk;
  return before.length === counts[0] && after.length === counts[1] ? { hunk, end: i } : null;
}

function noNewline(hunk: Hunk, line: string): void {
  if (!line.startsWith('+')) hunk.newline[0] = false;
  if (!line.startsWith('-')) hunk.newline[1] = false;
}

// Both

function newHunk(fields: Partial<Hunk>): Hunk {
  return { before: [], after: [], anchors: [], atEnd: false, newline: [true, true], ...fields };
}

/** Takes a line with its sign; false when it has none. Some editors drop the blank of an empty unchanged line. */
function takeLine({ before, after }: Hunk, line: string): boolean {
  const sign = line.charAt(0);
  if (!['', ' ', '-', '+'].includes(sign)) return false;
  const text = line.slice(1);
  if (sign !== '+') before.push(text);
  if (sign !== '-') after.push(text);
  return true;
}
