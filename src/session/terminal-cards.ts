import type { AgentEvent } from '../acp/events';
import type { TerminalState, ToolBlock, Transcript } from './model';

/** The output of a terminal that the agent runs itself is kept up to this many characters, its tail. */
const OUTPUT_CAP = 256 * 1024;

/** The terminals of a transcript, ours and the agent's, and which tool cards show them. */
export class TerminalCards {
  readonly #transcript: Transcript;
  readonly #users = new Map<string, Set<string>>();

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    for (const block of transcript.blocks.values()) if (block.kind === 'tool') this.uses(block);
  }

  /** A tool's content may have named a terminal. */
  uses(tool: ToolBlock): void {
    for (const item of tool.content) {
      if (item.type !== 'terminal') continue;
      const users = this.#users.get(item.terminalId) ?? new Set();
      this.#users.set(item.terminalId, users.add(tool.id));
    }
  }

  /** Takes the state of a client terminal; gives the blocks that show it. */
  set(state: TerminalState): string[] {
    this.#transcript.terminals.set(state.id, state);
    return this.#blocks(state.id);
  }

  /** Takes what the agent said of a terminal of its own; gives the blocks that show it. */
  apply(event: Extract<AgentEvent, { type: 'terminal' }>): string[] {
    const { terminals } = this.#transcript;
    const state = terminals.get(event.terminalId) ?? newTerminal(event.terminalId);
    terminals.set(event.terminalId, state);
    if (event.cwd !== undefined) state.cwd = event.cwd;
    if (event.append) append(state, event.append);
    if (event.exit) state.exit = event.exit;
    return this.#blocks(event.terminalId);
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
