/** What a vendor calls itself, its keys and its methods stand in `acp/extensions` alone; commands to start agents in the presets. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const EXTENSIONS = join(ROOT, 'src/acp/extensions');
const PRESETS = join(ROOT, 'lua/acp/presets.lua');

/** Files of a folder, and of all below it. */
function files(dir: string, ending: string): string[] {
  return readdirSync(join(ROOT, dir), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(ROOT, dir, name));
}

/** Lines that are no comments. */
function code(file: string): string[] {
  return readFileSync(file, 'utf8')
    .replace(/\/\*.*?\*\//gs, (comment) => comment.replace(/[^\n]/g, ' '))
    .split('\n')
    .filter((line) => !/^\s*(\/\/|--)/.test(line));
}

/** `needle` as a word of its own, where a word may be a part of a name in camelCase. */
function word(needle: string): RegExp {
  return new RegExp(`(?<![A-Za-z])${needle}(?![a-z])`, 'i');
}

/** `file: line` for each line in which something stands that should not. */
function found(among: readonly string[], needles: readonly RegExp[]): string[] {
  return among.flatMap((file) =>
    code(file)
      .filter((line) => needles.some((needle) => needle.test(line)))
      .map((line) => `${relative(ROOT, file)}: ${line.trim()}`),
  );
}

/** Names of all known agents, but for those that are words of a text editor, too, and whatever else vendors go by. */
const NAMES = [
  ...[...readFileSync(PRESETS, 'utf8').matchAll(/\bname = '([\w-]+)'/g)].map(([, name]) => name!),
  ...['anthropic', 'jetbrains', 'air', 'zed', 'craft', 'openai', 'openhands', 'vibe'],
].filter((name) => name !== 'cursor');

/** Keys of `_meta` that look like any other name. */
const KEYS = [
  ...['claudeCode', 'toolResponse', 'parentToolUseId', 'nonExecutionKind', 'subagent-transcript'],
  ...[
    'terminal_info',
    'terminal_output',
    'terminal_output_delta',
    'terminal_exit',
    'mcp_output_delta',
  ],
  ...['terminal-auth', 'api-key', 'piAcp', 'autoResolutionMs', 'streaming-preview'],
  ...['subagent_spawned', 'async_task_spawned'],
];

const sources = files('src', '.ts').filter((file) => !file.startsWith(EXTENSIONS));
const lua = [...files('lua', '.lua'), ...files('plugin', '.lua')].filter(
  (file) => file !== PRESETS,
);

describe('the code outside of dialects', () => {
  it('names no vendor', () => {
    expect(NAMES.length).toBeGreaterThan(20);
    expect(found([...sources, ...lua], NAMES.map(word))).toEqual([]);
    expect(found(sources, [/['"`]_?cursor\/|cursor[-_](agent|acp)/])).toEqual([]);
  });

  it('has none of their keys and methods', () => {
    const text = readdirSync(EXTENSIONS)
      .flatMap((name) => code(join(EXTENSIONS, name)))
      .join('\n');
    // Methods and keys that have a slash or begin with an underscore; ACP has those of `auth`, too.
    const named = [...text.matchAll(/'(_?[a-z]\w*(?:\/[\w/-]+)|_[a-z]\w+)'/g)].map(
      ([, name]) => name!,
    );
    const theirs = [...new Set([...named, ...KEYS])].filter((name) => !name.startsWith('auth/'));
    expect(KEYS.filter((key) => !new RegExp(`\\b${key}\\b`).test(text))).toEqual([]);
    expect(named).toEqual(expect.arrayContaining(['cursor/ask_question', '_claude/rateLimit']));
    expect(
      found(
        [...sources, ...lua],
        theirs.map((name) => new RegExp(`\\b${name}\\b`)),
      ),
    ).toEqual([]);
  });

  it('reaches them through their index, or by what they offer', () => {
    const imports = found(sources, [/from '[./]*\/extensions\//]);
    expect(imports.filter((line) => !/\/(index|extension|steering|fork-at)'/.test(line))).toEqual(
      [],
    );
  });
});
