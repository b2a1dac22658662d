/**
 * What an agent is about to do to files, read from the arguments of its tool: agents share a few shapes, under many
 * names. Only what has one meaning is read; of anything else nothing is claimed.
 */
import path from 'node:path';
import { normalise } from '../diff/text';
import type { ToolBlock } from '../session/model';
import { parsePatch, type FilePatch } from './patch';
import {
  changesMeaning,
  DELETES,
  first,
  FROM,
  HARMLESS,
  isFields,
  LISTS,
  MOVES,
  numbered,
  PAIRS,
  PATCH,
  PATH,
  PATHS,
  times,
  TO,
  WHOLE,
  WRITES,
  type Fields,
} from './shapes';

/** One text for another. */
export interface Replacement {
  oldText: string;
  newText: string;
  /** How often the old text stands in the file; `all`: any number of times. */
  times: number | 'all';
}

/** What happens to one file. */
export type Change = {
  /** Absolute: where the file is afterwards. */
  path: string;
  /** Where it was, when it moves. */
  from?: string;
} & (
  | { type: 'text'; text: string }
  | {
      type: 'replace';
      items: Replacement[];
      /** Each has to be about the file as it was too, not only as the one before leaves it. */
      original: boolean;
      /** A text that is taken away takes the newline behind it along. */
      dropsLine: boolean;
    }
  /** After line `line`. */
  | { type: 'insert'; line: number; text: string }
  | { type: 'patch'; patch: FilePatch }
  | { type: 'delete' }
  | { type: 'move' }
  /** Something else, or in a way that isn't certain: these texts for those. */
  | { type: 'unsure'; items: { oldText: string; newText: string }[] }
);

export type Call = Pick<ToolBlock, 'toolKind' | 'title' | 'locations' | 'rawInput'>;
/** Reads one call; a file has to be named by it. */
class Reader {
  readonly #call: Call;
  readonly #cwd: string;

  constructor(call: Call, cwd: string) {
    this.#call = call;
    this.#cwd = cwd;
  }

  changes(): Change[] | null {
    const { rawInput, toolKind } = this.#call;
    if (HARMLESS.includes(toolKind)) return null;
    if (typeof rawInput === 'string') return this.#patch(rawInput, undefined);
    if (!isFields(rawInput)) return null;
    const file = this.#path(first(rawInput, PATH));
    return (
      this.#list(rawInput.files) ??
      this.#map(rawInput.changes) ??
      this.#replacements(rawInput, file) ??
      this.#whole(rawInput, file) ??
      this.#patch(first(rawInput, PATCH), file) ??
      this.#deleted(rawInput, file) ??
      this.#moved(rawInput)
    );
  }

  /** Absolute; nothing for what can't be a path here. */
  #path(name: string | undefined): string | undefined {
    if (!name || name.includes('\0') || name.startsWith('~') || /^\w[\w+.-]+:/.test(name)) return;
    return path.resolve(this.#cwd, name);
  }

  /** The one file that the call says it is about. */
  #located(): string | undefined {
    const { locations, toolKind } = this.#call;
    const paths = new Set(locations.map((location) => location.path));
    return paths.size === 1 && toolKind === 'edit' ? this.#path([...paths][0]) : undefined;
  }

  #replacements(fields: Fields, named: string | undefined): Change[] | null {
    if (fields.command === 'insert') return this.#inserted(fields, named);
    const list = LISTS.map((name) => fields[name]).find(Array.isArray) as unknown[] | undefined;
    const items = list ?? numbered(fields) ?? [fields];
    const changes = new Map<string, Extract<Change, { type: 'replace' }>>();
    for (const item of items) {
      if (!isFields(item)) return null;
      const names = PAIRS.find((pair) => pair.every((name) => typeof item[name] === 'string'));
      const file = this.#path(first(item, PATH)) ?? named ?? this.#located();
      if (!names || !file) return null;
      const change = changes.get(file) ?? {
        path: file,
        type: 'replace',
        items: [],
        // Agents that share these names don't agree on which of both they mean.
        original: names[0] === 'oldText',
        // Claude's rule; others that share its names send whole files.
        dropsLine: names[0] === 'old_string',
      };
      const [oldText, newText] = names.map((name) => normalise(item[name] as string)) as [
        string,
        string,
      ];
      change.items.push({ oldText, newText, times: times({ ...fields, ...item }) });
      changes.set(file, change);
    }
    const all = [...changes.values()];
    const plain = [fields, ...items].every((item) => !changesMeaning(item as Fields));
    return all.length === 0 ? null : plain ? all : all.map(unsure);
  }

  #inserted(fields: Fields, file: string | undefined): Change[] | null {
    const text = first(fields, ['insert_text', 'new_str', 'text']);
    const line = fields.insert_line;
    if (!file || text === undefined || typeof line !== 'number') return null;
    const change = { path: file, text: normalise(text) };
    // Whether a newline at its end makes an empty line differs.
    const certain = Number.isSafeInteger(line) && line >= 0 && !text.endsWith('\n');
    if (certain) return [{ ...change, type: 'insert', line }];
    return [{ path: file, type: 'unsure', items: [{ oldText: '', newText: change.text }] }];
  }

  #whole(fields: Fields, named: string | undefined): Change[] | null {
    const { toolKind, title } = this.#call;
    if (toolKind !== 'edit' && !WRITES.test(title)) return null;
    const content = first(fields, WHOLE);
    const file = named ?? this.#located();
    if (content === undefined || !file) return null;
    const text = normalise(content);
    if (!changesMeaning(fields)) return [{ path: file, type: 'text', text }];
    return [{ path: file, type: 'unsure', items: [{ oldText: '', newText: text }] }];
  }

  #patch(text: string | undefined, named: string | undefined): Change[] | null {
    if (text === undefined) return null;
    const files = parsePatch(normalise(text));
    if (!files) return null;
    const changes = files.map((patch) => {
      // Patches that are made to be shown shorten names.
      const alone = files.length === 1 && !patch.from ? (named ?? this.#located()) : undefined;
      return this.#patched(patch, alone ?? this.#path(patch.path));
    });
    return changes.every((change) => change !== null) ? changes : null;
  }

  #patched(patch: FilePatch, file: string | undefined): Change | null {
    const from = patch.from === undefined ? undefined : this.#path(patch.from);
    if (!file || (patch.from !== undefined && !from)) return null;
    if (patch.action === 'delete') return { path: file, type: 'delete' };
    if (patch.action === 'add' && patch.format === 'apply_patch') {
      const lines = patch.hunks.flatMap(({ after }) => after);
      return { path: file, type: 'text', text: lines.map((line) => `${line}\n`).join('') };
    }
    const change: Change = { path: file, type: 'patch', patch };
    return from === undefined ? change : { ...change, from };
  }

  /** Codex: `{ path: { type, … } }`, also `{ path: { add: { … } } }` and a list. */
  #map(value: unknown): Change[] | null {
    if (Array.isArray(value)) return this.#list(value);
    if (!isFields(value)) return null;
    return this.#list(
      Object.entries(value).map(([name, change]) => {
        if (!isFields(change)) return null;
        const [type, inner] = Object.entries(change)[0] ?? [];
        const nested = isFields(inner) && ['add', 'update', 'delete'].includes(type!);
        return { ...(nested ? { ...inner, type } : change), path: name };
      }),
    );
  }

  /** A list of files, each with what happens to it. */
  #list(value: unknown): Change[] | null {
    if (!Array.isArray(value) || value.length === 0) return null;
    const changes = value.map((item) => (isFields(item) ? this.#listed(item) : null));
    return changes.every((change) => change !== null) ? changes : null;
  }

  #listed(item: Fields): Change | null {
    const kind = isFields(item.kind) ? item.kind : item;
    const type = first(kind, ['type', 'kind']) ?? '';
    const name = this.#path(first(item, PATH));
    const target = first(kind, ['move_path', 'movePath']);
    const to = target === undefined ? name : this.#path(target);
    if (!name || !to) return null;
    const where = to === name ? { path: name } : { path: to, from: name };
    if (type === 'delete') return { path: name, type: 'delete' };
    const text = first(item, ['content', 'after']);
    if (text !== undefined && ['add', 'update', 'move'].includes(type)) {
      return { ...where, type: 'text', text: normalise(text) };
    }
    const patch = first(item, ['unified_diff', 'patch', 'diff']);
    if (patch === undefined) return null;
    // Of a new file Codex gives the text where the diff belongs.
    const files = parsePatch(normalise(patch));
    if (type === 'add' && !files && item.kind !== undefined) {
      return { ...where, type: 'text', text: normalise(patch) };
    }
    if (files?.length !== 1) return null;
    const change = this.#patched({ ...files[0]!, path: to }, to);
    return change && { ...change, ...where };
  }

  #deleted(fields: Fields, file: string | undefined): Change[] | null {
    const { toolKind, title } = this.#call;
    if (toolKind !== 'delete' && !DELETES.test(title)) return null;
    const list = PATHS.map((name) => fields[name]).find(Array.isArray) as unknown[] | undefined;
    const files = list
      ? list.map((name) => (typeof name === 'string' ? this.#path(name) : undefined))
      : [file];
    if (files.length === 0 || !files.every((name) => name !== undefined)) return null;
    return files.map((name) => ({ path: name, type: 'delete' }));
  }

  #moved(fields: Fields): Change[] | null {
    const { toolKind, title } = this.#call;
    if (toolKind !== 'move' && !MOVES.test(title)) return null;
    const from = this.#path(first(fields, FROM));
    const to = this.#path(first(fields, TO));
    return from && to ? [{ path: to, from, type: 'move' }] : null;
  }
}

function unsure(change: Extract<Change, { type: 'replace' }>): Change {
  return { path: change.path, type: 'unsure', items: change.items };
}

/** What the input of a tool call says that happens to files; `null` where that isn't plain. */
export function changesOf(call: Call, cwd: string): Change[] | null {
  return new Reader(call, cwd).changes();
}
