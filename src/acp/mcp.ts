/** MCP servers that a session is to have, as the user has configured them. */

/** With all variables filled in. `env` and `headers` may hold secrets: they are never logged. */
export type McpServer = { name: string } & (
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string> }
  | { type: 'http' | 'sse'; url: string; headers: Record<string, string> }
);
