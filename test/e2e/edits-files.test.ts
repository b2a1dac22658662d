/** Agents of each shape, and files whose bytes are more than lines in UTF-8: what they are is kept, and comes back. */
import { chmodSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { Bench } from './edits';
import { SHAPES } from './shapes';
import { bytesOf, change, CHANGED, lines, TEXT, type Cell } from './shapes/cell';

const BOM = '\uFEFF';
const CRLF = TEXT.replaceAll('\n', '\r\n');
const GERMAN = TEXT.replace('one', 'grün');
const utf16 = (text: string): Buffer => Buffer.from(BOM + text, 'utf16le');
const BARE = 'one\ntwo';

const of = (name: string, before: Cell['files'][string]): Cell => ({
  files: { [name]: before },
  acts: [change(name)],
});
const CELLS: Record<string, Cell> = {
  crlf: of('crlf.txt', CRLF),
  bom: of('bom.txt', BOM + CRLF),
  bare: of('bare.txt', BARE),
  utf16: of('utf16.txt', utf16(CRLF)),
  latin1: of('latin1.txt', Buffer.from(GERMAN, 'latin1')),
  utf16Closed: { ...of('utf16-closed.txt', utf16(CRLF)), closed: true },
  latin1Closed: { ...of('latin1-closed.txt', Buffer.from(GERMAN, 'latin1')), closed: true },
  readOnly: of('locked.txt', { text: TEXT, mode: 0o444 }),
  link: {
    files: { 'real.txt': TEXT, 'link.txt': { link: 'real.txt' } },
    acts: [change('link.txt')],
  },
};
const HUNKS = [{ line: 2, count: 1, deleted: ['two'] }];
const ROWS = ['-two', '+TWO'];

describe.each(SHAPES)('$name’s edit', (shape) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await Bench.start(shape, CELLS, { git: false });
  });
  afterEach(() => bench.leave());

  /** Has the edit of the only file of a cell made, and taken back: `after` is in the file between. */
  async function madeAndTakenBack(
    id: string,
    after: Buffer,
    wanted: { rows?: string[]; hunks?: object[]; note?: string } = {},
  ): Promise<void> {
    const name = Object.keys(CELLS[id]!.files)[0]!;
    const before = bytesOf(CELLS[id]!.files[name]!);
    await bench.prepare(id);
    const buffer = await bench.buffer(name);
    await bench.prompt(id);
    const asked = await bench.allowAll();
    const rows = wanted.rows ?? ROWS;
    expect(asked.flatMap(({ files }) => files)).toEqual(
      rows.length > 0 ? [{ name, status: 'modified', piece: false, rows }] : [],
    );
    expect(bench.disk(name)).toEqual({ bytes: after, mode: 0o644 });
    if (buffer) expect(await bench.buffer(name)).toMatchObject({ modified: false });
    const { hunks = HUNKS, ...more } = wanted;
    const { note } = more;
    expect(await bench.review()).toMatchObject([
      { name, change: 'modified', hunks, ...(note && { note }) },
    ]);
    await bench.rejectAll();
    expect(bench.disk(name)).toEqual({ bytes: before, mode: 0o644 });
    if (buffer) await eventually(async () => expect(await bench.buffer(name)).toEqual(buffer));
    await bench.quiet();
  }

  /** Has an edit allowed that the editor then refuses to write. */
  async function refused(id: string): Promise<void> {
    const name = Object.keys(CELLS[id]!.files)[0]!;
    await bench.begin(id);
    await bench.allowAll();
    expect(bench.disk(name)).toEqual({ bytes: bytesOf(CELLS[id]!.files[name]!), mode: 0o644 });
    const { error } = bench.agent.received().findLast((answer) => answer.error)!;
    expect(error!.message).toMatch(/is not UTF-8/);
    expect(await bench.review()).toEqual([]);
    await bench.quiet();
  }

  it('of a file with CRLF keeps its line ends', async () => {
    await madeAndTakenBack('crlf', Buffer.from(CRLF.replace('two', 'TWO')));
  });

  it('of a file with a byte order mark keeps it', async () => {
    await madeAndTakenBack('bom', Buffer.from(BOM + CRLF.replace('two', 'TWO')));
  });

  it('of a file without a final newline adds one only where the agent does', async () => {
    await (shape.name === 'Codex'
      ? madeAndTakenBack('bare', Buffer.from('one\nTWO\n'), {
          rows: ['-two ⟨no newline at end of file⟩', '+TWO'],
        })
      : madeAndTakenBack('bare', Buffer.from('one\nTWO')));
  });

  it.each(['utf16', 'utf16Closed'])('of a file in UTF-16 keeps its encoding: %s', async (id) => {
    const commands = ['Codex', 'OpenCode', 'Nanocoder', ...(id === 'utf16' ? [] : ['Gemini'])];
    const rows = commands.includes(shape.name) ? [] : ROWS;
    await madeAndTakenBack(id, utf16(CRLF.replace('two', 'TWO')), { rows });
  });

  it.each(['latin1', 'latin1Closed'])(
    'of a file in Latin-1 shows what the agent spoils, and its bytes come back: %s',
    async (id) => {
      const exact = Buffer.from(GERMAN.replace('two', 'TWO'), 'latin1');
      const spoilt = Buffer.from(Buffer.from(GERMAN, 'latin1').toString().replace('two', 'TWO'));
      if (shape.name === 'Codex') return madeAndTakenBack(id, exact, { rows: [] });
      if (shape.name === 'Gemini') {
        return id === 'latin1' ? madeAndTakenBack(id, exact) : refused(id);
      }
      return madeAndTakenBack(id, spoilt, {
        note: 'encoding latin1 → utf-8',
        hunks: [{ line: 1, count: 2, deleted: ['grün', 'two'] }],
        // A piece of it does not tell.
        ...(shape.name !== 'Claude' && { rows: ['-grün', '-two', '+gr\uFFFDn', '+TWO'] }),
      });
    },
  );

  it('of a read-only file is made only by putting another in its place', async () => {
    const replaced = shape.name === 'Claude';
    const text = replaced ? CHANGED : TEXT;
    await bench.begin('readOnly');
    await bench.allowAll();
    expect(bench.disk('locked.txt')).toEqual({ bytes: Buffer.from(text), mode: 0o444 });
    const held = { lines: lines(text), modified: false };
    expect(await bench.buffer('locked.txt')).toMatchObject(held);
    const listed = replaced ? [{ name: 'locked.txt', change: 'modified', hunks: HUNKS }] : [];
    expect(await bench.review()).toMatchObject(listed);
    await bench.quiet();
    if (!replaced) return;

    // It is as much the user's to write it as for all who respect it.
    await bench.pressReject();
    await eventually(async () => expect(await bench.nvim.messages()).toMatch(/read-only/));
    expect(bench.disk('locked.txt')!.bytes.toString()).toBe(CHANGED);
    chmodSync(bench.path('locked.txt'), 0o644);
    await bench.nvim.command('wincmd t | setlocal noreadonly');
    await bench.rejectAll();
    expect(bench.disk('locked.txt')!.bytes.toString()).toBe(TEXT);
    await eventually(async () =>
      expect(await bench.buffer('locked.txt')).toMatchObject({ lines: lines(TEXT) }),
    );
  });

  it('through a symbolic link changes the file behind it, and leaves the link', async () => {
    await bench.begin('link', ['link.txt']);
    const asked = await bench.allowAll();
    expect(asked).toMatchObject([{ files: [{ name: 'link.txt', piece: false, rows: ROWS }] }]);
    const held = (text: string) => ({ bytes: Buffer.from(text), link: 'real.txt' });
    expect(bench.disk('link.txt')).toMatchObject(held(CHANGED));
    expect(bench.disk('real.txt')).toEqual({ bytes: Buffer.from(CHANGED), mode: 0o644 });
    expect(await bench.buffer('link.txt')).toMatchObject({
      lines: lines(CHANGED),
      modified: false,
    });
    expect(await bench.review()).toMatchObject([{ name: 'real.txt', hunks: HUNKS }]);
    await bench.rejectAll();
    expect(bench.disk('link.txt')).toMatchObject(held(TEXT));
    expect(bench.disk('real.txt')).toEqual({ bytes: Buffer.from(TEXT), mode: 0o644 });
    await eventually(async () =>
      expect(await bench.buffer('link.txt')).toMatchObject({ lines: lines(TEXT), modified: false }),
    );
    await bench.quiet();
  });
});
