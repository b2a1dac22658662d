--- @meta
--- Types for LuaLS: the options. Never loaded.

--- Resolved options; their meaning stands in `lua/acp/config/schema.lua` and in |acp-options|.

--- @class (exact) acp.Config
--- @field agents table<string, acp.AgentConfig>
--- @field agent? string
--- @field node string
--- @field layout acp.Config.Layout
--- @field permission acp.Config.Permission
--- @field transcript acp.Config.Transcript
--- @field diff acp.Config.Diff
--- @field unsaved 'ask'|'write'|'attach'|'send'
--- @field log acp.Config.Log
--- @field cancel_timeout integer
--- @field idle_timeout integer
--- @field defaults acp.Settings
--- @field projects table<string, acp.ProjectConfig>
--- @field mcp table<string, acp.McpConfig>
--- @field mcp_files string[]
--- @field remember boolean
--- @field notify boolean
--- @field prompt acp.Config.Prompt
--- @field attachments acp.Config.Attachments
--- @field templates table<string, string>
--- @field sessions acp.Config.Sessions
--- @field keymaps acp.Config.Keymaps

--- @class (exact) acp.AgentConfig
--- @field command? string|string[]|fun(place: acp.AgentPlace): string|string[]
--- @field args? string[]|fun(place: acp.AgentPlace): string[]?
--- @field env? table<string, string>|fun(place: acp.AgentPlace): table<string, string>?
--- @field cwd? string|fun(place: acp.AgentPlace): string?
--- @field wrap? string[]|fun(place: acp.AgentPlace): string[]?
--- @field wrap_shell? boolean
--- @field paths? table<string, string>|fun(place: acp.AgentPlace): table<string, string>?
--- @field capabilities? table<string, boolean|table>
--- @field meta? { client?: table<string, any>, session?: table<string, any> }
--- @field protocol? 1
--- @field roots? string[]
--- @field title? string
--- @field defaults? acp.Settings
--- @field directories? string[]
--- @field mcp? acp.Selection

--- @alias acp.Selection boolean|table<string, boolean>

--- @class (exact) acp.McpConfig
--- @field command? string|string[]
--- @field args? string[]
--- @field env? table<string, string>
--- @field url? string
--- @field headers? table<string, string>
--- @field type? 'stdio'|'http'|'sse'
--- @field enabled boolean

--- What a session is set to: `mode`, `model`, `effort`, or the id of a config option of the agent's.
--- @alias acp.Settings table<string, string|boolean>

--- @class (exact) acp.ProjectConfig
--- @field agent? string
--- @field defaults? acp.Settings
--- @field directories? string[]
--- @field mcp? acp.Selection

--- @alias acp.Position 'right'|'left'|'bottom'|'top'|'tab'|'float'|'current'

--- @class (exact) acp.Config.Layout
--- @field position acp.Position
--- @field width number
--- @field height number
--- @field prompt_height integer

--- @class (exact) acp.Config.Permission
--- @field open 'auto'|'always'|'manual'
--- @field quiet_ms integer
--- @field writes 'allow'|'ask'

--- @class (exact) acp.Config.Diff
--- @field view 'float'|'inline'
--- @field edit boolean

--- @class (exact) acp.Config.Transcript
--- @field tool_rows integer
--- @field icons 'unicode'|'nerd'|'ascii'

--- @class (exact) acp.Config.Log
--- @field wire boolean
--- @field max_bytes integer
--- @field max_files integer

--- @class (exact) acp.Config.Prompt
--- @field busy 'queue'|'steer'|'now'
--- @field write_sends boolean

--- @class (exact) acp.Config.Attachments
--- @field ask_bytes integer
--- @field embed_bytes integer

--- @class (exact) acp.Config.Sessions
--- @field max_days integer
--- @field max_bytes integer

--- @alias acp.Keys table<string, string|string[]|false>

--- @class (exact) acp.Config.Keymaps
--- @field prompt acp.Keys
--- @field transcript acp.Keys
--- @field diff acp.Keys
--- @field review acp.Keys
--- @field terminal acp.Keys
--- @field question acp.Keys

--- What `setup()` and `vim.g.acp` take: all of it may be left out.

--- @class (exact) acp.Options
--- @field agents? table<string, acp.AgentConfig>
--- @field agent? string
--- @field node? string
--- @field layout? acp.Options.Layout
--- @field permission? acp.Options.Permission
--- @field transcript? acp.Options.Transcript
--- @field diff? acp.Options.Diff
--- @field unsaved? 'ask'|'write'|'attach'|'send'
--- @field log? acp.Options.Log
--- @field cancel_timeout? integer
--- @field idle_timeout? integer
--- @field defaults? acp.Settings
--- @field projects? table<string, acp.ProjectConfig>
--- @field mcp? table<string, acp.McpConfig>
--- @field mcp_files? string[]
--- @field remember? boolean
--- @field notify? boolean
--- @field prompt? acp.Options.Prompt
--- @field attachments? acp.Options.Attachments
--- @field templates? table<string, string>
--- @field sessions? acp.Options.Sessions
--- @field keymaps? acp.Options.Keymaps

--- @class (exact) acp.Options.Layout
--- @field position? acp.Position
--- @field width? number
--- @field height? number
--- @field prompt_height? integer

--- @class (exact) acp.Options.Permission
--- @field open? 'auto'|'always'|'manual'
--- @field quiet_ms? integer
--- @field writes? 'allow'|'ask'

--- @class (exact) acp.Options.Diff
--- @field view? 'float'|'inline'
--- @field edit? boolean

--- @class (exact) acp.Options.Transcript
--- @field tool_rows? integer
--- @field icons? 'unicode'|'nerd'|'ascii'

--- @class (exact) acp.Options.Log
--- @field wire? boolean
--- @field max_bytes? integer
--- @field max_files? integer

--- @class (exact) acp.Options.Prompt
--- @field busy? 'queue'|'steer'|'now'
--- @field write_sends? boolean

--- @class (exact) acp.Options.Attachments
--- @field ask_bytes? integer
--- @field embed_bytes? integer

--- @class (exact) acp.Options.Sessions
--- @field max_days? integer
--- @field max_bytes? integer

--- @class (exact) acp.Options.Keymaps
--- @field prompt? acp.Keys
--- @field transcript? acp.Keys
--- @field diff? acp.Keys
--- @field review? acp.Keys
--- @field terminal? acp.Keys
--- @field question? acp.Keys
