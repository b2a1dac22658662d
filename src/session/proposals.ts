/**
 * What the user has allowed in this turn, and how the agent writes: through us, or by itself. Only one that writes through
 * us can take a proposal that was changed by hand, and none says how it does it: that is seen from what it does.
 */
import { same } from '../client/merging';

/** The change of one file that the user has allowed. */
export interface Allowed {
  toolCallId: string;
  /** Real. */
  path: string;
  /** For people. */
  name: string;
  /** What the agent proposed. */
  proposed: string;
  /** What the user made of it; null: nothing. */
  changed: string | null;
  /** Written through us. */
  used: boolean;
}

export class Proposals {
  #allowed: Allowed[] = [];
  /** Paths that were read and written through us in this turn. */
  readonly #read = new Set<string>();
  readonly #written = new Set<string>();
  #throughUs = false;
  #byItself = false;

  allow(proposal: Omit<Allowed, 'used'>): void {
    this.#allowed.push({ ...proposal, used: false });
  }

  /** The proposal that a write fulfils. */
  fulfilled(path: string, content: string): Allowed | undefined {
    this.#written.add(path);
    return this.#allowed.findLast((it) => it.path === path && same(it.proposed, content));
  }

  wrote(path: string, text: string): void {
    for (const it of this.#allowed) {
      if (it.path === path && (it.changed === null || same(it.changed, text))) it.used = true;
    }
  }

  read(path: string): void {
    this.#read.add(path);
  }

  saw(manner: 'through us' | 'by itself'): void {
    if (manner === 'through us') this.#throughUs = true;
    else this.#byItself = true;
  }

  /** A tool call has changed these files. What of it did not come through us was written by the agent itself. */
  completed(paths: string[]): void {
    if (paths.some((path) => !this.#written.has(path))) this.#byItself = true;
  }

  /** Whether a proposal for `path` can be changed by hand; else why not. */
  editable(path: string, agent: string): true | string {
    if (!this.#byItself && (this.#throughUs || this.#read.has(path))) return true;
    return `${agent} writes files by itself: it can't take a changed proposal`;
  }

  /** Changes by hand that wait for the agent's write: of one tool call, or all. */
  waiting(toolCallId?: string): Allowed[] {
    return this.#allowed.filter(
      (it) =>
        it.changed !== null &&
        !it.used &&
        (toolCallId === undefined || it.toolCallId === toolCallId),
    );
  }

  forget(proposals: Allowed[]): void {
    this.#allowed = this.#allowed.filter((it) => !proposals.includes(it));
  }

  turnStarted(): void {
    this.#allowed = [];
    this.#read.clear();
    this.#written.clear();
  }
}
