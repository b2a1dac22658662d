--- What the sidecar said about each session: a read-only mirror. Written by handlers, read by the UI.
local M = {}

--- @class acp.Status  see `Status` in `src/nvim/status.ts`
--- @field agent string
--- @field title? string
--- @field state 'starting'|'idle'|'working'|'waiting'|'cancelling'|'dead'|'saved'
--- @field since? integer milliseconds since the epoch
--- @field key? string
--- @field mode? string
--- @field model? string
--- @field config acp.ConfigOption[]
--- @field usage? { used: integer, size: integer, cost?: { amount: number, currency: string } }
--- @field limits acp.RateLimit[]
--- @field account? { state: 'in'|'out'|'unneeded'|'unknown', label?: string }
--- @field login { methods: acp.Named[], out: boolean }
--- @field goal? { objective: string, status: string, reason?: string }
--- @field suggestions string[]
--- @field terminals acp.RunningTerminal[]
--- @field dirs string[]
--- @field commands { name: string, description: string, hint?: string }[]
--- @field questions table[]
--- @field queue acp.QueuedPrompt[]
--- @field held boolean
--- @field cwd string
--- @field log? string
--- @field takes { image: boolean, audio: boolean, embedded: boolean, steering: boolean }
--- @field can { fork: boolean, close: boolean, delete: boolean, rename: boolean }
--- @field location? { path: string, line?: integer }
--- @field review? { files: integer, added: integer, removed: integer }
--- @field hint? string

local sessions = {} --- @type table<string, acp.Status>
local listeners = {} --- @type fun(session: string, fields: table<string, true>)[]

--- @return acp.Status
local function blank()
  return {
    agent = '',
    state = 'starting',
    config = {},
    limits = {},
    login = { methods = {}, out = false },
    suggestions = {},
    terminals = {},
    dirs = {},
    commands = {},
    questions = {},
    queue = {},
    held = false,
    cwd = '',
    takes = { image = false, audio = false, embedded = false, steering = false },
    can = { fork = false, close = false, delete = false, rename = false },
  }
end

--- @param session string
--- @return acp.Status?
function M.get(session)
  return sessions[session]
end

--- @param session string
--- @param fields table<string, true>
local function tell(session, fields)
  for _, listener in ipairs(listeners) do
    local ok, fault = xpcall(listener, debug.traceback, session, fields)
    if not ok then
      require('acp.message').error(fault)
    end
  end
end

--- Takes a patch: whole fields are replaced, `cleared` ones have no value any more.
--- @param session string
--- @param status? table
--- @param cleared? string[]
function M.apply(session, status, cleared)
  local mirror = sessions[session] or blank()
  sessions[session] = mirror
  local fields = {} --- @type table<string, true>
  for _, field in ipairs(cleared or {}) do
    mirror[field] = nil
    fields[field] = true
  end
  for field, value in pairs(status or {}) do
    mirror[field] = value
    fields[field] = true
  end
  if next(fields) then
    tell(session, fields)
  end
end

--- Forgets a session that is no more; listeners find no status of it.
--- @param session string
function M.forget(session)
  sessions[session] = nil
  tell(session, { state = true, questions = true })
end

--- Calls `listener` after each change, with the names of the fields that changed as keys.
--- @param listener fun(session: string, fields: table<string, true>)
function M.on_change(listener)
  table.insert(listeners, listener)
end

return M
