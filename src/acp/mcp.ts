/** MCP servers that a session is to have: as the user has configured them, and as they go to the agent. */
import { object } from './coerce';

/** With all variables filled in. `env` and `headers` may hold secrets: they are never logged. */
export type McpServer = { name: string } & (
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string> }
  | { type: 'http' | 'sse'; url: string; headers: Record<string, string> }
);

/** A server that the session does not get. */
export interface McpLeft {
  name: string;
  /** For people: `the variable TOKEN is not set`. */
  why: string;
}

/** A file of the project that names servers, of which the user has not said yet whether they may be used. */
export interface McpAsk {
  /** Absolute. */
  path: string;
  /** Of what it holds. */
  digest: string;
  /** What it would run and connect to, a line each. Nothing in it is expanded. */
  lines: string[];
}

/** All that is known of a session's servers. */
export interface McpWanted {
  servers: McpServer[];
  left: McpLeft[];
  asks: McpAsk[];
}

/** Transports beside stdio, which every agent takes. */
export interface McpTakes {
  http: boolean;
  sse: boolean;
}

export function mcpTakes(capabilities: unknown): McpTakes {
  const { http, sse } = object(capabilities) ?? {};
  return { http: http === true, sse: sse === true };
}

/** The servers as `session/new` takes them, and those that the agent can't take. */
export function forAgent(
  servers: readonly McpServer[],
  takes: McpTakes,
): { wire: object[]; left: McpLeft[] } {
  const able = (server: McpServer): boolean => server.type === 'stdio' || takes[server.type];
  const left = servers.filter((server) => !able(server));
  return {
    wire: servers.filter(able).map(onWire),
    left: left.map(({ name, type }) => ({ name, why: `it takes none by ${type.toUpperCase()}` })),
  };
}

function onWire(server: McpServer): object {
  const { name } = server;
  if (server.type !== 'stdio') {
    return { type: server.type, name, url: server.url, headers: pairs(server.headers) };
  }
  return { name, command: server.command, args: server.args, env: pairs(server.env) };
}

function pairs(values: Record<string, string>): { name: string; value: string }[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
