import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { nvimVersion, startNvim, tempDir } from '../test/harness';
import { baseline } from './baseline';
import { edits } from './edits';
import { Chat, floor, plugin } from './clients';
import type { Client } from './clients';
import { cpu, median, pinged, quantile, resident, startupCost } from './measure';
import { table } from './table';
import type { Row, Results } from './table';

const RUNS = Number(process.env['RUNS'] || 3);
const CHUNKS = 50_000;
/** How often that many chunks hold the code of the page that they are cut from. */
const PAGES = 181;
const FRAME = 8 * 1024 * 1024;
const DRIP = '250 20';
const REST_MS = 2000;

async function chat(program: string, client: Client): Promise<Chat> {
  const nvim = await startNvim({ program, columns: 120, lines: 40 });
  const opened = new Chat(nvim, client);
  await opened.open();
  return opened;
}

/** Processor time of Neovim, and of the sidecar where there is one, while `work` runs. */
async function spent(chat: Chat, work: () => Promise<unknown>): Promise<number[]> {
  const pids = await chat.pids();
  const before = pids.map(cpu);
  await work();
  return pids.map((pid, index) => cpu(pid) - (before[index] ?? NaN));
}

type Add = (row: Row, value: number) => void;

async function flood(chat: Chat, add: Add): Promise<void> {
  let wall = NaN;
  const work = async () => void (wall = await chat.turn(`flood ${CHUNKS}`));
  let pings: number[] = [];
  const [nvim = NaN, sidecar] = await spent(
    chat,
    async () => (pings = await pinged(chat.nvim, work)),
  );
  expect(await chat.count('export function compareIdentifiers')).toBe(PAGES);
  add('flood', wall);
  add('floodCpu', nvim);
  if (sidecar !== undefined) add('floodSidecar', sidecar);
  add('floodWorst', Math.max(...pings));
  add('floodP99', quantile(pings, 0.99));
}

async function bigFrames(chat: Chat, add: Add): Promise<void> {
  for (const [kind, row] of [
    ['tool', 'toolWorst'],
    ['message', 'messageWorst'],
  ] as const) {
    const pings = await pinged(chat.nvim, async () => void (await chat.turn(`${kind} ${FRAME}`)));
    add(row, Math.max(...pings));
  }
}

/** Other ways in which agents tell much: the prompt, its rows, and what is in the transcript then. */
const WAYS = [
  ['draft 20000', 'draft', 'draftWorst', 'export function compareIdentifiers'],
  ['child 20000', 'child', 'childWorst', 'Agent  child'],
  ['deltas 10000000', 'deltas', 'deltasWorst', 'compiling src/module'],
  ['resend 300000 200', 'resend', 'resendWorst', '199 compiling src/module'],
] as const;

async function ways(chat: Chat, add: Add): Promise<void> {
  if (chat.client !== plugin) return;
  for (const [prompt, row, worst, shown] of WAYS) {
    let took = NaN;
    const pings = await pinged(chat.nvim, async () => void (took = await chat.turn(prompt)));
    expect(await chat.count(shown), prompt).toBeGreaterThan(0);
    add(row, took);
    add(worst, Math.max(...pings));
  }
}

/** From the agent's write to the flush after which the chunk is on the screen, for each chunk; both clocks are one. */
async function latencies(chat: Chat): Promise<number[]> {
  const seen = new Map<number, number>();
  const unlisten = chat.nvim.grid.onFlush(() => {
    const now = Number(process.hrtime.bigint()) / 1000;
    for (const [, seq, sent] of chat.nvim.screen().matchAll(/@(\d+):(\d+)@/g))
      if (!seen.has(Number(seq))) seen.set(Number(seq), (now - Number(sent)) / 1000);
  });
  await chat.turn(`drip ${DRIP}`);
  unlisten();
  return [...seen.values()];
}

async function drip(chat: Chat, add: Add): Promise<void> {
  const all = await latencies(chat);
  expect(all.length).toBe(Number(DRIP.split(' ')[0]));
  add('dripMedian', median(all));
  add('dripP99', quantile(all, 0.99));
}

/** Processor time of all that is ours for one chunk on its own, with a short and with a long transcript. */
async function length(chat: Chat, add: Add): Promise<void> {
  const chunks = Number(DRIP.split(' ')[0]);
  const cost = async () => {
    const times = await spent(chat, () => chat.turn(`drip ${DRIP}`));
    return times.reduce((sum, it) => sum + it, 0) / chunks;
  };
  await chat.turn('lines 1000');
  const short = await cost();
  await chat.turn('lines 99000');
  await new Promise((done) => setTimeout(done, REST_MS));
  const long = await cost();
  add('chunkShort', short);
  add('chunkLong', long);
  add('chunkRatio', long / short);
}

async function rest(chat: Chat, add: Add): Promise<void> {
  if (chat.client !== plugin) return;
  await new Promise((done) => setTimeout(done, REST_MS));
  const [, sidecar = 0] = await chat.pids();
  add('resident', resident(sidecar));
}

/** `ONLY=flood,baseline` takes some. */
const isWanted = ({ name }: { name: string }): boolean =>
  process.env['ONLY']?.split(',').includes(name) ?? true;

/** Each in a Neovim of its own. */
const MEASURES = [flood, bigFrames, ways, drip, length, rest].filter(isWanted);

async function measure(program: string): Promise<Results> {
  const samples = { floor: new Map<Row, number[]>(), plugin: new Map<Row, number[]>() };
  const adder =
    (client: Client): Add =>
    (row, value) => {
      const all = samples[client.name];
      all.set(row, [...(all.get(row) ?? []), value]);
    };
  for (let run = 0; run < RUNS; run++) {
    for (const take of MEASURES) {
      for (const client of [floor, plugin]) {
        const opened = await chat(program, client);
        await take(opened, adder(client));
        await opened.nvim.close();
      }
    }
    if (isWanted(edits)) {
      const start = () => startNvim({ program, columns: 160, lines: 50 });
      await edits(start, tempDir(), adder(plugin));
    }
    if (isWanted(baseline)) await baseline(adder(plugin));
    for (let n = 0; n < 5; n++) adder(plugin)('startup', startupCost(program));
  }
  const medians = (client: Client) =>
    new Map([...samples[client.name]].map(([row, values]) => [row, median(values)]));
  return { floor: medians(floor), plugin: medians(plugin) };
}

test('speed', async () => {
  const programs = [process.env['NVIM_0_10'], process.env['NVIM_0_12']].filter((it) => !!it);
  const results = new Map<string, Results>();
  for (const program of programs as string[])
    results.set(nvimVersion(program), await measure(program));
  expect(results.size).toBeGreaterThan(0);
  const machine = `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`;
  writeFileSync(resolve('.cache/bench.txt'), `${table(results, RUNS)}\n${machine}\n`);
});
