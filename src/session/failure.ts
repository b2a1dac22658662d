/** What to tell people when an agent can't be had. */
import { errorText } from '../acp/connection';
import type { AgentEnd } from '../agent/agent';
import { folderAdvice, whyNotStarted, wrapAdvice } from '../agent/not-started';
import type { AgentSpec } from '../nvim/protocol';
import type { Why } from './opening';

export interface Words {
  title: string;
  detail: string;
}

/** An agent that started but gave no session in `cwd`. */
export function openFailure(name: string, spec: AgentSpec, cwd: string, error: unknown): Words {
  const again =
    'Your prompt was kept. Send it again to try once more; :AcpLog shows what was said.';
  return {
    title: `${name} could not open a session: ${errorText(error)}`,
    detail: [folderAdvice(spec, cwd), again].filter((line) => line !== undefined).join('\n'),
  };
}

/** A session that the agent does not have any more, or does not give. `held`: we have its transcript. */
export function notAgain(
  name: string,
  why: Why | null,
  { fork, held }: { fork: boolean; held: boolean },
): Words {
  const forgotten = why?.forgotten ?? held;
  const opening = forgotten ? 'has forgotten this session' : 'could not open this session again';
  const reason = why?.words ?? (fork ? 'it can’t fork sessions' : 'it can’t open former ones');
  const rest = held
    ? 'What was said is kept here to be read. A prompt begins a new session, with what was said if you want.'
    : 'Nothing of it is kept here: :AcpNew begins another.';
  return {
    title: `${name} ${fork ? 'could not fork this session' : opening}: ${reason}`,
    detail: why && !forgotten ? `${rest} :AcpRestart tries once more.` : rest,
  };
}

/** A session that ended while its agent goes on. */
export function sessionEndNotice(name: string, code: number | null, signal: string | null): Words {
  const how = signal !== null ? ` by signal ${signal}` : code !== null ? ` with code ${code}` : '';
  return {
    title: `${name} has ended this session${how}`,
    detail: 'The next prompt opens it again, too.',
  };
}

/** What the configuration says of an agent is of no use just now. */
export function notConfigured(name: string, why: string): Words {
  return {
    title: `${name} could not be started: ${why}`,
    detail: 'Your prompt was kept. Send it again to try once more.',
  };
}

/** A process that ended, or never began. */
export function endNotice(spec: AgentSpec, cwd: string, end: AgentEnd): Words {
  const name = spec.title ?? spec.name;
  if (end.spawnError) {
    const { why, advice } = whyNotStarted(spec, cwd, end.spawnError);
    return { title: `${name} could not be started: ${why}`, detail: advice };
  }
  const how =
    end.signal !== null
      ? `was ended by ${end.signal}`
      : `exited with code ${end.code ?? 'unknown'}`;
  return {
    title: `${name} ${how}`,
    detail: [...end.stderr, wrapAdvice(spec, end.code) ?? 'The next prompt starts it again.'].join(
      '\n',
    ),
  };
}
