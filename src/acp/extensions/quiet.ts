/**
 * What agents tell that is deliberately not shown, and why. All of it stands in the wire log. A request is answered with
 * "method not found", which each of these agents takes as a no.
 */
import type { Extension } from './extension';

/** Notifications, by method. */
export const QUIET_NOTIFICATIONS: Readonly<Record<string, string>> = {
  '_qwencode/end_turn': 'the end of a turn of the agent’s own, whose text was shown as it came',
  'qwen/notify/session/terminal-sequence': 'escape sequences for a terminal that we are not',
  'qwen/notify/session/artifact-event': 'files of a host that shows web pages',
  'qwen/notify/session/recording-degraded': 'about the agent’s own file of the session',
  'qwen/notify/session/mcp-budget-event': 'sizes of tool lists, for its own host',
  '_claude/sdkMessage': 'raw messages, for clients that asked for them',
};

/** Requests, by method. */
export const QUIET_REQUESTS: Readonly<Record<string, string>> = {
  'craft/drainMidTurnQueue': 'asks for prompts to be put into a turn; ours wait for its end',
  '_qwencode/start_turn': 'asks its own host whether a background task may begin a turn',
};

/** Keys of `_meta`, as a path. */
export const QUIET_META: Readonly<Record<string, string>> = {
  quota: 'tokens of all calls of a turn: says nothing of how full the context is',
  'codex.threadStatus': 'whether a turn runs, and what it waits for: we know both',
  'piAcp.queueDepth': 'pi’s own queue: prompts wait on our side',
  'piAcp.running': 'whether a turn runs: we know',
  'piAcp.startupInfo': 'comes as a message, too',
  '_claude/origin': 'who began the turn that a sum is of',
  '_claude/model': 'the model that a sum is of; the setting says it',
  'claudeCode.toolName': 'the tool’s own name; the title says more',
};

export const quiet: Extension = {
  notification: (method) =>
    Object.hasOwn(QUIET_NOTIFICATIONS, method) ? { events: [] } : undefined,
};
