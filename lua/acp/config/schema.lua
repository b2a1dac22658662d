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

--- @param maps [string, string|string[]|false, string][] name, default, description
--- @return acp.config.Option[]
local function keys(maps)
  return vim.tbl_map(function(map)
    return { map[1], type = 'keys', default = map[2], desc = map[3] }
  end, maps)
end

--- @type acp.config.Option[]
return {
  {
    'agents',
    type = 'named',
    default = {},
    desc = 'The agents that you use, by a name of your choice. Known names need no command.',
    fields = {
      {
        'command',
        type = 'command',
        callable = true,
        desc = 'The program, or a list of the program and its first arguments.',
      },
      { 'args', type = 'strings', callable = true, desc = 'Its arguments.' },
      {
        'env',
        type = 'dict',
        callable = true,
        desc = 'Environment variables on top of the inherited ones.',
      },
      {
        'cwd',
        type = 'string',
        callable = true,
        desc = "The folder that its process runs in, in place of the session's.",
      },
      {
        'wrap',
        type = 'strings',
        callable = true,
        desc = 'What leads to where it lives, put before its command; `{cwd}`: the folder, there.',
      },
      {
        'wrap_shell',
        type = 'boolean',
        desc = 'Quote the command for a shell behind `wrap`. Not set: for `ssh` only.',
      },
      {
        'paths',
        type = 'dict',
        callable = true,
        desc = 'Folders here, and what they are called where the agent lives.',
      },
      {
        'capabilities',
        type = 'switches',
        desc = 'What of the editor it shall not see: `{ fs = false, terminal = false }`.',
      },
      {
        'meta',
        type = 'group',
        optional = true,
        desc = "Vendors' keys more or less; `false` takes one of the plugin's away.",
        fields = {
          { 'client', type = 'plain', desc = 'In `_meta` of the capabilities.' },
          { 'session', type = 'plain', desc = 'In `_meta` of each session that is opened.' },
        },
      },
      {
        'protocol',
        type = 'enum',
        values = { 1 },
        desc = 'The version of ACP that is asked for.',
      },
      {
        'roots',
        type = 'strings',
        desc = 'Folders beside the working directory that it may read and write.',
      },
      { 'title', type = 'string', desc = 'How it is called on screen.' },
      {
        'directories',
        type = 'strings',
        desc = 'Further folders that it works in, where it takes any.',
      },
      {
        'mcp',
        type = 'selection',
        desc = 'MCP servers that it gets or not, by name; `false`: none of them.',
      },
      {
        'defaults',
        type = 'settings',
        desc = 'What new sessions with it are set to, on top of `defaults`.',
      },
    },
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
    fields = {
      {
        'prompt',
        type = 'group',
        desc = 'Keys of the prompt window.',
        fields = keys({
          { 'send', '<CR>', 'Send, in normal mode.' },
          { 'send_insert', '<C-s>', 'Send, in normal and insert mode.' },
          {
            'send_now',
            '<M-CR>',
            'Send now: cancels what the agent does, in normal and insert mode.',
          },
          { 'steer', '<M-s>', 'Send into the turn that runs, in normal and insert mode.' },
          { 'history_prev', '<C-p>', 'The prompt before, in normal and insert mode.' },
          { 'history_next', '<C-n>', 'The prompt after, in normal and insert mode.' },
          { 'history_search', '<M-r>', 'Search what was sent, in normal and insert mode.' },
          {
            'expand',
            '<C-g>',
            'Write in a window as large as the screen, in normal and insert mode.',
          },
          { 'queue', '<M-q>', 'Edit the prompts that wait, in normal and insert mode.' },
          { 'remove', '<M-d>', 'Take an attachment away, in normal and insert mode.' },
          {
            'paste_image',
            '<M-v>',
            'Attach the image in the clipboard, in normal and insert mode.',
          },
          {
            'suggestion',
            '<Tab>',
            'Take over what the agent suggests, in normal and insert mode.',
          },
          { 'cancel', '<C-c>', 'Cancel the turn, in normal and insert mode.' },
          { 'permission', '<C-y>', 'Answer what the agent asks, in normal mode.' },
          { 'hide', 'q', 'Hide the chat.' },
          { 'help', 'g?', 'Show these keys.' },
        }),
      },
      {
        'transcript',
        type = 'group',
        desc = 'Keys of the conversation.',
        fields = keys({
          { 'next_block', ']]', 'The next block.' },
          { 'prev_block', '[[', 'The block before.' },
          { 'open', '<CR>', 'Answer, open the path or the review, or fold the block.' },
          { 'file', 'gf', 'Open the path.' },
          { 'fold', 'za', 'Fold or unfold the block.' },
          { 'unfold_all', 'zR', 'Unfold all.' },
          { 'fold_all', 'zM', 'Fold all.' },
          { 'details', 'K', 'Everything about the block: raw input, output.' },
          { 'diff', 'gd', 'The diff of the block in a float.' },
          { 'inner_block', 'ib', 'The text of the block, as a text object.' },
          { 'a_block', 'ab', 'The block and its blank lines, as a text object.' },
          { 'yank_code', 'yc', 'Yank the code at the cursor.' },
          {
            'edit',
            'cc',
            'Change the prompt at the cursor, and go on from there in another session.',
          },
          { 'prompt', { 'i', 'a', 'o' }, 'Go to the prompt.' },
          { 'cancel', '<C-c>', 'Cancel the turn.' },
          { 'cancel_subagent', 'X', 'Cancel the subagent at the cursor, where its agent can.' },
          { 'permission', '<C-y>', 'Answer what the agent asks.' },
          { 'hide', 'q', 'Hide the chat.' },
          { 'help', 'g?', 'Show these keys.' },
        }),
      },
      {
        'diff',
        type = 'group',
        desc = 'Keys of proposed edits, in the float and inline. `<CR>` asks the question.',
        fields = keys({
          { 'next_hunk', ']c', 'The next hunk.' },
          { 'prev_hunk', '[c', 'The hunk before.' },
          { 'next_file', ']f', 'The next file.' },
          { 'prev_file', '[f', 'The file before.' },
          { 'open', 'gf', 'Open the file at this line.' },
          { 'edit', 'e', 'Change the proposal by hand.' },
          { 'close', 'q', 'Close; a question stays open.' },
          { 'help', 'g?', 'Show these keys.' },
        }),
      },
      {
        'terminal',
        type = 'group',
        desc = 'Keys of the float with the output of a command.',
        fields = keys({
          { 'details', 'K', 'Everything about the call: input, raw result.' },
          { 'file', 'gf', 'Open the path.' },
          { 'next', ']t', 'The next terminal of the call.' },
          { 'prev', '[t', 'The terminal before.' },
          { 'stop', '<C-x>', 'End the command, where the agent left it to Neovim.' },
          { 'close', { 'q', '<Esc>' }, 'Close; the command goes on.' },
          { 'help', 'g?', 'Show these keys.' },
        }),
      },
      {
        'review',
        type = 'group',
        desc = 'Keys in the buffers that are reviewed, and in the list.',
        fields = keys({
          { 'next_hunk', ']c', 'The next hunk.' },
          { 'prev_hunk', '[c', 'The hunk before.' },
          { 'next_file', ']f', 'The next file.' },
          { 'prev_file', '[f', 'The file before.' },
          { 'keep', 'ga', 'Keep the hunk.' },
          { 'reject', 'gr', 'Reject the hunk.' },
          { 'keep_file', 'gA', 'Keep all of the file.' },
          { 'reject_file', 'gR', 'Reject all of the file.' },
          { 'close', 'gQ', 'End the review; what is not decided stays to be reviewed.' },
          { 'help', 'g?', 'Show these keys.' },
        }),
      },
      {
        'question',
        type = 'group',
        desc = 'Keys of forms to be filled in, of pages to be opened, and of plans to be approved.',
        fields = keys({
          { 'accept', '<C-s>', 'Send the form, as `:w` does; open the page.' },
          { 'choose', { '<CR>', '<Tab>' }, 'Choose what stands in the line, or no longer.' },
          { 'decline', 'gr', 'Decline to answer; reject a plan with words.' },
          { 'cancel', '<C-c>', 'Cancel the question.' },
          { 'copy', 'gy', 'Copy the address of the page.' },
          { 'close', 'q', 'Close; the question stays open.' },
          { 'help', 'g?', 'Show these keys.' },
        }),
      },
    },
  },
}
