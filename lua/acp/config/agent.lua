--- Options of one agent. Their shape stands in `schema.lua`.

--- @type acp.config.Option[]
return {
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
}
