/**
 * Logins in a terminal, as they were listed before ACP had a type for them. `_meta["terminal-auth"] {command, args, env?,
 * label}`: exactly that command (opencode, kilo, copilot, auggie, and claude-agent-acp and pi-acp beside ACP's own way).
 * `_meta {type: 'terminal', args}`: the agent's own program (qwen).
 */
import { object, stringMap, strings, text } from '../coerce';
import type { Extension } from './extension';

export const terminalAuth: Extension = {
  capabilities: { _meta: { 'terminal-auth': true } },
  login(method) {
    const meta = object(method._meta) ?? {};
    const given = object(meta['terminal-auth']);
    const command = text(given?.command);
    if (given && command !== undefined) {
      const { args, env } = given;
      const program = { command, args: strings(args), env: stringMap(env) };
      return { type: 'terminal', program };
    }
    if (meta.type !== 'terminal') return undefined;
    return { type: 'terminal', program: { args: strings(meta.args), env: stringMap(meta.env) } };
  },
};
