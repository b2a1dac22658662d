/**
 * Gateways: `_meta.gateway {protocol}` of a way to log in. `authenticate` then takes the address and the headers of a
 * service that stands in for the model's own, in `_meta.gateway` (claude-agent-acp, codex-acp, gemini).
 */
import { object, type Json } from '../coerce';
import type { LoginField } from '../login';
import type { Extension } from './extension';

const ADDRESS: LoginField = {
  name: 'baseUrl',
  title: 'Address of the gateway',
  required: true,
  secret: false,
};
const HEADER: LoginField = {
  name: 'header',
  title: 'Key, or a whole header such as ‘x-api-key: KEY’ (empty: none)',
  required: false,
  secret: true,
};
const PROVIDER: LoginField = {
  name: 'providerName',
  title: 'Name of the provider (empty: the agent’s own)',
  required: false,
  secret: false,
};

export const gateway: Extension = {
  capabilities: { auth: { _meta: { gateway: true } } },
  login(method) {
    const about = object(object(method._meta)?.gateway);
    if (!about) return undefined;
    const fields = [ADDRESS, HEADER, ...(about.protocol === 'openai' ? [PROVIDER] : [])];
    return { type: 'fields', fields, meta: gatewayOf };
  },
};

function gatewayOf({ header, ...values }: Record<string, string>): Json {
  return { gateway: { ...values, ...(header !== undefined && { headers: headersOf(header) }) } };
}

/** What is no header is the key of one. */
function headersOf(header: string): Record<string, string> {
  const [, name, value] = /^([\w-]+):\s*(.*)$/s.exec(header) ?? [];
  if (name === undefined || value === undefined) return { Authorization: `Bearer ${header}` };
  return { [name]: value };
}
