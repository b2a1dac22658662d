/** The names that agents give to the fields of their tools. */

export type Fields = Record<string, unknown>;

export const PATH = [
  'file_path',
  'filePath',
  'filepath',
  'path',
  'absolute_path',
  'absolutePath',
  'abs_path',
  'fileName',
  'file_name',
  'filename',
  'target_file',
  'targetFile',
  'relativePath',
  'file',
];
export const PATHS = ['file_paths', 'filePaths', 'paths'];
export const FROM = ['source', 'source_path', 'sourcePath', 'src', 'from', 'old_path', 'oldPath'];
export const TO = [
  'destination',
  'destination_path',
  'destinationPath',
  'dest',
  'dst',
  'to',
  'new_path',
];
/** Names of an old and a new text. */
export const PAIRS = [
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['old_str', 'new_str'],
  ['oldStr', 'newStr'],
  ['oldText', 'newText'],
  ['old_text', 'new_text'],
] as const;
export const LISTS = ['edits', 'replacements', 'str_replace_entries'];
export const WHOLE = ['content', 'contents', 'file_text', 'newFileContents'];
export const PATCH = ['patch', 'patchText', 'patch_text', 'diff', 'unified_diff', 'input'];
const ALL = ['replace_all', 'replaceAll', 'allow_multiple'];
/** Fields that change what the others mean. */
const OTHERWISE =
  /append|prepend|regex|encoding|base64|^mode$|offset|position|^(?:start|end)_?line/i;

/** Kinds of tools that leave files as they are, or change them in ways that their input doesn't tell. */
export const HARMLESS = ['read', 'search', 'fetch', 'execute', 'think', 'switch_mode'];
/** What tools are called that say only `other` of what they do. */
export const WRITES = /^write$|^(?:write|create|save)[ _-](?:to[ _-])?files?\b/i;
export const DELETES = /^(?:delete|remove)[ _-]files?\b/i;
export const MOVES = /^(?:move|rename)[ _-]files?\b/i;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function first(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

export function changesMeaning(fields: Fields): boolean {
  return Object.entries(fields).some(
    ([name, value]) => OTHERWISE.test(name) && Boolean(value) && !/^utf-?8$/i.test(String(value)),
  );
}

/** How often the old text has to stand in the file. */
export function times(fields: Fields): number | 'all' {
  if (ALL.some((name) => fields[name] === true)) return 'all';
  const expected = fields.expected_replacements;
  return typeof expected === 'number' ? expected : 1;
}

/** Replacements as fields with numbers: `old_str_1`, `new_str_1`, `old_str_2` … */
export function numbered(fields: Fields): Fields[] | null {
  const items: Fields[] = [];
  for (let i = 1; typeof fields[`old_str_${i}`] === 'string'; i++) {
    items.push({ old_str: fields[`old_str_${i}`], new_str: fields[`new_str_${i}`] });
  }
  return items.length > 0 ? items : null;
}

/** The files that an input names, as it writes them. */
export function namedPaths(rawInput: unknown): string[] {
  if (!isFields(rawInput)) return [];
  const moved = [first(rawInput, FROM), first(rawInput, TO)];
  const list = PATHS.map((name) => rawInput[name]).find(Array.isArray) as unknown[] | undefined;
  const names = moved.every(Boolean) ? moved : (list ?? [first(rawInput, PATH)]);
  return names.filter((name): name is string => typeof name === 'string' && name !== '');
}
