/** All that Neovim mirrors of a session. */
import type { Status } from '../nvim/protocol';
import type { Facts } from './facts';
import type { Link } from './link';
import type { ClientPort } from './port';
import type { Session } from './session';
import type { Turns } from './turns';

export interface StatusParts {
  session: Session;
  agent: string;
  facts: Facts;
  link: Link;
  port: ClientPort;
  turns: Turns;
}

const NOTHING = { image: false, audio: false, embedded: false, steering: false };

export function statusOf({ session, agent, facts, link, port, turns }: StatusParts): Status {
  const { settings, changes, keeping } = session;
  const { state, info } = link;
  const turn = turns.state;
  const asks = port.questions.waiting > 0 && (turn === 'working' || state === 'starting');
  const open = asks ? 'waiting' : turn;
  return {
    agent,
    title: session.title,
    // It may be opened when the user has answered.
    state: state === 'open' || open === 'waiting' ? open : state,
    since: link.since ?? turns.since,
    key: keeping.key,
    mode: settings.mode,
    model: settings.model,
    config: settings.options,
    usage: facts.usage,
    limits: facts.limits,
    ...session.login.status,
    goal: facts.goal,
    suggestions: facts.suggestions,
    terminals: session.terminalViews.running,
    dirs: [...session.equipment.dirs],
    commands: facts.commands,
    questions: port.openQuestions(),
    queue: turns.list(),
    held: turns.held,
    cwd: session.cwd,
    log: link.log,
    takes: info?.takes ?? NOTHING,
    can: {
      fork: info?.fork ?? false,
      close: info?.close ?? false,
      delete: info?.delete ?? false,
      rename: info?.rename ?? false,
    },
    location: changes.location,
    review: changes.pending,
    hint: session.hint,
  };
}
