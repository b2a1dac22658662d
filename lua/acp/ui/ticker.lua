--- One timer for everything that moves: spinners and running clocks. It runs only while something does.
local message = require('acp.message')

local M = {}

--- Milliseconds between two ticks.
M.interval = 100

local glyphs = {
  unicode = { '⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏' },
  ascii = { '|', '/', '-', '\\' },
}

local running = {} --- @type table<any, fun(): boolean>
local timer --- @type uv.uv_timer_t?

--- The spinner's glyph of this moment; the same in all places.
--- @return string
function M.glyph()
  local set = glyphs[require('acp.config').get().transcript.icons] or glyphs.unicode
  return set[math.floor(vim.uv.now() / M.interval) % #set + 1]
end

--- How long ago that is: `0:34`, `1:02:05`.
--- @param since integer milliseconds since the epoch
--- @return string
function M.elapsed(since)
  local sec, usec = vim.uv.gettimeofday()
  local seconds = math.max(0, math.floor((sec * 1000 + usec / 1000 - since) / 1000))
  if seconds >= 3600 then
    return ('%d:%02d:%02d'):format(seconds / 3600, seconds / 60 % 60, seconds % 60)
  end
  return ('%d:%02d'):format(seconds / 60, seconds % 60)
end

local function tick()
  for _, key in ipairs(vim.tbl_keys(running)) do
    local _, go_on = message.guard(running[key])
    if go_on ~= true then
      running[key] = nil
    end
  end
  if timer and not next(running) then
    timer:stop()
    timer:close()
    timer = nil
  end
end

--- Calls `fn` at each tick until it returns false. `key` names the caller: it ticks once, however often it asks.
--- @param key any
--- @param fn fun(): boolean
function M.start(key, fn)
  running[key] = fn
  if not timer then
    timer = assert(vim.uv.new_timer())
    timer:start(M.interval, M.interval, vim.schedule_wrap(tick))
  end
end

--- Whether anything moves.
--- @return boolean
function M.active()
  return timer ~= nil
end

return M
