/**
 * Steering: a prompt that goes into the turn that runs. `_meta.steering` at the top of the answer to `initialize`, and the
 * request `_session/steering` (claude-agent-acp, codex-acp).
 */
import { object } from '../coerce';

/** Whether an agent takes prompts into a running turn. `meta`: of its answer to `initialize`. */
export function steers(meta: unknown): boolean {
  return object(object(meta)?.steering)?.supported === true;
}
