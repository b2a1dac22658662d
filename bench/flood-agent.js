// An ACP agent without a model, which sends what the benchmark asks for. The prompt's text says what:
//
//   flood N        N small chunks of Markdown, as fast as they are taken
//   drip N MS      N chunks, one each MS milliseconds, each with the time at which it was sent: @SEQ:MICROSECONDS@
//   lines N        N lines of Markdown, in chunks of 500 lines
//   message BYTES  one chunk of that size, in one frame
//   tool BYTES     the output of a tool of that size, in one frame
//   draft N        N small chunks as a draft, then the text that takes its place
//   child N        N small chunks of a subagent, and a tool call of its between each hundred
//   deltas BYTES   the output of a command that the agent runs itself, of that size, in pieces of 4 KB
//   resend BYTES N the output of a command of that size, sent whole N times, a line longer each time
//   propose A B    asks whether file A may become what file B holds
//
// Each turn ends with «end K», where K counts the prompts.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const PAGE = `## Comparing pre-release versions

Numeric identifiers are compared as **strings**, so \`alpha.10\` sorts before \`alpha.2\`. The specification
says that identifiers which consist of *digits only* are compared as numbers, and that
they are always lower than those with letters in them.

1. Split both versions at the dots.
2. Compare the parts pairwise; see [the specification](https://semver.org/#spec-item-11).
   - two numbers: as numbers
   - a number and a word: the number is lower

\`\`\`js
export function compareIdentifiers(a, b) {
  const [x, y] = [Number(a), Number(b)];
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return Number.isNaN(x) ? a.localeCompare(b) : x - y;
}
\`\`\`

> The longer list wins when all that the shorter one has is equal.

| left      | right      | result |
| --------- | ---------- | ------ |
| \`alpha.2\` | \`alpha.10\` | lower  |
| \`beta\`    | \`alpha\`    | higher |

With that the tests of \`src/semver.js\` pass, the one for **release candidates** too.

`;
/** Pieces such as a model streams: a word or a few signs, with the blank before it. */
const TOKENS = PAGE.match(/\s*[\p{L}\p{N}]{1,8}|\s*[^\p{L}\p{N}\s]{1,3}|\s+$/gu);
const LINES = PAGE.split('\n');

let prompts = 0;

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const micros = () => Math.round(Number(process.hrtime.bigint()) / 1000);

function update(sessionId, body, _meta) {
  send({ method: 'session/update', params: { sessionId, update: body, ...(_meta && { _meta }) } });
}

function say(sessionId, text, _meta) {
  const content = { type: 'text', text };
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content }, _meta);
}

const preview = (about) => ({ 'claude-pty-acp/streaming-preview': { turn: prompts, ...about } });

/** At least `bytes` of what `next` makes. */
function fill(bytes, next) {
  const parts = [];
  for (let size = 0; size < bytes;) size += parts[parts.push(next(parts.length)) - 1].length;
  return parts.join('');
}

const acts = {
  flood(session, count) {
    for (let n = 0; n < count; n++) say(session, TOKENS[n % TOKENS.length]);
  },
  async drip(session, count, ms) {
    for (let n = 0; n < count; n++) {
      say(session, `word @${n}:${micros()}@\n`);
      await delay(ms);
    }
  },
  lines(session, count) {
    for (let n = 0; n < count; n += 500) {
      const lines = Array.from({ length: 500 }, (_, index) => LINES[(n + index) % LINES.length]);
      say(session, `${lines.join('\n')}\n`);
    }
  },
  message(session, bytes) {
    say(
      session,
      fill(bytes, () => PAGE),
    );
  },
  tool(session, bytes) {
    const tool = { toolCallId: 'call-1', title: 'cat build.log', kind: 'execute' };
    update(session, { sessionUpdate: 'tool_call', status: 'in_progress', ...tool });
    const text = fill(bytes, outputLine);
    const content = [{ type: 'content', content: { type: 'text', text } }];
    update(session, {
      sessionUpdate: 'tool_call_update',
      toolCallId: tool.toolCallId,
      status: 'completed',
      content,
    });
  },
  draft(session, count) {
    const tokens = Array.from({ length: count }, (_, n) => TOKENS[n % TOKENS.length]);
    for (const token of tokens) say(session, token, preview({ provisional: true }));
    say(session, tokens.join(''), preview({ replaceProvisional: true }));
  },
  child(session, count) {
    update(session, { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'child' });
    for (let n = 0; n < count; n++) {
      say('child', TOKENS[n % TOKENS.length]);
      if (n % 100 === 99) {
        const call = { toolCallId: `read-${n}`, title: `part ${n}`, kind: 'read' };
        update('child', { sessionUpdate: 'tool_call', status: 'completed', ...call });
      }
    }
  },
  deltas(session, bytes) {
    const terminal_id = command(session, [{ type: 'terminal', terminalId: 'deltas' }]);
    for (let sent = 0, n = 0; sent < bytes; sent += 4096) {
      const data = fill(4096, () => outputLine(n++));
      commandUpdate(session, { _meta: { terminal_output_delta: { terminal_id, data } } });
    }
    const terminal_exit = { terminal_id, exit_code: 0 };
    commandUpdate(session, { status: 'completed', _meta: { terminal_exit } });
  },
  resend(session, bytes, times) {
    command(session, []);
    let text = fill(bytes, outputLine);
    for (let n = 0; n < times; n++) {
      text += outputLine(n);
      const content = [{ type: 'content', content: { type: 'text', text } }];
      commandUpdate(session, { status: n < times - 1 ? 'in_progress' : 'completed', content });
    }
  },
};

const outputLine = (n) => `${n} compiling src/module-${n % 97}.c with -O2 -Wall\n`;

/** A command that the agent runs itself, under its own id. */
function command(session, content) {
  const toolCallId = 'deltas';
  const call = { toolCallId, title: 'make', kind: 'execute', status: 'in_progress', content };
  const _meta = { terminal_info: { terminal_id: toolCallId } };
  update(session, { sessionUpdate: 'tool_call', ...call, ...(content.length > 0 && { _meta }) });
  return toolCallId;
}

function commandUpdate(session, fields) {
  update(session, { sessionUpdate: 'tool_call_update', toolCallId: 'deltas', ...fields });
}

function propose(sessionId, path, wanted) {
  const [oldText, newText] = [path, wanted].map((file) => readFileSync(file, 'utf8'));
  const toolCall = {
    toolCallId: 'edit-1',
    title: 'Edit',
    kind: 'edit',
    locations: [{ path }],
    content: [{ type: 'diff', path, oldText, newText }],
  };
  const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }];
  send({
    id: 'ask',
    method: 'session/request_permission',
    params: { sessionId, toolCall, options },
  });
}

async function prompt(id, { sessionId, prompt: blocks }) {
  const text = blocks.map((block) => block.text ?? '').join(' ');
  const [, name, ...numbers] =
    /\b(flood|drip|lines|message|tool|draft|child|deltas|resend) ([\d ]+)/.exec(text) ?? [];
  const [, path, wanted] = /^propose (\S+) (\S+)$/.exec(text) ?? [];
  if (path) return propose(sessionId, path, wanted);
  if (name) await acts[name](sessionId, ...numbers.join(' ').trim().split(' ').map(Number));
  say(sessionId, `\n\n«end ${++prompts}»\n`);
  send({ id, result: { stopReason: 'end_turn' } });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  switch (method) {
    case 'initialize':
      return send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
    case 'session/new':
      return send({ id, result: { sessionId: 'flood' } });
    case 'session/prompt':
      return void prompt(id, params);
    default:
      if (id !== undefined && method) send({ id, error: { code: -32601, message: method } });
  }
});
