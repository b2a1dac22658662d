/**
 * Forks that end at a message: `session/fork` with `_meta.jetbrains.air.fork` (claude-agent-acp, codex-acp). Neither
 * advertises it, so they are known by their names; others fork the whole conversation.
 */
import type { AgentInfo } from '../capabilities';

const ABLE = ['@agentclientprotocol/claude-agent-acp', '@agentclientprotocol/codex-acp'];

/**
 * `_meta` of a fork that keeps what was said up to a message of the agent's; undefined where the agent knows no such fork.
 * claude-agent-acp cuts behind that message, codex-acp behind its turn.
 */
export function forkAt({ name }: AgentInfo, messageId: string): object | undefined {
  if (name === null || !ABLE.includes(name)) return undefined;
  return { jetbrains: { air: { fork: { version: 1, messageId } } } };
}
