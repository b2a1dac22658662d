/** Why a turn came to nothing, in words for people, and what can be done about it. */
import { object, text } from '../acp/coerce';
import { errorCode, errorText } from '../acp/connection';
import type { FailureAction } from '../acp/events';
import type { Failure } from './failures';

const UNFINISHED = 'The agent could not finish the turn.';
/** What JSON-RPC puts before the words of an agent's error. */
const PREFIX = /^Internal error: /;

interface Way {
  what: string;
  actions: FailureAction[];
}

/** Statuses of HTTP: some agents give that of their model's service as the code of the error. */
const STATUSES: Record<number, Way> = {
  400: { what: 'did not take the request', actions: ['retry', 'new_session'] },
  401: { what: 'does not accept your login', actions: ['login', 'retry'] },
  402: { what: 'wants to be paid first', actions: ['retry', 'login'] },
  403: { what: 'does not allow you this', actions: ['login', 'retry'] },
  404: { what: 'does not have what was asked for', actions: ['retry'] },
  408: { what: 'took too long', actions: ['retry'] },
  413: { what: 'says that this is too much for one request', actions: ['new_session', 'retry'] },
  429: { what: 'got too many requests and wants you to wait', actions: ['retry'] },
};

/** The agent's own words. */
export function wordsOf(error: unknown): string {
  return errorText(error).replace(PREFIX, '');
}

/** A prompt that was answered with an error. `said`: the agent has said it already, as a message. */
export function promptFailure(error: unknown, said: boolean): Failure {
  const words = wordsOf(error);
  const code = errorCode(error);
  const way = code === undefined ? undefined : statusWay(code);
  if (way) {
    const title = `The model’s service ${way.what} (${code})`;
    return { severity: 'error', title, detail: said ? '' : words, actions: way.actions };
  }
  const actions: FailureAction[] = isForgotten(error) ? ['new_session'] : ['retry'];
  return said
    ? { severity: 'error', title: UNFINISHED, detail: '', actions }
    : { severity: 'error', title: words, detail: UNFINISHED, actions };
}

/** What can be done about a turn that ended like this. `silent`: the agent said nothing in it. */
export function turnActions(stopReason: string, silent: boolean): FailureAction[] {
  switch (stopReason) {
    case 'refusal':
      return ['retry', 'new_session'];
    case 'max_tokens':
    case 'max_turn_requests':
    case 'lost':
      return ['retry'];
    default:
      return silent ? ['retry'] : [];
  }
}

/** Keys for people. */
export const ACTION_NAMES: Record<FailureAction, string> = {
  retry: 'Try again',
  login: 'Log in',
  reopen: 'Open it again',
  new_session: 'New session',
};

function statusWay(code: number): Way | undefined {
  if (code >= 500 && code < 600) return { what: 'has a fault of its own', actions: ['retry'] };
  return STATUSES[code];
}

/** Whether the agent does not have the session that was named any more. */
function isForgotten(error: unknown): boolean {
  const data = error instanceof Error && 'data' in error ? error.data : undefined;
  return errorCode(error) === -32002 && text(object(data)?.sessionId) !== undefined;
}
