/**
 * codex-acp before it had ACP's own `logout` and status: `authentication/logout` and `authentication/status`, which answers with
 * `{type, email?, name?}`. It advertises neither, so it is known by its name.
 */
import type { AuthRequests } from '../capabilities';
import { compact, label, text } from '../coerce';

const NAME = '@agentclientprotocol/codex-acp';

/** What takes the place of requests that an agent lacks; `pushes`: it tells its status by itself. */
export function formerRequests(name: string | null, pushes: boolean): AuthRequests | null {
  if (name !== NAME) return null;
  return {
    logout: 'authentication/logout',
    status: pushes
      ? null
      : {
          method: 'authentication/status',
          account: ({ type, email, name: person }) => {
            const kind = text(type);
            if (kind === undefined) return { state: 'unknown' };
            if (kind === 'unauthenticated') return { state: 'out' };
            return compact({ state: 'in', label: label(email) ?? label(person) ?? label(kind) });
          },
        },
  };
}
