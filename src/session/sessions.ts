/** All sessions of this Neovim, and what it may ask of them: the sidecar's half of the door. */
import { VERSION } from '../acp/capabilities';
import { errorText } from '../acp/connection';
import { AgentPool } from '../agent/pool';
import { Finders } from '../files/finders';
import type { Editor } from '../nvim/editor';
import type { SidecarConfig, ToSidecar, ToSidecarMethod } from '../nvim/protocol';
import { Flush } from '../render/flush';
import { forgetOld } from '../review/stored';
import { Store } from '../store/store';
import { Catalog } from './catalog';
import type { Changes } from './changes';
import { Conflicts } from './conflicts';
import { newOrigin, originOf } from './origin';
import { Reminder } from './reminder';
import { Reviews } from './reviews';
import type { SessionContext } from './context';
import { Session } from './session';

type Handlers = {
  [M in ToSidecarMethod]: (params: ToSidecar[M]) => void | Promise<void>;
};

export class Sessions {
  readonly #editor: Editor;
  readonly #onFault: SessionContext['onFault'];
  readonly #sessions = new Map<string, Session>();
  readonly #opening = new Map<string, Promise<void>>();
  readonly #conflicts: Conflicts;
  readonly #reviews: Reviews;
  readonly #finders: Finders;
  #context: SessionContext | null = null;
  #reminder: Reminder | null = null;

  constructor(editor: Editor, onFault: SessionContext['onFault']) {
    this.#editor = editor;
    this.#onFault = onFault;
    this.#conflicts = new Conflicts({
      editor,
      hosts: () => this.#all().map(({ host }) => host),
      baseText: (path) => this.#recorded(path),
      onResolved: (path, mine, after) => this.#inAll((to) => to.resolved(path, mine, after)),
      tell: (level, message) => this.#tell(level, message),
    });
    this.#finders = new Finders(onFault);
    this.#reviews = new Reviews({
      context: () => this.#started(),
      session: (id) => this.#sessions.get(id),
      sessionIn: (cwd) =>
        this.#all().findLast((session) => session.cwd === cwd && session.changes.begun),
      isOpen: (file) => this.#all().some(({ changes }) => changes.file === file),
    });
  }

  /** Takes a notification of Neovim's. A fault is reported; it never ends the sidecar. */
  handle(method: string, params: unknown): void {
    const handler = (this.#handlers as Record<string, (params: never) => void | Promise<void>>)[
      method
    ];
    if (!handler) return this.#onFault(method, new Error('no such method'));
    const { session } = params as { session?: string };
    // A session that is being read from the store takes what comes for it afterwards, in order.
    const opening = session === undefined ? undefined : this.#opening.get(session);
    const done = (opening ?? Promise.resolve())
      .then(() => handler(params as never))
      .catch((error: unknown) => this.#onFault(method, error));
    // At once: what comes for it may stand in the same piece of input.
    if (method === 'session.open' && session !== undefined) this.#reads(session, done);
  }

  /** What comes for the session waits until it is read. */
  #reads(session: string, done: Promise<void>): void {
    this.#opening.set(session, done);
    void done.then(() => {
      if (this.#opening.get(session) === done) this.#opening.delete(session);
    });
  }

  /** Ends all agents and terminals. */
  async end(): Promise<void> {
    // What Neovim said last may still wait for its session.
    while (this.#opening.size > 0) await Promise.all(this.#opening.values());
    await Promise.all(this.#all().map((session) => session.end()));
    await this.#context?.pool.end();
    // What agents leave behind is theirs, what comes later is not.
    await Promise.all(this.#all().map(({ changes }) => changes.close()));
    await this.#reviews.close();
  }

  readonly #handlers: Handlers = {
    start: ({ config }) => this.#start(config),
    'session.open': (params) => this.#open(params),
    'session.close': async ({ session }) => {
      const known = this.#sessions.get(session);
      this.#sessions.delete(session);
      await known?.close();
    },
    'session.restart': ({ session, mcp, agent }) => {
      if (mcp) this.#get(session).equipment.mcp = mcp;
      return this.#get(session).restart(agent);
    },
    'prompt.send': ({ session, ...prompt }) => {
      this.#get(session).send(prompt);
      this.#finders.mentioned(this.#get(session).roots, prompt.attachments ?? []);
    },
    'draft.save': ({ session, draft }) => this.#get(session).saveDraft(draft),
    'prompt.cancel': ({ session }) => this.#get(session).cancel(),
    'question.answer': ({ session, question, option, ...more }) => {
      this.#get(session).answer(question, option, more);
    },
    'form.check': ({ session, question, values }) => {
      this.#get(session).checkForm(question, values);
    },
    'session.dirs': ({ session, dirs }) => this.#get(session).equipment.setDirs(dirs),
    'session.mcp': ({ session, mcp }) => this.#get(session).equipment.setMcp(mcp),
    'login.open': ({ session }) => this.#get(session).login.open(),
    'login.start': ({ session, ...how }) => this.#get(session).login.start(how),
    'login.cancel': ({ session }) => this.#get(session).login.cancel(),
    'login.ended': ({ session, ...how }) => this.#get(session).login.ended(how),
    'login.out': ({ session }) => this.#get(session).login.out(),
    'terminal.open': ({ session, terminal }) => this.#get(session).terminalViews.open(terminal),
    'terminal.close': ({ session, terminal }) => this.#get(session).terminalViews.close(terminal),
    'terminal.stop': ({ session, terminal }) => this.#get(session).terminalViews.stop(terminal),
    'subagent.cancel': ({ session, block }) => this.#get(session).cancelSubagent(block),
    'block.act': ({ session, block, action }) => this.#get(session).act(block, action),
    'config.set': ({ session, option, value }) => this.#get(session).setConfig(option, value),
    'sessions.list': async ({ id, ...of }) => {
      const { rows, notes } = await this.#started().catalog.list(of);
      await this.#editor.request('sessions.show', { id, rows, notes });
    },
    'sessions.rename': async ({ row, agent, title }) => {
      this.#tellAll(await this.#started().catalog.rename(row, agent, title));
    },
    'sessions.delete': async ({ row, agent }) => {
      this.#tellAll(await this.#started().catalog.remove(row, agent));
    },
    'session.export': ({ session, id }) => this.#get(session).showing.export(id),
    'queue.set': ({ session, entries }) => this.#get(session).setQueue(entries),
    'queue.clear': ({ session }) => this.#get(session).clearQueue(),
    'files.find': async ({ session, id, query, limit }) => {
      const found = await this.#finders.find(this.#get(session).roots, query, limit);
      await this.#editor.request('files.found', { session, id, ...found });
    },
    'view.resize': ({ session, columns }) => this.#get(session).showing.resize(columns),
    'block.fold': ({ session, block, expanded }) =>
      this.#get(session).showing.fold(block, expanded),
    'block.inspect': ({ session, block, details }) =>
      this.#get(session).showing.inspect(block, details),
    'block.diff': ({ session, block }) => this.#get(session).showing.diff(block),
    'buffer.saved': async ({ path, before, text }) => {
      this.#conflicts.settled(path);
      await Promise.all(this.#all().map((session) => session.saved(path, before, text)));
    },
    'buffer.conflict': ({ path }) => this.#conflicts.found(path),
    'review.open': (params) => this.#reviews.open(params),
    'review.decide': (params) => this.#reviews.decide(params),
    'review.diff': (params) => this.#reviews.diff(params),
    'review.undo': (params) => this.#reviews.undo(params),
    'review.resend': (params) => this.#reviews.resend(params),
    'review.drop': (params) => this.#reviews.drop(params),
  };

  #start(config: SidecarConfig): void {
    const tell = (message: string) => this.#tell('warn', message);
    if (config.version !== VERSION) {
      tell(
        `the sidecar is version ${VERSION}, the plugin ${config.version}: build it with \`make\``,
      );
    }
    const store = new Store({
      stateDir: config.stateDir,
      limits: config.sessions,
      now: Date.now,
      onFault: (where, error) => {
        this.#onFault(where, error);
        this.#tell('warn', errorText(error));
      },
    });
    store.sweep().catch((error: unknown) => this.#onFault('old sessions', error));
    forgetOld(config.stateDir).catch((error: unknown) => this.#onFault('old reviews', error));
    const pool = new AgentPool(config, tell);
    const catalog = new Catalog({
      store,
      pool,
      sessions: () => this.#all().map((session) => session.listed),
      now: Date.now,
      onFault: this.#onFault,
    });
    this.#reminder = new Reminder({ store, isOpen: (key) => this.#byKey(key) !== undefined });
    this.#context = {
      editor: this.#editor,
      config,
      pool,
      store,
      catalog,
      flush: new Flush({
        send: async (frames) => void (await this.#editor.request('frame', { frames })),
        onError: (error) => this.#onFault('frame', error),
      }),
      now: Date.now,
      conflicts: this.#conflicts,
      named: new Set(),
      onFault: this.#onFault,
    };
  }

  /** Opens a session: a new one at once, one that was there before when it is read. */
  async #open(params: ToSidecar['session.open']): Promise<void> {
    const context = this.#started();
    const { store, catalog } = context;
    const { from, fork = false, before, cwd } = params;
    const agent = params.agent.name;
    const origin =
      from === undefined
        ? newOrigin(store, { agent, cwd })
        : await originOf(
            { agent, cwd, from, fork, ...(before !== undefined && { before }) },
            {
              store,
              catalog,
              flush: (key) => this.#byKey(key)?.keeping.flush(),
              onFault: (error) => this.#onFault('opening a session', error),
            },
          );
    const session = new Session(params, origin, context);
    this.#sessions.set(params.session, session);
    if (origin.fault === null) session.open();
    await session.restoreDraft();
    if (from === undefined) this.#remind(session);
  }

  /** Nothing waits for that. */
  #remind(session: Session): void {
    this.#reminder
      ?.of(session.cwd)
      .then((words) => words !== null && session.remind(words))
      .catch((error: unknown) => this.#onFault('what is unfinished', error));
  }

  #byKey(key: string): Session | undefined {
    return this.#all().find(({ keeping }) => keeping.key === key);
  }

  #tell(level: 'warn' | 'error', message: string): void {
    this.#editor
      .request('notify', { level, message })
      .catch((error: unknown) => this.#onFault('notify', error));
  }

  #tellAll(notes: string[]): void {
    for (const note of notes) this.#tell('warn', note);
  }

  #all(): Session[] {
    return [...this.#sessions.values()];
  }

  async #inAll(tell: (changes: Changes) => Promise<void>): Promise<void> {
    await Promise.all(this.#all().map(({ changes }) => tell(changes)));
  }

  /** The text of a file as some session recorded it last. */
  async #recorded(path: string): Promise<string | null> {
    for (const { changes } of this.#all().reverse()) {
      const text = await changes.recorded(path);
      if (text !== null) return text;
    }
    return null;
  }

  #started(): SessionContext {
    if (!this.#context) throw new Error('the first message must be start');
    return this.#context;
  }

  #get(id: string): Session {
    const session = this.#sessions.get(id);
    if (!session) throw new Error(`no session ${id}`);
    return session;
  }
}
