/** What people see of a session in the list. */
import type { AgentInfo } from '../acp/capabilities';
import { compact } from '../acp/coerce';
import type { SessionRow } from '../nvim/protocol';
import type { StoredSummary } from '../store/store';
import { count, oneLine, toLines } from '../text';
import type { Listed } from './catalog-ask';

/** A session that is open here. */
export interface OpenSession {
  id: string;
  key: string | null;
  agent: string;
  agentSession: string | null;
  cwd: string;
  title: string | null;
  /** Gives it another title here. */
  rename(title: string): void;
}

/** All that is known of one session: at least one of the three. */
export interface Known {
  agent: string;
  agentSession: string | null;
  /** Real path of its folder. */
  folder: string;
  stored?: StoredSummary;
  listed?: Listed;
  open?: OpenSession;
}

/** Longer titles and lines are cut. */
const TITLE_LENGTH = 200;
const LINE_LENGTH = 400;
const PREVIEW_LINES = 60;

/** `info`: what the agent can do, if it was asked; `gone`: it does not know the session any more. */
export function rowOf(
  known: Known,
  { id, info, gone, now }: { id: string; info: AgentInfo | null; gone: boolean; now: number },
): SessionRow {
  const { agent, folder, stored, listed, open } = known;
  // A clock that is wrong would put its sessions before all others for ever.
  const times = [stored?.updated, listed?.updated].flatMap((it) => it ?? []);
  return compact({
    id,
    agent,
    cwd: folder,
    title: titleOf(known, info),
    updated: times.length > 0 ? Math.min(Math.max(...times), now) : undefined,
    state: open ? 'open' : stored?.busy ? 'busy' : gone ? 'gone' : 'saved',
    session: open?.id,
    stored: stored !== undefined,
    draft: stored?.draft ?? false,
    interrupted: stored !== undefined && stored.running && !stored.busy && !open,
    can: abilities(known, info, gone),
    preview: stored ? preview(stored) : [],
  });
}

/**
 * The agent's title, else ours, else the first prompt. Where the agent takes no titles, ours comes first: the user may
 * have given it.
 */
export function titleOf({ stored, listed, open }: Known, info: AgentInfo | null): string {
  const ours = open?.title ?? stored?.title;
  const titles = info && !info.rename ? [ours, listed?.title] : [listed?.title, ours];
  const first = stored?.first.trimStart().split('\n', 1)[0];
  for (const title of [...titles, first]) {
    const line = oneLine(title ?? '');
    if (line !== '') return cut(line, TITLE_LENGTH);
  }
  return 'untitled';
}

function abilities(known: Known, info: AgentInfo | null, gone: boolean): SessionRow['can'] {
  const { stored, open, agentSession } = known;
  // What another Neovim has open is its to write.
  const ours = stored !== undefined && (!stored.busy || open !== undefined);
  const theirs = agentSession !== null && !gone && info !== null;
  const can: SessionRow['can'] = [];
  if (theirs && info.fork) can.push('fork');
  if (ours || (theirs && info.rename && !stored?.busy)) can.push('rename');
  if (ours || (theirs && info.delete && !stored?.busy)) can.push('delete');
  return can;
}

/** How it began and what was said last. */
function preview({ first, last, prompts }: StoredSummary): string[] {
  const isAll = prompts <= 1 && last.length > 0;
  const begun = isAll || first.trim() === '' ? [] : toLines(first).map((line) => `> ${line}`);
  const between = prompts > 2 ? [`*… ${count(prompts - 2, 'more prompt')} …*`] : [];
  return [begun, between, last.flatMap(toLines)]
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (index === 0 ? part : ['', ...part]))
    .slice(0, PREVIEW_LINES)
    .map((line) => cut(line, LINE_LENGTH));
}

function cut(line: string, length: number): string {
  if (line.length <= length) return line;
  // Not through a surrogate pair.
  return `${line.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
