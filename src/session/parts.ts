/**
 * How a session is put together. Each part knows but what it is given here; what one part has to tell another goes
 * through these lines.
 */
import type { ToSidecar } from '../nvim/protocol';
import { Actions } from './actions';
import { Changes } from './changes';
import { Equipment } from './equipment';
import { Facts } from './facts';
import { Hearing } from './hearing';
import { Keeping } from './keeping';
import { Lifecycle } from './lifecycle';
import { Link } from './link';
import { Login } from './login';
import type { Origin } from './origin';
import { ClientPort } from './port';
import type { Session } from './session';
import { SettingsSetter } from './settings-setter';
import { Showing } from './showing';
import { statusOf } from './status';
import { TerminalViews } from './terminal-views';
import { Turns } from './turns';
import { Voice } from './voice';

/** What a session is opened with, where it comes from aside. */
export type Opening = Omit<ToSidecar['session.open'], 'cwd' | 'from' | 'fork' | 'before'>;

export interface Parts {
  actions: Actions;
  changes: Changes;
  equipment: Equipment;
  facts: Facts;
  hearing: Hearing;
  keeping: Keeping;
  link: Link;
  login: Login;
  port: ClientPort;
  setter: SettingsSetter;
  showing: Showing;
  terminalViews: TerminalViews;
  turns: Turns;
  voice: Voice;
  /** Sends the next prompt that waits, if it is its turn. */
  runNext: () => void;
}

/** Of a session that has its transcript, its reducer and its context already. */
export function partsOf(session: Session, opening: Opening, origin: Origin): Parts {
  const { context, reducer } = session;
  const { stored } = origin;
  const { name, roots = [] } = opening.agent;
  const runNext = (): void => {
    equipment.apply();
    turns.run();
    session.changed();
  };

  const voice = new Voice(session);
  const facts = new Facts({
    tell: (severity, { title, detail }) => {
      // What is told of a former conversation is no news.
      if (link.telling === 'live') reducer.notice(severity, title, detail, context.now());
    },
  });
  const terminalViews = new TerminalViews(session, () => port.terminals);
  const keeping = new Keeping({
    journal: origin.journal,
    transcript: session.transcript,
    collect: () => showing.drain(),
  });
  const showing = new Showing({
    session,
    columns: opening.columns,
    agent: () => link.name,
    diffs: (tool) => port.diffs(tool),
    status: () => statusOf({ session, agent: session.spec.name, facts, link, port, turns }),
  });
  const equipment = new Equipment({
    session,
    voice,
    mcp: opening.mcp,
    dirs: opening.dirs ?? [],
    kept: stored?.dirs ?? [],
    asking: () => port.asking,
    open: () => (link.state === 'open' ? link.info : null),
    agent: () => link.name,
    idle: () => turns.state === 'idle' && port.questions.waiting === 0,
    reopen: () => void lifecycle.reopen(),
  });
  const changes = new Changes({ session, agent: name, roots: [...roots, ...equipment.dirs] });
  const turns: Turns = new Turns({
    session,
    voice,
    cancelTimeoutMs: context.config.cancelTimeoutMs,
    target: () => link.target,
    replays: () => link.replays,
    agent: () => link.name,
    onRefused: (error) => login.wanted(error),
    prepare: (prompt) => {
      keeping.recorder?.turn(true);
      port.turnStarted();
      facts.sent();
      return changes.turnStarted(prompt);
    },
    onEnded: (stopReason) => {
      keeping.recorder?.turn(false);
      port.turnEnded();
      equipment.apply();
      lifecycle.turnEnded();
      login.turnEnded(stopReason);
      void changes.turnEnded(stopReason, reducer.turnLine);
    },
    cancelQuestions: () => port.questions.cancelAll(),
  });
  const port: ClientPort = new ClientPort({
    session,
    roots,
    agent: () => link.name,
    accepting: () => turns.state !== 'cancelling',
    baseText: (path) => changes.recorded(path),
    onWrote: (path, written) => {
      context.conflicts.settled(path, 'written');
      changes.wrote(path, written);
    },
    onWords: (words) => session.send({ text: words }),
  });
  const setter: SettingsSetter = new SettingsSetter({
    settings: session.settings,
    defaults: stored?.settings ?? opening.settings ?? {},
    name,
    named: context.named,
    tell: (level, message) => voice.tell(level, message),
    onChange: () => {
      keeping.recorder?.settings(setter.kept);
      session.changed();
    },
  });
  const link: Link = new Link({
    get spec() {
      return session.spec;
    },
    cwd: session.cwd,
    context,
    port,
    former: origin.former,
    given: (info, wanted) => equipment.given(info, wanted),
    readOnly: origin.fault !== null,
    onSpec: (spec) => {
      session.spec = spec;
    },
    onReplay: () => showing.clear(),
    onOpened: (target, opened) => lifecycle.opened(target, opened),
    onReady: runNext,
    onLost: (how) => lifecycle.lost(how),
    onRested: () => lifecycle.rested(),
    onLocked: (error) => login.wanted(error),
    onFailed: (why) => lifecycle.failed(why),
    onForgotten: (why) => lifecycle.forgotten(why),
    onChange: () => session.changed(),
  });
  const login = new Login({
    session,
    get spec() {
      return session.spec;
    },
    link,
    port,
    turns,
    voice,
  });
  const lifecycle = new Lifecycle({ session, link, port, setter, turns, voice });
  const hearing = new Hearing({ session, facts, lifecycle, link, port, turns });
  const actions = new Actions({ session, voice, lastPrompt: () => turns.last });
  return {
    actions,
    changes,
    equipment,
    facts,
    hearing,
    keeping,
    link,
    login,
    port,
    setter,
    showing,
    terminalViews,
    turns,
    voice,
    runNext,
  };
}
