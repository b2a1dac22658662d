/** Ways to log in, in words for people. */
import type { AuthMethod, LoginMethod } from '../acp/login';
import type { AgentSpec } from '../nvim/protocol';

/** A way as Neovim is told of it: what can't be done from here says what is to be done. */
export function shown(method: AuthMethod, spec: AgentSpec): LoginMethod {
  const { id, name, description } = method;
  const described = { id, name, ...(description !== undefined && { description }) };
  switch (method.type) {
    case 'agent':
    case 'terminal':
      return { ...described, type: method.type };
    case 'fields':
      return { ...described, type: 'fields', fields: method.fields };
    case 'variables':
      return variables({ id, name }, method.variables, spec);
    case 'unknown': {
      const what = `a way of the kind ‘${method.kind}’, which is not known here`;
      return {
        id,
        name,
        type: 'manual',
        description: description ? `${description} (${what})` : what,
      };
    }
  }
}

/** The agent takes them when it is asked to, where they are set. */
function variables(
  named: { id: string; name: string },
  names: string[],
  spec: AgentSpec,
): LoginMethod {
  const missing = names.filter((name) => !environment(spec)[name]);
  if (names.length > 0 && missing.length === 0) {
    return { ...named, type: 'agent', description: `takes ${names.join(', ')}, which is set` };
  }
  const which = names.length > 0 ? missing.join(', ') : 'the variable that its manual names';
  const where = `in the option agents.${spec.name}.env, or in the environment of Neovim`;
  return { ...named, type: 'manual', description: `set ${which} ${where}, and start Neovim anew` };
}

/** The environment in which an agent runs. */
function environment(spec: AgentSpec): NodeJS.ProcessEnv {
  return { ...process.env, ...spec.env };
}
