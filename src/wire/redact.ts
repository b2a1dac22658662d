/**
 * Takes secrets out of frames on their way into the wire log, and cuts what is too long for a log.
 *
 * A frame keeps its shape: only strings change, to `[redacted 51 chars]` or to their beginning. Most frames hold
 * nothing that even looks like a secret; one pass of a regular expression over the written line tells.
 */

/** Strings longer than this are cut. */
const MAX_STRING = 64 * 1024;
/** A line of the log is no longer than about this, however many strings the frame holds. */
const MAX_LINE = 512 * 1024;

/** Names whose values are secret: `apiKey`, `GITHUB_TOKEN`, `set-cookie`; not `inputTokens`, not `tokenizer`. */
const SECRET_NAME =
  /(?:api|access|private|secret|signing|encryption|auth|license|subscription)[-_. ]?key|token$|passw|passphrase|secret|authori[sz]ation|credential|cookie|session[-_]?auth$/i;
/** Names of environment variables whose values are secret. */
const SECRET_VARIABLE = /(?:^|_)(?:KEY|TOKEN|SECRET|PASS|PASSWD|AUTH|DSN)(?:_BASE64)?$/;
/** Names under which every value is secret. */
const SECRET_BRANCH = /^headers$/i;
/** Names whose values are never secret themselves, wherever they stand. */
const PLAIN_NAME = /^(?:name|methodId)$/;

/** What secrets look like in text. A group named `keep` stays. */
const SECRET_TEXT =
  /(?<keep>\b(?:bearer|basic)\s+)[\w.~+/=-]{12,}|(?<![\w-])sk-(?=[\w-]*\d)[\w-]{16,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[opsur]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abeoprs]-[\w-]{10,}|\bAIza[\w-]{30,}|\bnpm_\w{30,}|\bhf_\w{20,}|(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+|-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gi;
/** Assignments in text, such as in the content of an `.env` or a settings file, or on a command line. */
const SECRET_VARIABLE_TEXT =
  /(?<before>\b[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|AUTH)=["']?)(?<value>[^\s"']{6,})/g;
const SECRET_FIELD_TEXT =
  /(?<before>"[\w.-]*(?:api[-_]?key|token|secret|password|authorization)"\s*:\s*")(?<value>[^\s"']{6,})/gi;
const SECRET_FLAG_TEXT =
  /(?<before>(?<![\w-])--?[\w-]*(?:api-?key|token|secret|password)[= ]["']?)(?<value>[^\s"']{6,})/gi;
/** A flag whose value is the next argument. */
const SECRET_FLAG = /^--?[\w-]*(?:api-?key|token|secret|password)$/i;
/** `//user:password@` of an address. */
const SECRET_ADDRESS = /(?<before>:\/\/[^/\s:@"]{0,100}:)(?<value>[^/\s:@"]{1,200})(?=@)/g;

const SECRET_PLACES = [SECRET_VARIABLE_TEXT, SECRET_FIELD_TEXT, SECRET_FLAG_TEXT, SECRET_ADDRESS];

/** Every line that the patterns above could change matches this. */
const SUSPECT =
  /key|token|secret|pass|authori|authenticate|[_"-]auth|sessionauth|DSN|credential|cookie|headers|bearer|basic\s|mcpServers":\[\{|sk-|AKIA|ASIA|gh[opsur]_|github_pat|glpat-|xox|AIza|npm_|hf_|eyJ|:\/\/[^/\s"]*@/i;

/** Whether a line with this text in it has to be looked at closely. */
export function isSuspect(text: string): boolean {
  return SUSPECT.test(text);
}

function hidden(length: number): string {
  return `[redacted ${length} chars]`;
}

/** Replaces what looks like a secret in text. */
export function redactText(text: string): string {
  let result = text.replace(
    SECRET_TEXT,
    (match: string, keep: string | undefined) =>
      (keep ?? '') + hidden(match.length - (keep?.length ?? 0)),
  );
  for (const place of SECRET_PLACES)
    result = result.replace(place, (match: string, before: string, value: string) =>
      value.startsWith('[redacted') ? match : before + hidden(value.length),
    );
  return result;
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) || SECRET_VARIABLE.test(name);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Budget {
  /** Characters that the line may still take. */
  left: number;
}

/** A copy of `value` without secrets. `secret`: it stands under a name that makes every string in it one. */
function copy(value: unknown, secret: boolean, budget: Budget): unknown {
  if (typeof value === 'string') {
    if (secret && value !== '') return hidden(value.length);
    const room = Math.max(0, Math.min(MAX_STRING, budget.left));
    const head = redactText(value.length > room ? value.slice(0, room) : value);
    budget.left -= head.length;
    return value.length > room ? `${head}[cut, ${value.length} chars]` : head;
  }
  if (typeof value !== 'object' || value === null) {
    budget.left -= 8;
    return value;
  }
  return Array.isArray(value) ? copyList(value, secret, budget) : copyMap(value, secret, budget);
}

function copyList(list: unknown[], secret: boolean, budget: Budget): unknown[] {
  const result: unknown[] = [];
  for (const [i, item] of list.entries()) {
    if (budget.left <= 0) {
      result.push(`[cut, ${list.length - i} items]`);
      break;
    }
    const before = list[i - 1];
    const flagged = typeof before === 'string' && SECRET_FLAG.test(before);
    result.push(copy(item, secret || flagged, budget));
  }
  return result;
}

function copyMap(map: object, secret: boolean, budget: Budget): Record<string, unknown> {
  // Environment variables travel as `{ name, value }`; `authenticate` carries credentials in free form.
  const named = 'name' in map && typeof map.name === 'string' && isSecretName(map.name);
  const authenticates = 'method' in map && map.method === 'authenticate';
  const result: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(map)) {
    budget.left -= name.length;
    const here =
      (secret && !PLAIN_NAME.test(name)) ||
      SECRET_BRANCH.test(name) ||
      isSecretName(name) ||
      (named && name === 'value') ||
      (authenticates && name === 'params');
    const servers = name === 'mcpServers' && Array.isArray(item);
    result[name] = servers
      ? item.map((server: unknown) => copyServer(server, budget))
      : copy(item, here, budget);
  }
  return result;
}

/** What an agent is to start or to call: variables are filled in anywhere in it, so only how it is called is told. */
function copyServer(server: unknown, budget: Budget): unknown {
  if (!isRecord(server)) return copy(server, true, budget);
  const { type, command, ...rest } = server;
  const told = { ...(type !== undefined && { type }), ...(command !== undefined && { command }) };
  return { ...copyMap(told, false, budget), ...copyMap(rest, true, budget) };
}

/** The JSON of a frame, without secrets. `json`: the frame as it stands on the wire; most are written as they came. */
export function writeFrame(frame: unknown, json: string): string {
  if (json.length <= MAX_STRING && !isSuspect(json)) return json;
  return JSON.stringify(copy(frame, false, { left: MAX_LINE })) ?? 'null';
}

/** A line that is not JSON, without secrets and cut. */
export function writeRaw(text: string): string {
  return JSON.stringify(copy(text, false, { left: MAX_LINE }));
}

/** Words of an agent, which may tell what it does not like about a key: they are shown, and the key is not. */
export function withoutSecrets(words: string, secrets: Iterable<string>): string {
  return [...secrets].reduce((all, secret) => all.replaceAll(secret, '…'), words);
}
