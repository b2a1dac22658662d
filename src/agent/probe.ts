/** Tries an agent for `:checkhealth acp`: starts it, sends `initialize`, ends it. */
import type { Readable, Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { errorText, isAgentError } from '../acp/connection';
import type { AgentSpec } from '../nvim/protocol';
import { Agent } from './agent';

/** Kept shorter than the patience of the health check, so that the agent is ended by us. */
const TIMEOUT_MS = 20_000;

/** What the probe prints, as one line of JSON. */
export interface ProbeResult {
  ok: boolean;
  /** What the agent calls itself, with its version. */
  agentInfo?: { name: string | null; title: string | null; version: string | null };
  protocolVersion?: number;
  authMethods?: { id: string; name: string }[];
  error?: string;
  /** Its last lines on stderr. */
  stderr?: string[];
  /** Its first lines on stdout that were no messages: of a program that was not told to speak ACP. */
  noise?: string[];
}

const NOISE_LINES = 3;
const NOISE_CHARS = 200;

const noWire = {
  path: null,
  frame() {},
  chunks() {},
  event() {},
  hide() {},
  async close() {},
};

/** Reads an `AgentSpec` as JSON, prints a `ProbeResult`; gives the exit code. */
export async function probe(input: Readable, output: Writable): Promise<number> {
  const spec = JSON.parse(await readAll(input)) as AgentSpec;
  const result = await tryAgent({ ...spec, args: spec.args ?? [] });
  await new Promise((done) => output.write(`${JSON.stringify(result)}\n`, done));
  return result.ok ? 0 : 1;
}

async function tryAgent(spec: AgentSpec): Promise<ProbeResult> {
  const noise: string[] = [];
  const raw = (_: string, text: string): void => {
    if (noise.length < NOISE_LINES) noise.push(text.slice(0, NOISE_CHARS));
  };
  const agent = new Agent({ spec, cwd: process.cwd(), wire: { ...noWire, raw } });
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const words = `no answer to initialize within ${TIMEOUT_MS / 1000} s`;
    timer = setTimeout(() => reject(new Error(words)), TIMEOUT_MS);
  });
  try {
    const { name, title, version, protocolVersion, authMethods } = await Promise.race([
      agent.ready,
      timeout,
    ]);
    return {
      ok: true,
      agentInfo: { name, title, version },
      protocolVersion,
      authMethods: authMethods.map((method) => ({ id: method.id, name: method.name })),
    };
  } catch (error) {
    if (isAgentError(error)) return { ok: false, error: errorText(error) };
    await agent.end();
    const end = await agent.ended;
    const why = end.spawnError
      ? end.spawnError.message
      : end.code !== null
        ? `exited with code ${end.code}`
        : errorText(error);
    return { ok: false, error: why, stderr: end.stderr, noise };
  } finally {
    clearTimeout(timer);
    await agent.end();
  }
}
