import type { PlanEntry } from './model';

/** Entries of a plan of which some are told anew; those of no known id come last. */
export function mergedEntries(
  known: readonly PlanEntry[],
  told: readonly PlanEntry[],
): PlanEntry[] {
  const anew = new Map(told.map((entry) => [entry.id ?? entry.content, entry]));
  const kept = known.map((entry) => {
    const name = entry.id ?? entry.content;
    const now = anew.get(name) ?? entry;
    anew.delete(name);
    // Some tell only what has changed.
    return { ...now, content: now.content || entry.content };
  });
  return [...kept, ...anew.values()];
}
