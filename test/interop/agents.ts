import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where `install` has put the agents. */
const PREFIX = resolve(
  process.env.AGENTS_PREFIX ?? join(import.meta.dirname, '../../.cache/agents'),
);
const NODE = installed('node', 'node/bin/node');

export const AGENTS = ['nanocoder', 'opencode', 'codex', 'claude'] as const;
export type AgentName = (typeof AGENTS)[number];

export interface Place {
  /** Home of the agent: all that it writes stays in it. */
  home: string;
  /** The project that it works in. */
  project: string;
  /** Address of the scripted model. */
  model: string;
}

export interface Mode {
  id: string;
  name: string;
}

export interface Agent {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Configuration files, by their path in the home. */
  files?: Record<string, string>;
  /** The mode in which it asks before it acts. */
  asks: Mode;
  /** Another one to change to. */
  other: Mode;
  /** The one in which its commands may write files. */
  writes: Mode;
  /** Whether the output of a command comes while it runs, and whether as that of a terminal. */
  commands: { stream: boolean; terminal: boolean };
  /** A slash command, and what is then on screen. */
  slash?: { prompt: string; says: string };
}

/** What tells an agent whom to speak to, and as whom. */
const ACCESS = /KEY|TOKEN|AUTH|BASE_URL|PROVIDER/;

/** An agent as it is before its first login: it knows no key and no model. */
function unknowing(agent: Agent): Agent {
  const env = Object.entries(agent.env).filter(([name]) => !ACCESS.test(name));
  const files = Object.keys(agent.files ?? {}).filter((file) => file.endsWith('.toml'));
  return {
    ...agent,
    env: Object.fromEntries(env),
    // Codex wants its home to be there.
    files: Object.fromEntries(files.map((file) => [file, ''])),
  };
}

/**
 * How an agent is started so that it speaks to the scripted model; writes its configuration into its home. `fresh`: as it is
 * before its first login.
 */
export function prepare(name: AgentName, place: Place, fresh = false): Agent {
  const whole = DEFINITIONS[name](place);
  const agent = fresh ? unknowing(whole) : whole;
  const { home } = place;
  for (const [file, text] of Object.entries(agent.files ?? {})) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  }
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    PATH: `${dirname(NODE)}:${process.env.PATH}`,
    SHELL: '/bin/bash',
    NO_UPDATE_NOTIFIER: '1',
    // The test runner's `test` makes some ignore their configuration.
    NODE_ENV: 'production',
    ...agent.env,
  };
  return { ...agent, env };
}

const DEFINITIONS: Record<AgentName, (place: Place) => Agent> = {
  nanocoder: ({ home, project, model }) => ({
    command: NODE,
    args: [installed('nanocoder', '@nanocollective/nanocoder/dist/cli.js'), '--acp'],
    env: { NANOCODER_CONFIG_DIR: join(home, '.config/nanocoder') },
    files: {
      '.config/nanocoder/agents.config.json': JSON.stringify({
        nanocoder: {
          providers: [
            {
              name: 'script',
              baseUrl: `${model}/v1`,
              apiKey: 'none',
              models: ['scripted', 'spare'],
            },
          ],
        },
      }),
      '.config/nanocoder/nanocoder-preferences.json': JSON.stringify({
        lastProvider: 'script',
        lastModel: 'scripted',
        trustedDirectories: [project],
      }),
    },
    asks: { id: 'normal', name: 'normal' },
    other: { id: 'plan', name: 'plan' },
    writes: { id: 'normal', name: 'normal' },
    commands: { stream: false, terminal: false },
  }),

  opencode: ({ model }) => ({
    command: installed('opencode', 'opencode-ai/bin/opencode.exe'),
    args: ['acp'],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
    files: {
      '.config/opencode/opencode.json': JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        model: 'script/scripted',
        small_model: 'script/scripted',
        permission: { edit: 'ask', bash: 'ask', webfetch: 'ask' },
        provider: {
          script: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Script',
            options: { baseURL: `${model}/v1`, apiKey: 'none' },
            models: {
              scripted: { name: 'Scripted', tool_call: true },
              spare: { name: 'Spare', tool_call: true },
            },
          },
        },
      }),
      '.config/opencode/command/greet.md':
        '---\ndescription: Greets\n---\n[[say 3 greeted]] $ARGUMENTS\n',
    },
    asks: { id: 'build', name: 'build' },
    other: { id: 'plan', name: 'plan' },
    writes: { id: 'build', name: 'build' },
    commands: { stream: true, terminal: false },
    slash: { prompt: '/greet me', says: 'greeted-3' },
  }),

  codex: ({ home, project, model }) => ({
    command: NODE,
    args: [installed('codex-acp', '@agentclientprotocol/codex-acp/dist/index.js')],
    env: {
      CODEX_HOME: join(home, '.codex'),
      SCRIPT_KEY: 'none',
      MODEL_PROVIDER: 'script',
      NO_BROWSER: '1',
    },
    files: {
      // A model that gets plain tools; newer ones get one tool that takes JavaScript.
      '.codex/config.toml': `model = "gpt-5.5"
model_provider = "script"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.script]
name = "script"
base_url = "${model}/v1"
env_key = "SCRIPT_KEY"
wire_api = "responses"

[projects."${project}"]
trust_level = "trusted"
`,
    },
    asks: { id: 'read-only', name: 'Read-only' },
    other: { id: 'agent', name: 'Auto review' },
    writes: { id: 'agent', name: 'Auto review' },
    commands: { stream: true, terminal: true },
    slash: { prompt: '/status', says: 'Directory:' },
  }),

  claude: ({ home, model }) => ({
    command: NODE,
    args: [installed('claude-agent-acp', '@agentclientprotocol/claude-agent-acp/dist/index.js')],
    env: {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'no-key-is-needed-for-the-scripted-model',
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      // Else the tools of MCP servers are told only when the model looks for them.
      ENABLE_TOOL_SEARCH: 'false',
      // It refuses to run as root, but in a sandbox.
      IS_SANDBOX: '1',
    },
    asks: { id: 'default', name: 'Manual' },
    other: { id: 'plan', name: 'Plan' },
    writes: { id: 'default', name: 'Manual' },
    commands: { stream: false, terminal: true },
    slash: { prompt: '/context', says: 'Context Usage' },
  }),
};

function installed(folder: string, file: string): string {
  return join(PREFIX, folder, 'node_modules', file);
}
