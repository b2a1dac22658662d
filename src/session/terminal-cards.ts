import type { AgentEvent } from '../acp/events';
import type { TerminalState, ToolBlock, ToolContent, Transcript } from './model';
import { TerminalLogs, type TerminalLog } from './terminal-log';

/** The output of a terminal that the agent runs itself is kept up to this many characters, its tail. */
const OUTPUT_CAP = 256 * 1024;

/** So many terminals of the agent's wait for a card that names them; the oldest make room. */
const MOST_UNNAMED = 100;

/** The terminals of a transcript, ours and the agent's, and which tool cards show them. */
export class TerminalCards {
  readonly #transcript: Transcript;
  /** Terminal → the cards that show it. */
  readonly #users = new Map<string, Set<string>>();
  readonly #logs = new TerminalLogs();
  /** Those without an end, the oldest first. */
  readonly #endless = new Set<string>();
  /** Those of the agent's that no card has named yet, the oldest first. */
  readonly #unnamed = new Set<string>();
  /** The agent's ids of terminals that were used before for another call → ours. */
  readonly #again = new Map<string, string>();

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    for (const block of transcript.blocks.values()) if (block.kind === 'tool') this.uses(block);
  }

  /** Ids of the terminals that have no end yet, as far as is known. */
  get endless(): ReadonlySet<string> {
    return this.#endless;
  }

  get(terminal: string): TerminalState | undefined {
    return this.#transcript.terminals.get(terminal);
  }

  /** All that is there of a terminal's output. */
  log(state: TerminalState): TerminalLog {
    return this.#logs.of(state);
  }

  /** The cards that show a terminal, in the order in which they named it. */
  cards(terminal: string): ToolBlock[] {
    return [...(this.#users.get(terminal) ?? [])].flatMap((id) => {
      const block = this.#transcript.blocks.get(id);
      return block?.kind === 'tool' ? [block] : [];
    });
  }

  /** The terminals of a card that are known, in its order. */
  of(tool: ToolBlock): TerminalState[] {
    return tool.content.flatMap((item) => {
      const state = item.type === 'terminal' ? this.get(item.terminalId) : undefined;
      return state ? [state] : [];
    });
  }

  /** A tool's content may have named a terminal. */
  uses(tool: ToolBlock): void {
    if (!tool.content.some(({ type }) => type === 'terminal')) return;
    const named = tool.content.map((item) => this.#named(item, tool));
    if (named.some((item, i) => item !== tool.content[i])) tool.content = named;
    for (const item of tool.content) {
      if (item.type !== 'terminal') continue;
      const users = this.#users.get(item.terminalId) ?? new Set();
      this.#users.set(item.terminalId, users.add(tool.id));
      this.#unnamed.delete(item.terminalId);
    }
  }

  /** A card is gone: terminals that nobody else shows may be told anew. */
  forget(tool: ToolBlock): void {
    for (const item of tool.content) {
      if (item.type !== 'terminal') continue;
      const id = item.terminalId;
      const users = this.#users.get(id);
      users?.delete(tool.id);
      if (users?.size !== 0) continue;
      this.#users.delete(id);
      this.#drop(id);
    }
  }

  /** Takes the state of a client terminal, with what its output has `more`; gives the blocks that show it. */
  set(state: TerminalState, more = ''): string[] {
    const { id, exit } = state;
    if (more) this.#logs.push(this.get(id) ?? newTerminal(id), more);
    this.#keep(state);
    if (exit) this.#transcript.running.delete(id);
    else this.#transcript.running.add(id);
    return this.#blocks(id);
  }

  /** Takes what the agent said of a terminal of its own; gives the blocks that show it. */
  apply(event: Extract<AgentEvent, { type: 'terminal' }>): string[] {
    const id = this.#again.get(event.terminalId) ?? event.terminalId;
    const state = this.get(id) ?? newTerminal(id);
    if (event.cwd !== undefined) state.cwd = event.cwd;
    if (event.append) {
      this.#logs.push(state, event.append);
      append(state, event.append);
    }
    if (event.exit) state.exit = event.exit;
    this.#keep(state);
    if (!this.#users.has(id)) this.#wait(id);
    return this.#blocks(id);
  }

  #wait(id: string): void {
    this.#unnamed.add(id);
    const [oldest] = this.#unnamed;
    if (this.#unnamed.size > MOST_UNNAMED) this.#drop(oldest!);
  }

  #drop(id: string): void {
    this.#unnamed.delete(id);
    this.#transcript.terminals.delete(id);
    this.#transcript.running.delete(id);
    this.#logs.forget(id);
    this.#endless.delete(id);
  }

  #keep(state: TerminalState): void {
    this.#transcript.terminals.set(state.id, state);
    if (state.exit) this.#endless.delete(state.id);
    else this.#endless.add(state.id);
  }

  /** An agent that uses the id of a call again means another terminal by it, too, when the first has ended. */
  #named(item: ToolContent, tool: ToolBlock): ToolContent {
    if (item.type !== 'terminal') return item;
    const said = item.terminalId;
    const now = this.#again.get(said) ?? said;
    const others = this.cards(now).filter(({ id }) => id !== tool.id);
    const former = others.some(({ toolCallId }) => toolCallId === tool.toolCallId);
    if (this.#users.get(now)?.has(tool.id) || !former || !this.get(now)?.exit) {
      return now === said ? item : { ...item, terminalId: now };
    }
    const id = `${said}#${tool.id}`;
    this.#again.set(said, id);
    return { ...item, terminalId: id };
  }

  #blocks(terminalId: string): string[] {
    return [...(this.#users.get(terminalId) ?? [])];
  }
}

function newTerminal(id: string): TerminalState {
  return { id, command: null, cwd: null, output: '', truncated: false, exit: null };
}

function append(state: TerminalState, text: string): void {
  state.output += text;
  // Cut rarely, by half a cap: cutting at each chunk would copy the whole each time.
  if (state.output.length > OUTPUT_CAP * 1.5) {
    const cut = state.output.slice(-OUTPUT_CAP);
    const line = cut.indexOf('\n');
    state.output = line < 0 ? cut : cut.slice(line + 1);
    state.truncated = true;
  }
}
