// An MCP server on its stdio with one tool, `ring`: says back its `note`, and what the variable BELL holds.
import process from 'node:process';
import { createInterface } from 'node:readline';

const TOOL = {
  name: 'ring',
  description: 'Rings the bell',
  inputSchema: {
    type: 'object',
    properties: { note: { type: 'string' } },
    required: ['note'],
  },
};

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'bell', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': ({ arguments: { note } }) => ({
    content: [{ type: 'text', text: `rung ${note} by ${process.env.BELL}` }],
  }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const run = METHODS[method];
  const answer = run
    ? { result: run(params) }
    : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
