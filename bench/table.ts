interface RowSpec {
  title: string;
  unit: 'ms' | 'MB' | '×';
  /** What it should not exceed; with `floor`, what the floor takes. */
  limit?: number | 'floor';
}

export const ROWS = {
  flood: { title: '50,000 chunks, until the last is on screen', unit: 'ms', limit: 'floor' },
  floodCpu: { title: '  processor time of Neovim', unit: 'ms', limit: 'floor' },
  floodSidecar: { title: '  processor time of the sidecar', unit: 'ms' },
  floodWorst: { title: '  longest wait for an answer', unit: 'ms', limit: 50 },
  floodP99: { title: '  wait for an answer, 99th percentile', unit: 'ms', limit: 16 },
  toolWorst: { title: 'tool output of 8 MB in one frame: longest wait', unit: 'ms', limit: 50 },
  messageWorst: { title: 'message of 8 MB in one frame: longest wait', unit: 'ms', limit: 50 },
  draft: { title: '20,000 chunks of a draft, and the text in its place', unit: 'ms' },
  draftWorst: { title: '  longest wait for an answer', unit: 'ms', limit: 50 },
  child: { title: '20,000 chunks of a subagent, with 200 tool calls', unit: 'ms' },
  childWorst: { title: '  longest wait for an answer', unit: 'ms', limit: 50 },
  deltas: { title: '10 MB of output of a command, in pieces of 4 KB', unit: 'ms' },
  deltasWorst: { title: '  longest wait for an answer', unit: 'ms', limit: 50 },
  resend: { title: '300 KB of output of a command, sent whole 200 times', unit: 'ms' },
  resendWorst: { title: '  longest wait for an answer', unit: 'ms', limit: 50 },
  dripMedian: { title: 'chunk each 20 ms until on screen, median', unit: 'ms', limit: 3 },
  dripP99: { title: '  99th percentile', unit: 'ms', limit: 16 },
  chunkShort: { title: 'processor time of a chunk at 1,000 lines', unit: 'ms' },
  chunkLong: { title: '  at 100,000 lines', unit: 'ms' },
  chunkRatio: { title: '  ratio', unit: '×', limit: 1.2 },
  baselineFirst: { title: '50,000 files: first record, with an index of git', unit: 'ms' },
  baselineAlone: { title: '  first record, without', unit: 'ms' },
  baseline: { title: '  record of a turn', unit: 'ms', limit: 300 },
  baselineChanged: { title: '  with 20 files changed', unit: 'ms', limit: 300 },
  baselineUnsaved: { title: '  with an unsaved buffer', unit: 'ms', limit: 300 },
  proposalFloat: {
    title: 'proposal for 20,000 lines, until it is in the float',
    unit: 'ms',
    limit: 300,
  },
  proposalFloatWorst: { title: '  longest wait for an answer', unit: 'ms', limit: 50 },
  proposalInline: { title: '  until it is inline', unit: 'ms', limit: 300 },
  proposalInlineWorst: { title: '  longest wait for an answer', unit: 'ms', limit: 50 },
  reloadWorst: { title: '20,000 lines changed on disk: longest wait', unit: 'ms', limit: 50 },
  startup: { title: "added to Neovim's start", unit: 'ms', limit: 1 },
  resident: { title: 'sidecar at rest', unit: 'MB', limit: 70 },
} satisfies Record<string, RowSpec>;

export type Row = keyof typeof ROWS;

export interface Results {
  floor: Map<Row, number>;
  plugin: Map<Row, number>;
}

function number(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–';
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

function line(row: Row, { floor, plugin }: Results): string[] {
  const spec: RowSpec = ROWS[row];
  const limit = spec.limit === 'floor' ? floor.get(row) : spec.limit;
  const value = plugin.get(row);
  const verdict = limit === undefined || value === undefined ? '' : value <= limit ? '✓' : '✗';
  const wanted = spec.limit === undefined ? '' : `≤ ${spec.limit}`;
  return [spec.title, spec.unit, number(floor.get(row)), number(value), wanted, verdict];
}

/** One table for each Neovim. */
export function table(results: Map<string, Results>, runs: number): string {
  const parts = [...results].map(([version, result]) => {
    const head = [`Neovim ${version}, medians of ${runs}`, '', 'floor', 'plugin', 'wanted', ''];
    const rows = [head, ...(Object.keys(ROWS) as Row[]).map((row) => line(row, result))];
    const widths = head.map((_, col) => Math.max(...rows.map((row) => row[col]?.length ?? 0)));
    return rows
      .map((row) =>
        row
          .map((cell, col) =>
            col < 2 || col > 3 ? cell.padEnd(widths[col] ?? 0) : cell.padStart(widths[col] ?? 0),
          )
          .join('  ')
          .trimEnd(),
      )
      .join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}
