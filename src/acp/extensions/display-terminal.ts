/**
 * Display terminals: the agent runs a command itself and sends its output in `_meta` of the tool call, under
 * `terminal_info`, `terminal_output` or `terminal_output_delta`, and `terminal_exit`. The call's content then refers to
 * a terminal that we never created. A convention of Zed's that claude-agent-acp, codex-acp and pi-acp follow.
 *
 * `mcp_output_delta` beside them (codex-acp): what a tool of an MCP server puts out while it works, a piece at a time.
 */
import { compact, number, object, string, text, type Json } from '../coerce';
import type { AgentEvent } from '../events';
import type { Extension } from './extension';

export const displayTerminal: Extension = {
  capabilities: { _meta: { terminal_output: true, terminal_output_delta: true } },
  refine(events, meta) {
    const more = string(object(meta.mcp_output_delta)?.data);
    if (more !== undefined) {
      for (const event of events) if (event.type === 'tool_call') event.patch.append = more;
    }
    return [...events, ...terminalEvents(meta)];
  },
};

function terminalEvents(keys: Json): AgentEvent[] {
  const events: AgentEvent[] = [];
  const info = object(keys.terminal_info);
  const infoId = text(info?.terminal_id);
  if (infoId !== undefined) {
    events.push(compact({ type: 'terminal' as const, terminalId: infoId, cwd: text(info?.cwd) }));
  }
  for (const key of ['terminal_output', 'terminal_output_delta']) {
    const output = object(keys[key]);
    const terminalId = text(output?.terminal_id);
    if (terminalId !== undefined) {
      events.push({ type: 'terminal', terminalId, append: string(output?.data) ?? '' });
    }
  }
  const exit = object(keys.terminal_exit);
  const exitId = text(exit?.terminal_id);
  if (exitId !== undefined) {
    events.push({
      type: 'terminal',
      terminalId: exitId,
      exit: { exitCode: number(exit?.exit_code) ?? null, signal: text(exit?.signal) ?? null },
    });
  }
  return events;
}
