/**
 * Keys in variables: a way to log in of `type: 'env_var'`, with `vars: [{name, optional?}]` or `varName`. ACP had it once, and
 * older agents still list it (Zed's codex-acp).
 */
import { objects, text } from '../coerce';
import type { Extension } from './extension';

export const envVar: Extension = {
  login(method) {
    if (method.type !== 'env_var') return undefined;
    const needed = objects(method.vars).filter(({ optional }) => optional !== true);
    const names = [...needed.map(({ name }) => name), method.varName];
    // What is no name can be set nowhere.
    const variables = names.flatMap((name) => (/^\w+$/.test(text(name) ?? '') ? text(name)! : []));
    return { type: 'variables', variables };
  },
};
