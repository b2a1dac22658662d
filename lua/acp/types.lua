--- @meta
--- Types for LuaLS: the options, and what goes through the door. Never loaded.

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
--- @field keymaps acp.Config.Keymaps

--- @class (exact) acp.AgentConfig
--- @field command? string|string[]
--- @field args? string[]
--- @field env? table<string, string>
--- @field roots? string[]
--- @field title? string

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

--- @alias acp.Keys table<string, string|string[]|false>

--- @class (exact) acp.Config.Keymaps
--- @field prompt acp.Keys
--- @field transcript acp.Keys
--- @field diff acp.Keys
--- @field review acp.Keys

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

--- @class (exact) acp.Options.Keymaps
--- @field prompt? acp.Keys
--- @field transcript? acp.Keys
--- @field diff? acp.Keys
--- @field review? acp.Keys

--- The door. A test holds these classes to the interfaces of the same name in `src/nvim/protocol.ts`.

--- @class (exact) acp.AgentSpec
--- @field name string
--- @field title? string
--- @field command string
--- @field args string[]
--- @field env? table<string, string>
--- @field roots? string[] absolute
--- @field install? string the command line that installs the program

--- @class (exact) acp.SidecarConfig
--- @field version string
--- @field stateDir string
--- @field wire { enabled: boolean, maxBytes: integer, maxFiles: integer }
--- @field cancelTimeoutMs integer
--- @field toolRows integer
--- @field icons 'unicode'|'nerd'|'ascii'
--- @field writes 'allow'|'ask'

--- @class (exact) acp.TextAttachment
--- @field type 'text'
--- @field path? string absolute
--- @field startLine? integer 1-based, inclusive
--- @field endLine? integer
--- @field text string
--- @field filetype? string

--- @class (exact) acp.FileAttachment
--- @field type 'file'
--- @field path string

--- @alias acp.Attachment acp.TextAttachment|acp.FileAttachment

--- @class (exact) acp.Question
--- @field id string
--- @field block string
--- @field title string
--- @field detail string[]
--- @field options { id: string, name: string, kind: string }[]
--- @field hasDiff boolean
--- @field editable true|string

--- @class (exact) acp.Frame
--- @field session string
--- @field ops? acp.Op[]
--- @field status? table fields of `acp.Status`
--- @field cleared? string[]

--- @class (exact) acp.Op  `PutOp`, `AppendOp` or `DelOp` of `src/render/ops.ts`
--- @field op 'put'|'append'|'del'
--- @field id string
--- @field after? string
--- @field kind? string
--- @field lines? string[]
--- @field text? string
--- @field marks? [integer, integer, integer, string][]
--- @field facts? { row: integer, right?: [string, string][], spin?: true }[]
--- @field fences? { first: integer, last: integer, lang: string, indent: integer }[]
--- @field links? { row: integer, path: string, line?: integer }[]
--- @field foldable? true
--- @field question? string

--- @class (exact) acp.FileDiff
--- @field path string
--- @field name string
--- @field status 'modified'|'new'|'deleted'|'renamed'
--- @field from? string
--- @field fragment boolean
--- @field added integer
--- @field removed integer
--- @field hunks { oldStart: integer, newStart: integer, rows: table[] }[]
--- @field lines? string[]
--- @field text? string

--- @class (exact) acp.ReviewOf
--- @field session? string
--- @field cwd string

--- @class (exact) acp.ChangedLines
--- @field oldStart integer
--- @field oldCount integer
--- @field newStart integer
--- @field newCount integer

--- @alias acp.ReviewScope 'turn'|'session'

--- @class (exact) acp.ReviewView
--- @field session? string
--- @field cwd string
--- @field scope acp.ReviewScope
--- @field agent string
--- @field files acp.ReviewFile[]
--- @field kept integer
--- @field rejected integer
--- @field limits string[]

--- @class (exact) acp.ReviewFile
--- @field path string
--- @field name string
--- @field change 'modified'|'added'|'deleted'|'renamed'
--- @field from? string
--- @field note? string
--- @field locked? string
--- @field added integer
--- @field removed integer
--- @field hunks acp.ReviewHunk[]

--- @class (exact) acp.ReviewHunk
--- @field line integer
--- @field count integer
--- @field deleted string[]

--- @class (exact) acp.UndoPlan
--- @field id string
--- @field title string
--- @field steps string[]

--- Methods that Lua calls, with their parameters.
--- @class (exact) acp.ToSidecar
--- @field start { config: acp.SidecarConfig }
--- @field ['session.open'] { session: string, agent: acp.AgentSpec, cwd: string, columns: integer }
--- @field ['session.close'] { session: string }
--- @field ['session.restart'] { session: string }
--- @field ['prompt.send'] { session: string, text: string, attachments?: acp.Attachment[] }
--- @field ['prompt.cancel'] { session: string }
--- @field ['question.answer'] { session: string, question: string, option: string, words?: string, text?: string }
--- @field ['mode.set'] { session: string, mode: string }
--- @field ['view.resize'] { session: string, columns: integer }
--- @field ['block.fold'] { session: string, block?: string, expanded?: boolean }
--- @field ['block.inspect'] { session: string, block: string }
--- @field ['block.diff'] { session: string, block: string }
--- @field ['buffer.saved'] { path: string, before?: string, text: string }
--- @field ['buffer.conflict'] { path: string, text: string }
--- @field ['review.open'] { session?: string, cwd: string, scope: acp.ReviewScope }
--- @field ['review.decide'] { session?: string, cwd: string, scope: acp.ReviewScope, action: 'keep'|'reject', path?: string, line?: integer, text?: string }
--- @field ['review.diff'] { session?: string, cwd: string, scope: acp.ReviewScope }
--- @field ['review.undo'] { session?: string, cwd: string, redo?: boolean, confirmed?: string }
--- @field ['review.resend'] { session: string, why: string }
--- @field ['review.drop'] { session?: string, cwd: string }

--- Methods that the sidecar calls, with their parameters.
--- @class (exact) acp.ToEditor
--- @field frame { frames: acp.Frame[] }
--- @field ['question.opened'] { session: string, question: acp.Question, diff?: acp.FileDiff[] }
--- @field ['question.closed'] { session: string, question: string }
--- @field ['diff.show'] { session: string, block: string, question?: string, files: acp.FileDiff[] }
--- @field ['detail.show'] { session: string, title: string, lines: string[], filetype: string }
--- @field ['buffer.read'] { path: string, line?: integer, limit?: integer }
--- @field ['buffer.write'] { path: string, text: string, was?: string }
--- @field ['buffers.unsaved'] { roots: string[] }
--- @field ['buffers.check'] table<string, any>
--- @field ['buffer.resolve'] { path: string, text: string, was?: string }
--- @field ['file.changed'] { session: string, path: string, hunks: acp.ChangedLines[] }
--- @field ['turn.started'] { session: string }
--- @field ['turn.ended'] { session: string, stopReason: string, files: string[] }
--- @field ['review.show'] { review: acp.ReviewView }
--- @field ['review.text'] { title: string, lines: string[] }
--- @field ['undo.ask'] { of: acp.ReviewOf, redo: boolean, plan: acp.UndoPlan }
--- @field notify { level: 'info'|'warn'|'error', message: string }
--- @field ['prompt.restore'] { session: string, text: string }
