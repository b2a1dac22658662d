import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { permissionRequest, updateEvents } from '../../src/acp/v1';
import { askedInFull } from '../../src/render/subject';
import { proposedDiffs } from '../../src/proposal/proposal';
import { newTranscript, type ToolBlock } from '../../src/session/model';
import { Reducer } from '../../src/session/reduce';

const LOGS = resolve(import.meta.dirname, '../fixtures/logs');
const CWD = '/project';
/** The project that the sessions were recorded in. */
const FILES = {
  'README.md': '# Fixture\n\nA tiny repository for recording agents.\n\n- one\n- two\n',
  'src/main.py':
    'def greet(name):\n    """Say hello."""\n    return f"Hello, {name}!"\n\n\ndef add(a, b):\n    return a + b\n\n\nif __name__ == "__main__":\n    print(greet("world"))\n',
  'src/util.js':
    'export function double(x) {\n  return x * 2;\n}\n\nexport function triple(x) {\n  return x * 3;\n}\n',
  'crlf.txt': 'first line\r\nsecond line\r\nthird line\r\n',
};
const DOUBLE = 'export function double(x) {';

interface Line {
  dir: string;
  frame?: {
    method?: string;
    params?: Json;
    result?: { outcome?: { outcome?: string; optionId?: string } };
    id?: unknown;
  };
  note?: { file?: string };
}
type Json = Record<string, unknown>;

const normal = (text: string): string => text.replaceAll('\r\n', '\n');
const allows = (option: string): boolean => /^(allow|once|always)/.test(option);

/** What a session was asked about edits, and what became of its files. */
class Replay {
  readonly files = new Map(Object.entries(FILES).map(([name, text]) => [join(CWD, name), text]));
  readonly asked: { tool: ToolBlock; texts: Map<string, string>; fragments: boolean }[] = [];
  readonly #transcript = newTranscript(CWD);
  readonly #reducer = new Reducer(this.#transcript);
  readonly #open = new Map<unknown, { tool: ToolBlock; texts: Map<string, string> }>();
  readonly #allowed = new Set<string>();
  #now = 0;

  async run(log: string): Promise<this> {
    for (const line of readFileSync(join(LOGS, `${log}.jsonl`), 'utf8')
      .trim()
      .split('\n')) {
      await this.#take(JSON.parse(line) as Line);
    }
    return this;
  }

  async #take({ dir, frame, note }: Line): Promise<void> {
    const params = frame?.params ?? {};
    if (note?.file !== undefined) this.#holds(join(CWD, 'crlf.txt'), note.file);
    if (frame?.method === 'session/update') this.#update(params.update as Json);
    if (frame?.method === 'session/request_permission') await this.#question(frame.id, params);
    if (frame?.method === 'fs/write_text_file') {
      this.#holds(params.path as string, params.content as string);
    }
    const option = frame?.result?.outcome?.optionId;
    if (dir === 'c2a' && option !== undefined) this.#answer(frame!.id, option);
  }

  #update(update: Json): void {
    for (const event of updateEvents(update)) this.#reducer.apply(event, this.#now++);
    const { claudeCode } = (update._meta ?? {}) as { claudeCode?: { toolResponse?: Json } };
    const { originalFile, filePath, oldString, newString } = claudeCode?.toolResponse ?? {};
    if (typeof originalFile === 'string' && typeof oldString === 'string') {
      this.#holds(
        filePath as string,
        originalFile.replace(oldString, () => newString as string),
      );
    }
  }

  /** The log says what is in a file now. */
  #holds(file: string, text: string): void {
    // Not all edits are asked about.
    if (this.#allowed.delete(file)) expect(normal(this.files.get(file)!), file).toBe(normal(text));
    else this.files.set(file, text);
  }

  async #question(id: unknown, params: Json): Promise<void> {
    const { patch, options } = permissionRequest(params);
    const tool = this.#reducer.toolOfQuestion('q', patch, this.#now);
    const readFile = async (file: string): Promise<string | null> => this.files.get(file) ?? null;
    const about = { cwd: CWD, readFile, stage: 'before', withText: true } as const;
    const { files, pieces } = await proposedDiffs(tool, about);
    const card = this.#reducer.questionAsked('q', tool, options, this.#now, pieces);
    const shown = files.length > 0 || askedInFull(card, '', CWD).length > 0;
    expect(shown, tool.title).toBe(true);
    const texts = new Map(files.map(({ path, text }) => [path, text ?? '']));
    this.#open.set(id, { tool: card, texts });
    if (card.toolKind === 'edit') {
      const fragments = files.some(({ fragment }) => fragment);
      this.asked.push({ tool: card, texts, fragments });
    }
  }

  #answer(id: unknown, option: string): void {
    const question = this.#open.get(id);
    if (!question) return;
    const chosen = question.tool.question!.options.find((candidate) => candidate.id === option)!;
    this.#reducer.questionAnswered(question.tool.id, chosen, this.#now);
    if (!allows(option)) return;
    for (const [file, text] of question.texts) {
      this.files.set(file, text);
      this.#allowed.add(file);
    }
  }
}

const AGENTS = ['claude', 'codex', 'nanocoder', 'opencode'];
const edited = (name: 'README.md' | 'src/main.py' | 'src/util.js', line: string): string =>
  FILES[name].replace(line, `${line} edited`);
const MAIN = edited('src/main.py', 'def greet(name):');
const NEW = 'created by the fake model\nsecond line\n';

/** What a recording leaves. */
const SCENARIOS: Record<string, (agent: string) => Record<string, string>> = {
  'edit-allow': () => ({ 'src/main.py': MAIN }),
  'edit-reject': () => ({ 'src/main.py': FILES['src/main.py'] }),
  'edit-twice': () => ({ 'src/main.py': MAIN.replace('a + b', 'b + a') }),
  'edit-two-files': () => ({ 'src/main.py': MAIN, 'src/util.js': edited('src/util.js', DOUBLE) }),
  'edit-crlf': () => ({ 'crlf.txt': 'first line edited\nsecond line\nthird line\n' }),
  write: () => ({ 'new/file.txt': NEW }),
  overwrite: (agent) => ({
    'README.md': agent === 'codex' ? edited('README.md', '# Fixture') : NEW,
  }),
};

describe.each(AGENTS)('the edits that %s asks about', (agent) => {
  test.each(Object.entries(SCENARIOS))(
    'in %s are shown whole, as they are made',
    async (name, left) => {
      const replay = await new Replay().run(`${agent}/${name}`);
      expect(replay.asked.length).toBeGreaterThan(0);
      expect(replay.asked.every(({ fragments, texts }) => !fragments && texts.size > 0)).toBe(true);
      for (const [file, text] of Object.entries(left(agent))) {
        expect(normal(replay.files.get(join(CWD, file))!), file).toBe(text);
      }
    },
  );
});

test('a patch of several files is shown whole', async () => {
  const { asked, files } = await new Replay().run('codex/patch');
  expect([...asked[0]!.texts.keys()]).toEqual(
    ['added.txt', 'src/main.py', 'src/util.js'].map((name) => join(CWD, name)),
  );
  expect(files.get('/project/added.txt')).toBe(NEW);
  expect(files.get('/project/src/main.py')).toBe(MAIN);
  expect(files.get('/project/src/util.js')).toBe(edited('src/util.js', DOUBLE));
});

test('an edit of text that is not in the file is shown as a piece', async () => {
  const { asked } = await new Replay().run('nanocoder/edit-fail');
  expect(asked).toHaveLength(1);
  expect(asked[0]!.fragments).toBe(true);
});

test('of every question in a recorded session something is shown', async () => {
  for (const agent of AGENTS) {
    for (const name of readdirSync(join(LOGS, agent))) {
      const log = join(agent, name.replace('.jsonl', ''));
      const { asked } = await new Replay().run(log);
      for (const { tool, texts } of asked)
        expect(texts.size, `${log} ${tool.title}`).toBeGreaterThan(0);
    }
  }
});
