/**
 * Logging in at a session's agent, and out: which ways there are, the one that was chosen, and what waits for it. The agent
 * is asked for nothing of that while it works without.
 */
import { ConnectionLost, errorText } from '../acp/connection';
import type { Account } from '../acp/events';
import type { AuthMethod } from '../acp/login';
import type { Agent } from '../agent/agent';
import { commandLine, folderOf } from '../agent/launch';
import type { SessionPort } from '../agent/session-port';
import type { AgentSpec, Status, ToEditor, ToEditorMethod, ToSidecar } from '../nvim/protocol';
import { withoutSecrets } from '../wire/redact';
import type { Link } from './link';
import { LoginWays } from './login-ways';
import type { Session } from './session';
import type { Turns } from './turns';
import type { Voice } from './voice';

export interface LoginOptions {
  session: Session;
  spec: AgentSpec;
  link: Link;
  port: SessionPort;
  turns: Turns;
  voice: Voice;
}

type Values = Record<string, string>;

export class Login {
  readonly #options: LoginOptions;
  #account: Account | null = null;
  /** Nobody has told that the user is logged out, but the agent refuses to work. */
  #guessed = false;
  /** A prompt or the session itself waits for a login. */
  #waits = false;
  #inTerminal = false;
  #attempt: { name: string; cancelled: AbortController } | null = null;
  /** What is done, and whether it has helped is yet to be seen. */
  #unproved: string | null = null;
  /** A session was asked for before that was done: the answer says nothing of it. */
  #late = false;
  /** The block that says that a login is wanted. */
  #notice: string | null = null;
  readonly #ways: LoginWays;
  /** The agent shall be had anew when the turn is over. */
  #stale = false;

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#ways = new LoginWays(options.link, () => options.spec);
  }

  /** As Neovim is told of it. */
  get status(): Pick<Status, 'account' | 'login'> {
    const methods = this.#ways.all.map(({ id, name }) => ({ id, name }));
    const out = (this.#options.link.info?.auth.logout ?? null) !== null;
    return { account: this.#account, login: { methods, out } };
  }

  /** The agent is logging in, or a program does. */
  get running(): boolean {
    return this.#attempt !== null || this.#inTerminal;
  }

  /** The agent says who is logged in. */
  told(account: Account): void {
    this.#account = account;
    this.#guessed = false;
  }

  /** The agent refuses to go on without a login. What waits does so until then. */
  wanted(error: unknown): void {
    const { link, turns } = this.#options;
    if (this.#late) {
      this.#late = false;
      return link.unlock();
    }
    turns.hold();
    this.#waits = true;
    this.#ways.learn(error);
    this.#guessed ||= this.#account?.state !== 'out';
    this.#account = { state: 'out' };
    const vain = this.#unproved;
    this.#settle('failed');
    const words = errorText(error);
    const did = vain === null ? 'wants you to log in' : `still wants a login after ‘${vain}’`;
    this.#refused(`${link.name} ${did}: ${words}`, words);
  }

  /** The user wants to log in: tells the ways. */
  open(): void {
    this.#ways.forget();
    void this.#offer();
  }

  async #offer(): Promise<void> {
    const { link, voice } = this.#options;
    if (!(await this.#agent())) return;
    if (this.#ways.left.length > 0) return this.#choose();
    voice.tell('info', `${link.name} names no way to log in; its own program may have one`);
  }

  /** Logs in by one of them. */
  async start({ method, values = {} }: Omit<ToSidecar['login.start'], 'session'>): Promise<void> {
    const { link, voice } = this.#options;
    const way = this.#ways.get(method);
    if (!way) return voice.tell('warn', `${link.name} has no such way to log in any more`);
    switch (way.type) {
      case 'agent':
      case 'fields':
      case 'variables':
        return this.#authenticate(way, values);
      case 'terminal':
        return this.#runInTerminal(way);
      case 'unknown':
        return voice.tell('warn', `${way.name} is a way to log in that is not known here`);
    }
  }

  /** The user gives it up, or chose nothing. What waited goes back to the prompt. */
  cancel(): void {
    const { link, voice } = this.#options;
    const attempt = this.#attempt;
    this.#attempt = null;
    this.#inTerminal = false;
    attempt?.cancelled.abort();
    if (attempt) this.#tell(attempt.name, 'failed');
    if (this.#giveBack()) {
      voice.tell('info', 'the prompt was kept: :AcpLogin logs in, then send it again');
    } else if (attempt) voice.tell('info', `gave up logging in at ${link.name}`);
  }

  /** The program that was run for it has ended. */
  ended({ method, code }: Omit<ToSidecar['login.ended'], 'session'>): void {
    const { session, link, voice } = this.#options;
    const name = this.#ways.nameOf(method);
    this.#inTerminal = false;
    if (code === 0) {
      this.#proves(method);
      const { agent } = link;
      if (!agent) return this.done('anew');
      session.context.pool.retire(agent);
      return agent.authentication.done('anew');
    }
    const kept = this.#giveBack() ? 'the prompt was kept, and ' : '';
    const how = code === undefined ? 'could not be started' : `ended with code ${code}`;
    voice.tell('warn', `‘${name}’ ${how}: ${kept}:AcpLogin tries once more`);
  }

  /** Somebody has logged in at the agent. `anew`: it knows that when it starts anew. */
  done(how: 'here' | 'anew'): void {
    const { link, turns, voice } = this.#options;
    if (how === 'anew' && turns.state !== 'idle') {
      this.#stale = true;
      voice.tell('info', `logged in: ${link.name} is started anew when its turn is over`);
      return;
    }
    if (this.#waits) {
      this.#waits = false;
      turns.release();
    }
    this.#late = how === 'here' && link.state === 'starting';
    if (how === 'here') link.unlock();
    else if (link.agent) void link.renew();
    else if (turns.waiting.length > 0) link.open();
    // Else the answer to what is sent now shows it.
    if (link.state !== 'starting') this.#settle('done');
  }

  /** The agent has given a session. */
  opened(): void {
    this.#late = false;
    if (!this.#waits) this.#works();
    this.#settle('done');
  }

  turnEnded(stopReason: string): void {
    if (stopReason === 'end_turn') this.#works();
    if (!this.#stale) return;
    this.#stale = false;
    void this.#options.link.renew();
  }

  async out(): Promise<void> {
    const { link, voice } = this.#options;
    const agent = await this.#agent();
    if (!agent) return;
    const { logout = null } = link.info?.auth ?? {};
    if (logout === null) {
      return voice.tell('warn', `${link.name} can’t be logged out from here`);
    }
    try {
      await agent.authentication.logout(logout);
      voice.tell('info', `logged out at ${link.name}`);
    } catch (error) {
      if (error instanceof ConnectionLost) return; // Its end is told.
      voice.tell('error', `${link.name} could not log out: ${errorText(error)}`);
    }
  }

  /** The agent's process, when it can be spoken to; it is started where it doesn't run. */
  async #agent(): Promise<Agent | null> {
    const { link, voice } = this.#options;
    const agent = await link.process();
    if (!agent && link.state === 'saved') {
      voice.tell('warn', `${link.name} does not run: this session can only be read`);
    }
    // Why it can't be had is told by its end.
    return (
      agent?.ready.then(
        () => agent,
        () => null,
      ) ?? null
    );
  }

  async #authenticate(way: AuthMethod, values: Values): Promise<void> {
    const { link, port } = this.#options;
    this.#attempt?.cancelled.abort();
    const attempt = { name: way.name, cancelled: new AbortController() };
    this.#attempt = attempt;
    const agent = await this.#agent();
    if (this.#attempt !== attempt) return; // It was given up.
    if (!agent) return void (this.#attempt = null);
    this.#tell(way.name, 'running');
    for (const secret of this.#secrets(way, values)) agent.hide(secret);
    const meta = way.type === 'fields' ? way.meta(values) : {};
    const params = { methodId: way.id, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
    try {
      await agent.authentication.login(port, params, attempt.cancelled.signal);
    } catch (error) {
      if (this.#attempt !== attempt) return; // It was given up.
      this.#attempt = null;
      this.#tell(way.name, 'failed');
      if (error instanceof ConnectionLost) return; // Its end is told.
      const words = withoutSecrets(errorText(error), this.#secrets(way, values));
      return this.#refused(`${link.name} could not log in by ‘${way.name}’: ${words}`, words);
    }
    if (this.#attempt !== attempt) return;
    this.#attempt = null;
    this.#proves(way.id);
    agent.authentication.done('here');
  }

  #secrets(way: AuthMethod, values: Values): string[] {
    const fields = way.type === 'fields' ? way.fields : [];
    return fields.flatMap(({ name, secret }) => (secret && values[name] ? [values[name]] : []));
  }

  #runInTerminal({ id, name, program }: AuthMethod & { type: 'terminal' }): void {
    const { session, spec } = this.#options;
    const { command, args, env } = program;
    this.#inTerminal = true;
    const run = command === undefined ? [...spec.args, ...args] : args;
    const [first, ...rest] = commandLine(
      { ...spec, command: command ?? spec.command, args: run },
      session.cwd,
    );
    this.#request('login.terminal', {
      session: session.id,
      method: id,
      name,
      command: first,
      args: rest,
      env: { ...spec.env, ...env },
      cwd: folderOf(spec, session.cwd),
      ...(command !== undefined && { foreign: true as const }),
    });
  }

  /** It is not known whether it helps before the agent works. */
  #proves(method: string): void {
    this.#ways.tried(method);
    this.#unproved = this.#ways.nameOf(method);
  }

  #settle(state: 'done' | 'failed'): void {
    const name = this.#unproved;
    if (name === null) return;
    this.#unproved = null;
    if (state === 'done') this.#ways.forget();
    this.#tell(name, state);
  }

  /** What the agent has told of the user is so, though. */
  #works(): void {
    this.#unsay();
    if (this.#guessed) this.#account = null;
    this.#guessed = false;
    this.#options.session.changed();
  }

  /** Says why there is no login yet, in the transcript, and lets the user choose how there will be one. */
  #refused(title: string, reason: string): void {
    const { session, link, turns, voice } = this.#options;
    const { left, fewer } = this.#ways;
    this.#unsay();
    session.changed();
    if (left.length === 0) {
      const kept = this.#giveBack() ? ' Your prompt was kept.' : '';
      const other = fewer ? 'other ' : '';
      const own = `Log in with ${link.name}’s own program in a terminal, then :AcpRestart.`;
      this.#notice = voice.warn({ title, detail: `It names no ${other}way. ${own}${kept}` });
      return;
    }
    const ways = left.map(({ name, description }) => {
      return description === undefined ? `  ${name}` : `  ${name}: ${description}`;
    });
    const detail = [fewer ? 'Ways that are left, by :AcpLogin:' : 'Ways, by :AcpLogin:', ...ways];
    if (turns.waiting.length > 0) detail.push('What you sent waits until then.');
    this.#notice = voice.warn({ title, detail: detail.join('\n') });
    this.#choose(reason);
  }

  /** What was said of a login is so no longer. */
  #unsay(): void {
    if (this.#notice !== null) this.#options.session.removeBlock(this.#notice);
    this.#notice = null;
  }

  #choose(reason?: string): void {
    const { session, link, turns } = this.#options;
    const choice = {
      session: session.id,
      agent: link.name,
      ...(reason !== undefined && { reason }),
      methods: this.#ways.left,
      held: this.#waits ? turns.waiting.length : 0,
    };
    // What is said of it first: the choice may take the screen, and then frames have to wait.
    void session.context.flush.taken().then(() => this.#request('login.choose', choice));
  }

  /** What waits for the login goes back to the prompt. Says whether there was anything. */
  #giveBack(): boolean {
    const { turns } = this.#options;
    const waits = this.#waits && turns.waiting.length > 0;
    this.#waits = false;
    if (waits) turns.takeBack();
    return waits;
  }

  #tell(name: string, state: ToEditor['login.state'][0]['state']): void {
    this.#request('login.state', { session: this.#options.session.id, name, state });
  }

  #request<M extends ToEditorMethod>(method: M, params: ToEditor[M][0]): void {
    const { editor, onFault } = this.#options.session.context;
    editor.request(method, params).catch((error: unknown) => onFault(method, error));
  }
}
