/**
 * What the user gives a session beside its own folder: MCP servers, and further folders. The agent gets what of them it
 * can take, whenever the session is opened; what changes while it is open is given by opening it once more, between turns.
 */
import { stat } from 'node:fs/promises';
import type { AgentInfo } from '../acp/capabilities';
import { forAgent, type McpAsk, type McpLeft, type McpWanted } from '../acp/mcp';
import { relative } from '../render/subject';
import { count, inFull, oneLine } from '../text';
import type { Asking } from './asking';
import type { Given } from './opening';
import type { Session } from './session';
import type { Voice } from './voice';

/** Kind of the cards that ask about a file that names MCP servers. */
const TRUST = 'MCP servers';

const OPTIONS = [
  { id: 'allow', name: 'Use them', kind: 'allow_always' },
  { id: 'refuse', name: 'Don’t use them', kind: 'reject_always' },
  { id: 'show', name: 'Show the file first', kind: 'show_file' },
];

const NO_DIRS = 'takes no further folders';

const NONE: McpWanted = { servers: [], left: [], asks: [] };

export interface EquipmentOptions {
  session: Session;
  voice: Voice;
  mcp: McpWanted | undefined;
  /** Folders that the configuration names. */
  dirs: readonly string[];
  /** Folders that were added when the session was open before. */
  kept: readonly string[];
  asking: () => Asking;
  /** What the agent said of itself, while the session is open on it. */
  open: () => AgentInfo | null;
  /** The agent's name, for people. */
  agent: () => string;
  /** Whether the agent does nothing for the session. */
  idle: () => boolean;
  /** Opens the session once more, where it is; what comes of it is told. */
  reopen: () => void;
}

export class Equipment {
  readonly #options: EquipmentOptions;
  #mcp: McpWanted;
  #dirs: readonly string[];
  #question: AbortController | null = null;
  /** The agent has something else than it should. */
  #due = false;
  /** What was told already. */
  readonly #told = new Set<string>();

  constructor(options: EquipmentOptions) {
    this.#options = options;
    this.#mcp = options.mcp ?? NONE;
    this.#dirs = [...new Set([...options.dirs, ...options.kept])];
  }

  /** Further folders, absolute. */
  get dirs(): readonly string[] {
    return this.#dirs;
  }

  /**
   * What goes to the agent when the session is opened. What has to be asked is asked now: whoever waits for it is the
   * session, not the user, who can type meanwhile. `wanted`: whether it is still to be opened.
   */
  async given(info: AgentInfo, wanted: () => boolean): Promise<Given> {
    await this.#settle(wanted);
    this.#due = false;
    this.#keep();
    const { wire, left } = forAgent(this.#mcp.servers, info.mcp);
    if (wanted()) this.#tellLeft([...this.#mcp.left, ...left]);
    if (wanted() && !info.directories && this.#dirs.length > 0) this.#tellNone();
    const dirs = info.directories ? await this.#present() : [];
    return { mcpServers: wire, ...(dirs.length > 0 && { additionalDirectories: dirs }) };
  }

  /** All further folders of the session are these. */
  setDirs(dirs: readonly string[]): void {
    const { session, open } = this.#options;
    this.#dirs = [...new Set(dirs)];
    this.#keep();
    session.changes.adopt(this.#dirs);
    session.changed();
    const info = open();
    if (!info || info.directories) return this.#changed('its folders');
    this.#told.delete(NO_DIRS);
    this.#tellNone();
  }

  /** The servers that the agent gets when the session is opened next. */
  set mcp(mcp: McpWanted) {
    this.#mcp = mcp;
    // What is asked now may be decided.
    this.#question?.abort();
  }

  /** The same, and it is opened anew for them. */
  setMcp(mcp: McpWanted): void {
    this.mcp = mcp;
    this.#changed('its MCP servers');
  }

  /** Gives the agent what has changed, unless it works: then it is given after the turn. */
  apply(): void {
    if (this.#due && this.#options.open() && this.#options.idle()) this.#options.reopen();
  }

  /** Those that the configuration does not name come back with the session. */
  #keep(): void {
    const { session, dirs } = this.#options;
    session.keeping.recorder?.dirs(this.#dirs.filter((dir) => !dirs.includes(dir)));
  }

  #changed(what: string): void {
    const { voice, open, agent } = this.#options;
    const info = open();
    this.#due = true;
    if (info && !info.resume && !info.load) {
      this.#due = false;
      return voice.tell('warn', `${agent()} can change ${what} only in a new session (:AcpNew)`);
    }
    this.apply();
  }

  /** Asks about each file that the user has not decided about. Without an answer its servers are left out. */
  async #settle(wanted: () => boolean): Promise<void> {
    const { session, voice } = this.#options;
    for (let ask = this.#mcp.asks[0]; ask && wanted(); ask = this.#mcp.asks[0]) {
      const { path, digest } = ask;
      const choice = await this.#ask(ask);
      if (choice !== null) {
        const decided = { session: session.id, path, digest, choice };
        this.#mcp = await session.context.editor.request('mcp.decide', decided);
      } else if (wanted() && this.#mcp.asks.includes(ask)) {
        const asks = this.#mcp.asks.filter((other) => other !== ask);
        this.#mcp = { ...this.#mcp, asks };
        const name = relative(path, session.cwd);
        voice.tell('info', `the MCP servers of ${name} are not used for now: :AcpMcp decides`);
      }
    }
  }

  async #ask({ path, lines }: McpAsk): Promise<'allow' | 'refuse' | 'show' | null> {
    const { session, asking } = this.#options;
    const { reducer, context, cwd } = session;
    const id = asking().questions.newId();
    const now = context.now();
    const name = relative(path, cwd);
    const detail = lines.flatMap(inFull);
    const call = {
      id: `${TRUST}:${id}`,
      kind: TRUST,
      title: name,
      locations: [{ path }],
      content: [{ type: 'text' as const, text: detail.join('\n') }],
    };
    const tool = reducer.toolOfQuestion(id, call, now);
    // It is no call that a turn could end, and nothing of it is hidden.
    const done = { id: call.id, status: 'completed' as const };
    reducer.apply({ type: 'tool_call', patch: done, announced: false }, now);
    reducer.fold(tool.id, true);
    const about = {
      id,
      options: OPTIONS,
      title: `${name} names ${count(lines.length, 'MCP server')} for the agent`,
      diff: [],
      editable: 'the file is yours: change it in its buffer',
      more: { detail },
      waits: true,
    };
    this.#question = new AbortController();
    const answer = await asking().ask(tool, about, this.#question.signal);
    this.#question = null;
    // It is no part of the conversation.
    session.removeBlock(tool.id);
    session.changed();
    return (answer?.option.id as 'allow' | 'refuse' | 'show' | undefined) ?? null;
  }

  #tellLeft(left: readonly McpLeft[]): void {
    const { voice, agent } = this.#options;
    const lines = left.map(({ name, why }) => `${oneLine(name)}: ${oneLine(why)}`);
    const fresh = lines.filter((line) => !this.#told.has(line));
    const [line] = fresh;
    if (line === undefined) return;
    for (const each of fresh) this.#told.add(each);
    const several = fresh.length > 1;
    voice.warn({
      title: several
        ? `${agent()} does not get ${fresh.length} MCP servers`
        : `${agent()} does not get the MCP server ${line}`,
      detail: several ? fresh.join('\n') : '',
    });
  }

  #tellNone(): void {
    const { voice, agent } = this.#options;
    if (this.#told.has(NO_DIRS)) return;
    this.#told.add(NO_DIRS);
    voice.tell('warn', `${agent()} ${NO_DIRS}: it can read and write there only through Neovim`);
  }

  /** Those folders that are there: some agents open no session with one that is not. */
  async #present(): Promise<string[]> {
    const { voice } = this.#options;
    const present: string[] = [];
    for (const dir of this.#dirs) {
      const there = await stat(dir).catch(() => null);
      if (there?.isDirectory()) present.push(dir);
      else if (!this.#told.has(dir)) {
        this.#told.add(dir);
        voice.warn({ title: `There is no folder ${oneLine(dir)} any more`, detail: '' });
      }
    }
    return present;
  }
}
