/**
 * Who is logged in: ACP's draft `auth/status_update {state, accounts}`, whose shape `auth/status` answers with, too, and
 * what came before it, `_auth/status_update {authStatus: {kind, label, detail, account}}` (claude-agent-acp, codex-acp).
 */
import { compact, label, lookUp, object, objects, text, type Json } from '../coerce';
import type { Account } from '../events';
import type { Extension } from './extension';

export const authStatus: Extension = {
  notification(method, params) {
    const account = accountTold(method, params);
    return account && { events: [{ type: 'account', account }] };
  },
};

function accountTold(method: string, params: Json): Account | undefined {
  if (method === 'auth/status_update') return accountOf(params);
  return method === '_auth/status_update' ? formerAccount(object(params.authStatus)) : undefined;
}

const STATES: Record<string, Account['state']> = {
  authenticated: 'in',
  unauthenticated: 'out',
  not_required: 'unneeded',
};

/** The answer to `auth/status`. */
export function accountOf({ state, accounts }: Json): Account {
  const all = objects(accounts);
  const account = all.find(({ active }) => active === true) ?? all[0];
  return compact({
    state: lookUp(STATES, state) ?? 'unknown',
    label: words(account?.label ?? account?.name, account?.email, account?.organization),
  });
}

const KINDS = ['account', 'api_key', 'gateway', 'external'];

function formerAccount(status: Json = {}): Account {
  const kind = text(status.kind) ?? '';
  if (kind === 'none') return { state: 'out' };
  const account = object(status.account);
  return compact({
    state: KINDS.includes(kind) ? 'in' : 'unknown',
    label: words(status.label, account?.email ?? status.detail, account?.organization),
  });
}

/** The different ones of them, in one line. */
function words(...all: unknown[]): string | undefined {
  const said = all.flatMap((each) => label(each) ?? []);
  const [first, ...more] = said;
  if (first === undefined) return undefined;
  return [first, ...more.filter((each) => !first.includes(each))].join(', ');
}
