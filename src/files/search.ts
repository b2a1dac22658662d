/** Finds the best of a table. What is typed grows letter by letter, so each search goes on from the one before. */
import { Query } from './match';
import type { PathTable } from './table';

export interface Hit {
  path: string;
  score: number;
}

export class Search {
  readonly #table: PathTable;
  /** What matched the last query. */
  #last: { text: string; matches: Uint32Array } | null = null;

  constructor(table: PathTable) {
    this.#table = table;
  }

  /** Best first. `count`: how many match at all. */
  find(text: string, limit: number): { hits: Hit[]; count: number } {
    const table = this.#table;
    const query = new Query(text);
    const among = this.#last && text.startsWith(this.#last.text) ? this.#last.matches : null;
    const total = among ? among.length : table.count;
    const matches = new Uint32Array(total);
    const best: { index: number; score: number }[] = [];
    let count = 0;
    for (let i = 0; i < total; i++) {
      const index = among ? among[i]! : i;
      if ((table.kinds[index]! & query.kinds) !== query.kinds) continue;
      const score = query.score(table, index);
      if (score === 0) continue;
      matches[count++] = index;
      if (best.length < limit || score > best[best.length - 1]!.score) {
        let at = best.length;
        while (at > 0 && best[at - 1]!.score < score) at--;
        best.splice(at, 0, { index, score });
        if (best.length > limit) best.pop();
      }
    }
    this.#last = { text, matches: count === total && among ? among : matches.slice(0, count) };
    const hits = best.map(({ index, score }) => ({ path: table.path(index), score }));
    return { hits, count };
  }
}
