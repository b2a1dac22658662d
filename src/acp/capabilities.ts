import { RequestError } from '@agentclientprotocol/sdk';
import type { AgentSpec } from '../nvim/protocol';
import type { Account } from './events';
import {
  accountOf,
  extendedCapabilities,
  formerRequests,
  merged,
  steers,
  takesMissingAsEmpty,
} from './extensions/index';
import { authMethods, type AuthMethod } from './login';
import { mcpTakes, type McpTakes } from './mcp';
import { label, number, object, type Json } from './coerce';
import { withMeta, withoutThose } from './withhold';

/** Put in by the bundler from package.json. */
declare const __VERSION__: string;

export const VERSION = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0-dev';

/** The version of ACP that we speak. */
const PROTOCOL_VERSION = 1;

const CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
  auth: { terminal: true },
  plan: {},
  subagents: {},
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
};

/** What we send with `initialize`. Only what is implemented is advertised, and of that what the agent shall see. */
export function initializeParams({ withhold, meta }: Pick<AgentSpec, 'withhold' | 'meta'> = {}) {
  const all = merged(CAPABILITIES, extendedCapabilities());
  return {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'acp-sidecar.nvim', title: 'Neovim', version: VERSION },
    clientCapabilities: withMeta(withoutThose(all, withhold), meta?.client),
  };
}

/** What the agent said of itself. Everything that is missing is unsupported. */
export interface AgentInfo {
  protocolVersion: number;
  name: string | null;
  title: string | null;
  version: string | null;
  load: boolean;
  resume: boolean;
  close: boolean;
  list: boolean;
  fork: boolean;
  delete: boolean;
  /** `session/set_title`. */
  rename: boolean;
  mcp: McpTakes;
  /** `additionalDirectories`. */
  directories: boolean;
  takes: { image: boolean; audio: boolean; embedded: boolean; steering: boolean };
  /** It makes no file unless one that is missing reads as an empty one. */
  missingIsEmpty: boolean;
  authMethods: AuthMethod[];
  auth: AuthRequests;
}

/** Requests about who is logged in; null: it takes none. */
export interface AuthRequests {
  /** A method. */
  logout: string | null;
  status: { method: string; account: (result: Json) => Account } | null;
}

/** Throws where the agent speaks no version that we do: then nothing else that it says can be understood. */
export function agentInfo(result: unknown): AgentInfo {
  const top = object(result) ?? {};
  const version = number(top.protocolVersion) ?? PROTOCOL_VERSION;
  if (version > PROTOCOL_VERSION) {
    throw new RequestError(
      -32022,
      `it speaks version ${version} of ACP, and Neovim’s side version ${PROTOCOL_VERSION}`,
    );
  }
  const info = object(top.agentInfo) ?? object(top.info);
  const caps = object(top.agentCapabilities) ?? {};
  const prompt = object(caps.promptCapabilities) ?? {};
  const session = object(caps.sessionCapabilities) ?? {};
  const name = label(info?.name) ?? null;
  return {
    protocolVersion: version,
    name,
    title: label(info?.title) ?? null,
    version: label(info?.version) ?? null,
    load: caps.loadSession === true,
    resume: session.resume != null,
    close: session.close != null,
    list: session.list != null,
    fork: session.fork != null,
    delete: session.delete != null,
    rename: session.title != null,
    mcp: mcpTakes(caps.mcpCapabilities),
    directories: session.additionalDirectories != null,
    takes: {
      image: prompt.image === true,
      audio: prompt.audio === true,
      embedded: prompt.embeddedContext === true,
      steering: steers(top._meta),
    },
    missingIsEmpty: takesMissingAsEmpty(name),
    authMethods: authMethods(top.authMethods),
    auth: authRequests(caps, name),
  };
}

function authRequests(caps: Json, name: string | null): AuthRequests {
  const auth = object(caps.auth) ?? {};
  const former = formerRequests(name, object(caps._meta)?.authStatus != null);
  return {
    logout: auth.logout != null ? 'logout' : (former?.logout ?? null),
    status:
      auth.status != null
        ? { method: 'auth/status', account: accountOf }
        : (former?.status ?? null),
  };
}
