--- The permission questions that are open: what was asked, and what the status of each session says.
local M = {}

local state = require('acp.state')

--- @class acp.OpenQuestion
--- @field session string
--- @field question table `Question` of `src/nvim/question.ts`
--- @field diff? table[] `FileDiff` of `src/diff/file-diff.ts`
--- @field listed? boolean whether the session's status has named it
--- @field whole? boolean whether it has come with its diff; the status may name it before
--- @field wanted? acp.AskOpts the user wants to be asked as soon as it is whole
--- @field since integer when it came, in nanoseconds
--- @field shown? integer when it was first announced or asked

--- The oldest first.
--- @type acp.OpenQuestion[]
M.open = {}

--- The question of which |AcpPermissionAsk| tells just now.
--- @type acp.OpenQuestion?
M.asking = nil

local settled = {} --- @type table<string, true> answered or closed, though the status may still name them

--- @param session string
--- @param id string
--- @return string
local function key_of(session, id)
  return session .. '\0' .. id
end

--- @param session string
--- @param id string
--- @return acp.OpenQuestion? entry
--- @return integer? index
function M.find(session, id)
  for i, entry in ipairs(M.open) do
    if entry.session == session and entry.question.id == id then
      return entry, i
    end
  end
end

--- @param entry acp.OpenQuestion
--- @return boolean
function M.is_open(entry)
  return vim.list_contains(M.open, entry)
end

--- A question needs no answer any more; its diff goes with it.
--- @param session string
--- @param id string
function M.settle(session, id)
  local entry, i = M.find(session, id)
  settled[key_of(session, id)] = true
  if entry then
    table.remove(M.open, i)
    require('acp.ui.diff').close(session, entry.question.block)
    if entry.question.form then
      require('acp.ui.form').closed(session, id)
    elseif entry.question.url then
      require('acp.ui.url').closed(session, id)
    elseif entry.question.plan then
      require('acp.ui.plan').closed(session, id)
    end
  end
end

--- @param session string
--- @param question table
--- @param diff? table[]
--- @return acp.OpenQuestion
function M.add(session, question, diff)
  settled[key_of(session, question.id)] = nil
  local entry = M.find(session, question.id)
  if not entry then
    entry = { session = session, since = vim.uv.hrtime() }
    table.insert(M.open, entry)
  end
  entry.question, entry.diff, entry.whole = question, diff, true
  return entry
end

--- Takes over what the status of a session says about its questions.
--- @param session string
function M.sync(session)
  local status = state.get(session)
  local dead = not status or status.state == 'dead'
  local listed = {} --- @type table<string, true>
  for _, question in ipairs(dead and {} or status.questions) do
    local key = key_of(session, question.id)
    listed[key] = true
    if not M.find(session, question.id) and not settled[key] then
      local entry = { session = session, question = question, since = vim.uv.hrtime() }
      table.insert(M.open, entry)
    end
  end
  for _, entry in ipairs(vim.list_slice(M.open)) do
    if entry.session == session then
      local named = listed[key_of(session, entry.question.id)]
      -- Until the status names it, it is known from `question.opened` alone.
      if not named and (entry.listed or (status and dead)) then
        M.settle(session, entry.question.id)
      end
      entry.listed = entry.listed or named
    end
  end
  for key in pairs(settled) do
    if vim.startswith(key, session .. '\0') and not listed[key] then
      settled[key] = nil
    end
  end
end

--- Takes over what is said about all sessions with open questions, and one more.
--- @param session? string
function M.sync_all(session)
  local sessions = session and { [session] = true } or {}
  for _, entry in ipairs(M.open) do
    sessions[entry.session] = true
  end
  for name in pairs(sessions) do
    M.sync(name)
  end
end

--- The user can see it from now on.
--- @param entry acp.OpenQuestion
function M.show(entry)
  entry.shown = entry.shown or vim.uv.hrtime()
end

state.on_change(function(session, fields)
  if fields.questions or fields.state then
    M.sync(session)
  end
end)

return M
