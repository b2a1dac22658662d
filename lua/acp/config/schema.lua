--- Every option: its type, its default and what it is for.
---
--- Validation, defaults and `:checkhealth` come from this table; a test holds the help file to it.

--- @alias acp.config.Type
--- | 'string'|'integer'|'number'|'boolean'|'enum'|'size'|'strings'|'dict'|'command'|'keys'|'group'
--- | 'settings'|'selection'|'named'|'switches'|'plain'

--- @class (exact) acp.config.Option
--- @field [1] string name
--- @field type acp.config.Type
--- @field desc string
--- @field default? any none: the option has no value until it is set
--- @field min? number the least value
--- @field optional? boolean of a group: it has no value until it is set
--- @field callable? boolean it may be a function that gives the value when the agent is started
--- @field values? string[] of an enum
--- @field fields? acp.config.Option[] of a group, or of each entry of a `named`

--- @type acp.config.Option[]
return {
  {
    'agents',
    type = 'named',
    default = {},
    desc = 'The agents that you use, by a name of your choice. Known names need no command.',
    fields = require('acp.config.agent'),
  },
  { 'agent', type = 'string', desc = 'The agent of `:AcpChat` without `agent=`.' },
  { 'node', type = 'string', default = 'node', desc = 'The Node.js program (20 or later).' },
  {
    'defaults',
    type = 'settings',
    default = {},
    desc = 'What new sessions are set to: `mode`, `model`, `effort`, or options by the ids of the agent.',
  },
  {
    'projects',
    type = 'named',
    default = {},
    desc = 'The same for folders and what is below them, by their paths.',
    fields = {
      { 'agent', type = 'string', desc = 'The agent of `:AcpChat` there.' },
      {
        'defaults',
        type = 'settings',
        desc = 'What new sessions there are set to, on top of those of the agent.',
      },
      {
        'directories',
        type = 'strings',
        desc = 'Further folders that sessions there work in, relative to theirs.',
      },
      {
        'mcp',
        type = 'selection',
        desc = 'MCP servers that sessions there get or not, by name; `false`: none of them.',
      },
    },
  },
  {
    'mcp',
    type = 'named',
    default = {},
    desc = 'MCP servers that agents get, by name. `${VAR}` and `${VAR:-default}` are filled in.',
    fields = {
      {
        'command',
        type = 'command',
        desc = 'The program, or a list of the program and its first arguments.',
      },
      { 'args', type = 'strings', desc = 'Its arguments.' },
      { 'env', type = 'dict', desc = 'Its environment variables.' },
      { 'url', type = 'string', desc = 'The address of a server that is not started.' },
      { 'headers', type = 'dict', desc = 'HTTP headers that are sent there.' },
      {
        'type',
        type = 'enum',
        values = { 'stdio', 'http', 'sse' },
        desc = 'The transport: by default `stdio` for a program, `http` for an address.',
      },
      { 'enabled', type = 'boolean', default = true, desc = 'Agents get it.' },
    },
  },
  {
    'mcp_files',
    type = 'strings',
    default = { '.mcp.json' },
    desc = 'Files of a project that name further ones. You are asked before one of them is used.',
  },
  {
    'remember',
    type = 'boolean',
    default = false,
    desc = 'New sessions are set as you set the last one with that agent in that folder.',
  },
  {
    'layout',
    type = 'group',
    desc = 'Where the chat opens.',
    fields = {
      {
        'position',
        type = 'enum',
        default = 'right',
        values = { 'right', 'left', 'bottom', 'top', 'tab', 'float', 'current' },
        desc = 'Side of the screen (left and right: from 60 columns), tab, float, current window.',
      },
      {
        'width',
        type = 'size',
        default = 0.42,
        desc = 'Width of the chat at the right, the left or in a float.',
      },
      {
        'height',
        type = 'size',
        default = 0.4,
        desc = 'Height of the chat at the bottom, the top or in a float.',
      },
      {
        'prompt_height',
        type = 'integer',
        min = 1,
        default = 5,
        desc = 'Lines of the prompt window.',
      },
    },
  },
  {
    'permission',
    type = 'group',
    desc = 'How permission questions come up.',
    fields = {
      {
        'open',
        type = 'enum',
        default = 'auto',
        values = { 'auto', 'always', 'manual' },
        desc = 'Open by themselves: only when you are not typing, always, or never.',
      },
      {
        'quiet_ms',
        type = 'integer',
        min = 0,
        default = 1000,
        desc = 'Milliseconds without a key after which `auto` opens a question.',
      },
      {
        'writes',
        type = 'enum',
        default = 'allow',
        values = { 'allow', 'ask' },
        desc = "Agents' writes through the editor: as the agent's own mode says, or asked for each time.",
      },
    },
  },
  {
    'diff',
    type = 'group',
    desc = 'How proposed edits are shown.',
    fields = {
      {
        'view',
        type = 'enum',
        default = 'float',
        values = { 'float', 'inline' },
        desc = "In a floating window, or in the file's own window.",
      },
      {
        'edit',
        type = 'boolean',
        default = false,
        desc = 'Proposals can be changed by hand before they are allowed.',
      },
    },
  },
  {
    'unsaved',
    type = 'enum',
    default = 'ask',
    values = { 'ask', 'write', 'attach', 'send' },
    desc = 'Unsaved buffers before a prompt is sent: ask, write them, attach their text, or send anyway.',
  },
  {
    'prompt',
    type = 'group',
    desc = 'How prompts are sent.',
    fields = {
      {
        'busy',
        type = 'enum',
        default = 'queue',
        values = { 'queue', 'steer', 'now' },
        desc = 'A prompt while the agent works: it waits, goes into the turn, or cancels it.',
      },
      {
        'write_sends',
        type = 'boolean',
        default = false,
        desc = '`:w` in the prompt sends it.',
      },
    },
  },
  {
    'attachments',
    type = 'group',
    desc = 'What goes along with a prompt.',
    fields = {
      {
        'ask_bytes',
        type = 'integer',
        min = 0,
        default = 256 * 1024,
        desc = 'Size from which you are asked before something is attached.',
      },
      {
        'embed_bytes',
        type = 'integer',
        min = 0,
        default = 1024 * 1024,
        desc = 'The most of a text that is sent itself; what is larger goes as a link.',
      },
    },
  },
  {
    'templates',
    type = 'dict',
    default = {},
    desc = 'Prompts by name for `:AcpChat template=`, with `{selection}`, `{diagnostics}` and others.',
  },
  {
    'notify',
    type = 'boolean',
    default = true,
    desc = 'A message when an agent has finished or asks while you are looking elsewhere.',
  },
  {
    'sessions',
    type = 'group',
    desc = 'What is kept of former sessions.',
    fields = {
      {
        'max_days',
        type = 'integer',
        min = 1,
        default = 90,
        desc = 'Days that a session is kept after it was last used.',
      },
      {
        'max_bytes',
        type = 'integer',
        min = 1024 * 1024,
        default = 512 * 1024 * 1024,
        desc = 'Size of all of them; the oldest go first.',
      },
    },
  },
  {
    'transcript',
    type = 'group',
    desc = 'How the conversation looks.',
    fields = {
      {
        'tool_rows',
        type = 'integer',
        min = 0,
        default = 6,
        desc = 'Lines of what a tool shows before it is folded.',
      },
      {
        'icons',
        type = 'enum',
        default = 'unicode',
        values = { 'unicode', 'nerd', 'ascii' },
        desc = 'Set of glyphs. `nerd` needs a patched font.',
      },
    },
  },
  {
    'log',
    type = 'group',
    desc = 'The wire log.',
    fields = {
      {
        'wire',
        type = 'boolean',
        default = true,
        desc = 'Keep what goes to agents and comes from them, without secrets.',
      },
      {
        'max_bytes',
        type = 'integer',
        min = 65536,
        default = 64 * 1024 * 1024,
        desc = 'Size of one log; the older half goes when it is full.',
      },
      {
        'max_files',
        type = 'integer',
        min = 1,
        default = 20,
        desc = 'Logs that are kept; the oldest go.',
      },
    },
  },
  {
    'cancel_timeout',
    type = 'integer',
    min = 0,
    default = 5000,
    desc = 'Milliseconds after which the prompt is free again when a cancelled agent does not stop.',
  },
  {
    'idle_timeout',
    type = 'integer',
    min = 0,
    default = 30,
    desc = 'Minutes after which an agent that does nothing is ended; the next prompt resumes it. 0: never.',
  },
  {
    'keymaps',
    type = 'group',
    desc = 'Keys of the chat; a key, a list of keys, or `false` for none.',
    fields = require('acp.config.keymaps'),
  },
}
