--- Whether somebody is typing: what comes up by itself must not take keys that were meant for something else.
---
--- Keys are watched only while an agent works or asks, so that nothing is paid for at rest.
local M = {}

local ns = vim.api.nvim_create_namespace('acp.typing')
local busy_states = { starting = true, working = true, waiting = true, cancelling = true }

local watching_since --- @type integer? nanoseconds
local last_key --- @type integer?
local answer --- @type integer? when a question was answered last
local active = {} --- @type table<string, true> sessions that may ask something

--- Watches keys from now on.
function M.watch()
  if watching_since then
    return
  end
  watching_since = vim.uv.hrtime()
  vim.on_key(function(_, typed)
    -- What mappings and plugins produce comes with an empty `typed`.
    if typed ~= '' then
      last_key = vim.uv.hrtime()
    end
  end, ns)
end

--- Watches no longer.
local function unwatch()
  watching_since, last_key, answer = nil, nil, nil
  vim.on_key(nil, ns)
end

--- @return boolean
function M.watching()
  return watching_since ~= nil
end

--- Milliseconds that are still to be waited until nobody has typed for `quiet_ms`.
--- @param quiet_ms integer
--- @return integer ms 0: it is quiet
--- @return boolean typed whether a key was seen meanwhile; if not, watching began too late to know
function M.until_quiet(quiet_ms)
  M.watch()
  local since = last_key or watching_since
  local passed = (vim.uv.hrtime() - since) / 1e6
  return math.max(math.ceil(quiet_ms - passed), 0), last_key ~= nil
end

--- A question was answered: what was typed until now gave the answer.
function M.answered()
  answer = watching_since and vim.uv.hrtime()
end

--- Whether nothing was typed since a question was answered.
--- @return boolean
function M.none_since_answer()
  return answer ~= nil and (last_key == nil or last_key <= answer)
end

--- Whether keys wait to be read.
--- @return boolean
function M.ahead()
  return vim.fn.getchar(1) ~= 0
end

--- Whether a message would do harm: it would tear a command line, and in visual mode Neovim stands still for three
--- seconds after it so that it can be read.
--- @return boolean
function M.bars_messages()
  return vim.api.nvim_get_mode().mode:find('^[cr!vVsS\22\19]') ~= nil
    or vim.api.nvim_get_mode().mode:find('^ni') ~= nil
end

--- Whether a message would not stay on the screen, since the mode is shown in its place.
--- @return boolean
function M.hides_messages()
  return M.bars_messages() or (vim.o.showmode and not vim.api.nvim_get_mode().mode:find('^n'))
end

--- Whether Neovim is anywhere but in plain normal mode, with nothing begun and nothing typed ahead.
--- @return boolean
function M.engaged()
  local mode = vim.api.nvim_get_mode()
  return (mode.mode ~= 'n' and mode.mode ~= 'nt')
    or mode.blocking
    or vim.fn.pumvisible() == 1
    or vim.fn.getcmdwintype() ~= ''
    or vim.fn.reg_recording() ~= ''
    or vim.fn.reg_executing() ~= ''
    or vim.fn.state('mos') ~= ''
    or require('acp.lock').held()
    or M.ahead()
end

require('acp.state').on_change(function(session, fields)
  if not (fields.state or fields.questions) then
    return
  end
  local status = require('acp.state').get(session)
  active[session] = status and (busy_states[status.state] or #status.questions > 0) and true or nil
  if next(active) then
    M.watch()
  elseif watching_since then
    unwatch()
  end
end)

return M
