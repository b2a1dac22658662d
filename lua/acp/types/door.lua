--- @meta
--- Types for LuaLS: what goes through the door. Never loaded. A test holds these classes to the interfaces of the same name in
--- `src/nvim`.

--- @class (exact) acp.AgentSpec
--- @field name string
--- @field title? string
--- @field command string
--- @field args string[]
--- @field env? table<string, string>
--- @field roots? string[] absolute
--- @field install? string the command line that installs the program
--- @field cwd? string absolute
--- @field withhold? string[]
--- @field meta? { client?: table<string, any>, session?: table<string, any> }
--- @field wrap? string[]
--- @field wrapShell? boolean
--- @field paths? { here: string, there: string }[]
--- @field live? true

--- @class (exact) acp.SidecarConfig
--- @field version string
--- @field stateDir string
--- @field wire { enabled: boolean, maxBytes: integer, maxFiles: integer }
--- @field cancelTimeoutMs integer
--- @field toolRows integer
--- @field icons 'unicode'|'nerd'|'ascii'
--- @field writes 'allow'|'ask'
--- @field idleTimeoutMs integer
--- @field sessions { maxAgeMs: integer, maxBytes: integer }
--- @field embedBytes integer

--- @class (exact) acp.TextAttachment
--- @field type 'text'
--- @field path? string absolute
--- @field startLine? integer 1-based, inclusive
--- @field endLine? integer
--- @field text string
--- @field filetype? string
--- @field name? string

--- @class (exact) acp.FileAttachment
--- @field type 'file'
--- @field path string

--- @class (exact) acp.MediaAttachment
--- @field type 'media'
--- @field path string
--- @field mime string
--- @field name string

--- @class (exact) acp.Conversation
--- @field type 'conversation'

--- @alias acp.Attachment acp.TextAttachment|acp.FileAttachment|acp.MediaAttachment|acp.Conversation

--- @class (exact) acp.Draft
--- @field text string
--- @field attachments acp.Attachment[]
--- @field returned? integer how many of the texts that the sidecar gave back were put there

--- @class (exact) acp.ConfigOption
--- @field id string
--- @field name string
--- @field description? string
--- @field category? string
--- @field type 'select'|'boolean'
--- @field value string|boolean
--- @field choices? acp.ConfigChoice[]

--- @class (exact) acp.ConfigChoice
--- @field value string
--- @field name string
--- @field description? string
--- @field group? string

--- @class (exact) acp.QueuedPrompt
--- @field id string
--- @field text string
--- @field attachments integer

--- @class (exact) acp.RateLimit
--- @field name string
--- @field used? number
--- @field resets? integer
--- @field state 'ok'|'near'|'reached'

--- @class (exact) acp.SessionRow
--- @field id string
--- @field agent string
--- @field cwd string
--- @field title string
--- @field updated? integer
--- @field state 'open'|'busy'|'saved'|'gone'
--- @field session? string
--- @field stored boolean
--- @field draft boolean
--- @field interrupted boolean
--- @field can ('fork'|'rename'|'delete')[]
--- @field preview string[]

--- @class (exact) acp.Question
--- @field id string
--- @field block string
--- @field title string
--- @field detail string[]
--- @field options { id: string, name: string, kind: string }[]
--- @field hasDiff boolean
--- @field editable true|string
--- @field form? acp.Form
--- @field url? { url: string, host: string, message: string, warning?: string }
--- @field plan? string[]

--- @class (exact) acp.Form
--- @field message string
--- @field title? string
--- @field description? string
--- @field fields acp.FormField[]
--- @field meanwhile? boolean

--- One class for all types; see `FormField` in `src/acp/elicitation.ts` for what goes with which.
--- @class acp.FormField
--- @field name string
--- @field title? string
--- @field description? string
--- @field required boolean
--- @field type 'text'|'number'|'integer'|'boolean'|'choice'|'choices'|'unknown'
--- @field default? string|number|boolean|string[]
--- @field minLength? integer
--- @field maxLength? integer
--- @field pattern? string of ECMA-262
--- @field format? 'email'|'uri'|'date'|'date-time'
--- @field secret? boolean
--- @field minimum? number
--- @field maximum? number
--- @field choices? { value: string, title: string, description?: string, preview?: string[] }[]
--- @field other? { name: string, with?: string, secret?: boolean }
--- @field minItems? integer
--- @field maxItems? integer
--- @field kind? string of an `unknown`

--- @class (exact) acp.LoginMethod
--- @field id string
--- @field name string
--- @field description? string
--- @field type 'agent'|'terminal'|'fields'|'manual'
--- @field fields? { name: string, title: string, required: boolean, secret: boolean }[]

--- @class (exact) acp.TerminalView
--- @field session string
--- @field terminal string
--- @field block? string
--- @field title string
--- @field cwd? string
--- @field all string[]
--- @field data string
--- @field truncated boolean
--- @field lines integer
--- @field canStop boolean
--- @field ['end']? string

--- @class (exact) acp.RunningTerminal
--- @field id string
--- @field block? string
--- @field title string
--- @field since integer
--- @field canStop boolean

--- One class for all transports; see `McpServer` in `src/acp/mcp.ts`.
--- @class acp.McpServer
--- @field name string
--- @field type 'stdio'|'http'|'sse'
--- @field command? string
--- @field args? string[]
--- @field env? table<string, string>
--- @field url? string
--- @field headers? table<string, string>

--- @class (exact) acp.McpLeft
--- @field name string
--- @field why string

--- @class (exact) acp.McpAsk
--- @field path string absolute
--- @field digest string
--- @field lines string[]

--- @class (exact) acp.McpWanted
--- @field servers acp.McpServer[]
--- @field left acp.McpLeft[]
--- @field asks acp.McpAsk[]

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
--- @field facts? { row: integer, right?: [string, string][], since?: integer, spin?: true }[]
--- @field fences? { first: integer, last: integer, lang: string, indent: integer }[]
--- @field links? { row: integer, path: string, line?: integer }[]
--- @field foldable? true
--- @field question? string
--- @field actions? { id: string, name: string }[]

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
--- @field ['session.open'] { session: string, agent: acp.AgentSpec, cwd: string, columns: integer, settings?: table<string, string|boolean>, from?: string, fork?: boolean, before?: string, mcp?: acp.McpWanted, dirs?: string[] }
--- @field ['session.dirs'] { session: string, dirs: string[] }
--- @field ['session.mcp'] { session: string, mcp: acp.McpWanted }
--- @field ['session.close'] { session: string }
--- @field ['sessions.list'] { id: integer, cwd: string, all: boolean, agents: acp.AgentSpec[] }
--- @field ['sessions.rename'] { row: string, agent: acp.AgentSpec, title: string }
--- @field ['sessions.delete'] { row: string, agent: acp.AgentSpec }
--- @field ['session.export'] { session: string, id: integer }
--- @field ['session.restart'] { session: string, agent?: acp.AgentSpec, mcp?: acp.McpWanted }
--- @field ['prompt.send'] { session: string, text: string, attachments?: acp.Attachment[], how?: 'queue'|'now'|'steer', draft?: acp.Draft, anew?: boolean, at?: integer }
--- @field ['prompt.cancel'] { session: string }
--- @field ['draft.save'] { session: string, draft: acp.Draft }
--- @field ['queue.set'] { session: string, entries: { id?: string, text: string }[] }
--- @field ['queue.clear'] { session: string }
--- @field ['files.find'] { session: string, id: integer, query: string, limit: integer }
--- @field ['form.check'] { session: string, question: string, values: table<string, string|number|boolean|string[]> }
--- @field ['question.answer'] { session: string, question: string, option: string, words?: string, text?: string, values?: table<string, string|number|boolean|string[]> }
--- @field ['login.open'] { session: string }
--- @field ['login.start'] { session: string, method: string, values?: table<string, string> }
--- @field ['login.cancel'] { session: string }
--- @field ['login.ended'] { session: string, method: string, code?: integer }
--- @field ['login.out'] { session: string }
--- @field ['terminal.open'] { session: string, terminal: string }
--- @field ['terminal.close'] { session: string, terminal: string }
--- @field ['terminal.stop'] { session: string, terminal: string }
--- @field ['subagent.cancel'] { session: string, block: string }
--- @field ['block.act'] { session: string, block: string, action: string }
--- @field ['config.set'] { session: string, option: string, value: string|boolean }
--- @field ['view.resize'] { session: string, columns: integer }
--- @field ['block.fold'] { session: string, block?: string, expanded?: boolean }
--- @field ['block.inspect'] { session: string, block: string, details?: boolean }
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
--- @field ['form.faults'] { session: string, question: string, sent: boolean, faults: { field: string, words: string }[] }
--- @field ['question.opened'] { session: string, question: acp.Question, diff?: acp.FileDiff[] }
--- @field ['question.closed'] { session: string, question: string }
--- @field ['login.choose'] { session: string, agent: string, reason?: string, methods: acp.LoginMethod[], held: integer }
--- @field ['login.terminal'] { session: string, method: string, name: string, command: string, args: string[], env: table<string, string>, cwd: string, foreign?: boolean }
--- @field ['login.state'] { session: string, name: string, state: 'running'|'done'|'failed' }
--- @field ['terminal.show'] { session: string, terminal: string, block?: string, title: string, cwd?: string, all: string[], data: string, truncated: boolean, lines: integer, canStop: boolean, end?: string }
--- @field ['terminal.data'] { session: string, terminal: string, data: string, end?: string }
--- @field ['diff.show'] { session: string, block: string, question?: string, files: acp.FileDiff[] }
--- @field ['detail.show'] { session: string, title: string, lines: string[], filetype: string }
--- @field ['agent.spec'] { name: string, cwd: string }
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
--- @field ['prompt.taken'] { session: string, at: integer, key: string }
--- @field ['prompt.restore'] { session: string, text: string, attachments?: acp.Attachment[] }
--- @field ['draft.restore'] { session: string, draft: acp.Draft }
--- @field ['sessions.show'] { id: integer, rows: acp.SessionRow[], notes: string[] }
--- @field ['mcp.decide'] { session: string, path: string, digest: string, choice: 'allow'|'refuse'|'show' }
--- @field ['session.markdown'] { session: string, id: integer, title: string, lines: string[] }
--- @field ['files.found'] { session: string, id: integer, paths: string[], more: boolean }
