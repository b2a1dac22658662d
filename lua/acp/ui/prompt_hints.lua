--- What the keys of the prompt do just now, at the right of its last line, or below it where that is too long.
local keys = require('acp.ui.keys')
local sending = require('acp.ui.prompt_send')
local state = require('acp.state')
local suggestions = require('acp.ui.suggestions')

local M = {}

local ns = vim.api.nvim_create_namespace('acp.prompt')

--- Cells between text and hints.
local GAP = 2

local SEPARATOR = ' · '

local WORDS = {
  queue = '%s queues',
  now = '%s sends now',
  steer = '%s steers',
}

--- The key of an action with what it does, where it has one.
--- @param action string
--- @param words string
--- @return string[]
local function key(action, words)
  local lhs = keys.of('prompt', action)
  return lhs and { words:format(lhs) } or {}
end

--- @return string? lhs
local function send_key()
  return keys.of('prompt', 'send_insert') or keys.of('prompt', 'send')
end

--- What sending does, by any of the keys.
--- @param status? acp.Status
--- @return string[]
local function ways(status)
  local send = send_key()
  local how = sending.how(status)
  if not how then
    return send and { send .. ' send' } or {}
  end
  local hints = send and { WORDS[how]:format(send) } or {}
  if how ~= 'now' then
    vim.list_extend(hints, key('send_now', WORDS.now))
  end
  if how ~= 'steer' and sending.how(status, 'steer') == 'steer' then
    vim.list_extend(hints, key('steer', WORDS.steer))
  end
  return hints
end

--- The hints, what matters most first.
--- @param chat acp.Chat
--- @param empty boolean
--- @return string[]
local function hints(chat, empty)
  local status = state.get(chat.session)
  if status and status.state == 'saved' then
    local send = send_key()
    return vim.list_extend({ 'it can only be read' }, send and { send .. ' starts anew' } or {})
  elseif status and status.held and #status.queue > 0 then
    local waits = #status.queue == 1 and '1 prompt waits'
      or ('%d prompts wait'):format(#status.queue)
    return vim.list_extend({ waits }, vim.list_extend(key('queue', '%s shows'), ways(status)))
  elseif empty and not sending.busy(status) then
    local ready = ways(status)[1]
    return { '/commands  @files' .. (ready and '  ' .. ready or '') }
  end
  return ways(status)
end

--- As many hints as there is room for.
--- @param texts string[]
--- @param room integer cells
--- @return string
local function fit(texts, room)
  local line = ''
  for _, text in ipairs(texts) do
    local longer = line == '' and text or line .. SEPARATOR .. text
    if line ~= '' and vim.api.nvim_strwidth(longer) + 1 > room then
      break
    end
    line = longer
  end
  return line
end

--- Columns of the large window, else of the narrowest one.
--- @param chat acp.Chat
--- @return integer?
local function columns(chat)
  local large = require('acp.ui.prompt_expand').win(chat)
  local wins = large and { large } or vim.fn.win_findbuf(chat.prompt_buf)
  local widths = vim.tbl_map(vim.api.nvim_win_get_width, wins)
  return #widths > 0 and math.min(unpack(widths)) or nil
end

--- Writes the hints anew.
--- @param chat acp.Chat
function M.refresh(chat)
  local buf = chat.prompt_buf
  if not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local room = columns(chat)
  if not room then
    return
  end
  local last = vim.api.nvim_buf_line_count(buf) - 1
  local line = vim.api.nvim_buf_get_lines(buf, last, -1, false)[1]
  local empty = last == 0 and line == ''
  local suggestion, taking = suggestions.offer(chat, empty)
  local texts = suggestion and vim.list_extend({ taking }, ways(state.get(chat.session)))
    or hints(chat, empty)
  -- What is suggested matters more than what else the keys do.
  local beside = suggestion and room - vim.api.nvim_strwidth(suggestion) - GAP or room
  local text = fit(texts, beside)
  local width = vim.api.nvim_strwidth(text) + 1
  -- A byte takes four cells at most, and a cell seldom many bytes.
  local used = #line > 4 * room and room or vim.fn.strdisplaywidth((line:gsub('%z', '^@')))
  local ghost = suggestion and suggestions.fit(suggestion, room - width - GAP)
  if ghost then
    vim.api.nvim_buf_set_extmark(buf, ns, 0, 0, {
      virt_text = { { ghost, 'AcpSuggestion' } },
      virt_text_pos = 'overlay',
      hl_mode = 'combine',
    })
  end
  if text == '' then
    return
  elseif used + width + (used > 0 and GAP or 0) <= room then
    vim.api.nvim_buf_set_extmark(buf, ns, last, 0, {
      virt_text = { { text .. ' ', 'NonText' } },
      virt_text_pos = 'right_align',
      hl_mode = 'combine',
    })
  else
    local indent = (' '):rep(room - width)
    vim.api.nvim_buf_set_extmark(buf, ns, last, 0, {
      virt_lines = { { { indent .. text, 'NonText' } } },
    })
  end
end

return M
