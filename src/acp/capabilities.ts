import { RequestError } from '@agentclientprotocol/sdk';
import { extendedCapabilities, merged } from './extensions/index';
import { steers } from './extensions/steering';
import { label, number, object, objects, string, text } from './coerce';

/** Put in by the bundler from package.json. */
declare const __VERSION__: string;

export const VERSION = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0-dev';

/** The version of ACP that we speak. */
const PROTOCOL_VERSION = 1;

const CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  session: { configOptions: { boolean: {} }, notices: {} },
};

/** What we send with `initialize`. Only what is implemented is advertised. */
export function initializeParams() {
  return {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'acp-sidecar.nvim', title: 'Neovim', version: VERSION },
    clientCapabilities: merged(CAPABILITIES, extendedCapabilities()),
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
  takes: { image: boolean; audio: boolean; embedded: boolean; steering: boolean };
  authMethods: { id: string; name: string; description: string | null }[];
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
  return {
    protocolVersion: version,
    name: label(info?.name) ?? null,
    title: label(info?.title) ?? null,
    version: label(info?.version) ?? null,
    load: caps.loadSession === true,
    resume: session.resume != null,
    close: session.close != null,
    list: session.list != null,
    fork: session.fork != null,
    delete: session.delete != null,
    rename: session.title != null,
    takes: {
      image: prompt.image === true,
      audio: prompt.audio === true,
      embedded: prompt.embeddedContext === true,
      steering: steers(top._meta),
    },
    authMethods: objects(top.authMethods).map((method) => ({
      id: string(method.id) ?? '',
      name: label(method.name) ?? label(method.id) ?? '',
      description: text(method.description) ?? null,
    })),
  };
}
