/**
 * Steering: a prompt that goes into the turn that runs. `_meta.steering` at the top of the answer to `initialize`, and the
 * request `_session/steering` (claude-agent-acp, codex-acp).
 */
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { invalidAnswer } from '../connection';
import { object, string } from '../coerce';

/** Whether an agent takes prompts into a running turn. `meta`: of its answer to `initialize`. */
export function steers(meta: unknown): boolean {
  return object(object(meta)?.steering)?.supported === true;
}

/** `injected`: it is in the turn. `startedNewTurn`: the agent has begun another for it. `promptRequired`: no turn ran. */
export type SteeringOutcome = (typeof OUTCOMES)[number];

const OUTCOMES = ['injected', 'startedNewTurn', 'promptRequired'] as const;

/** Asks an agent to take a prompt into its turn. Rejects where it can't, or doesn't say what it has done. */
export async function steer(
  agent: { request(method: string, params: object): Promise<Record<string, unknown>> },
  sessionId: string,
  prompt: ContentBlock[],
): Promise<SteeringOutcome> {
  const result = await agent.request('_session/steering', {
    sessionId,
    prompt,
    // Without it, the agent would begin a turn of its own, whose end nobody tells.
    _meta: { steering: { idleBehavior: 'promptRequired' } },
  });
  const said = string(result.outcome);
  const outcome = OUTCOMES.find((known) => known === said);
  if (!outcome) throw invalidAnswer(`its answer does not say what became of it`);
  return outcome;
}
