--- Which buffer is "the buffer": the one with code that the user works in, also while the cursor is in a chat.
local panes = require('acp.ui.panes')

local api = vim.api

local M = {}

local last = {} --- @type table<integer, integer> tab → the window with code where the cursor was last

--- @param win integer
--- @return boolean
local function is_float(win)
  return api.nvim_win_get_config(win).relative ~= ''
end

--- @param win integer
--- @return boolean
local function is_chat(win)
  return vim.b[api.nvim_win_get_buf(win)].acp_session ~= nil
end

--- Whether a window is one for code: no list, no terminal, nothing of ours, no float.
--- @param win integer
--- @return boolean
local function has_code(win)
  local buftype = vim.bo[api.nvim_win_get_buf(win)].buftype
  return not is_chat(win) and not is_float(win) and (buftype == '' or buftype == 'acwrite')
end

--- Whether what is asked for in this window is meant of this window, whatever it shows.
--- @param win integer
--- @return boolean
local function speaks_for_itself(win)
  local buftype = vim.bo[api.nvim_win_get_buf(win)].buftype
  return not is_chat(win) and not (is_float(win) and buftype ~= '')
end

--- The window with code of the current tab.
--- @return integer?
local function window()
  local current = api.nvim_get_current_win()
  if speaks_for_itself(current) then
    return current
  end
  local tab = api.nvim_get_current_tabpage()
  local wins = {
    last[tab] or 0,
    vim.fn.win_getid(vim.fn.winnr('#')),
  }
  local pane = panes.find(function(pane)
    return pane.tab == tab
  end)
  table.insert(wins, pane and pane.before.win)
  vim.list_extend(wins, panes.tiled(tab))
  return vim.iter(wins):find(function(win)
    return panes.valid(win) and api.nvim_win_get_tabpage(win) == tab and has_code(win)
  end)
end

--- The file whose buffer was used last: a chat may have the tab for itself.
--- @return integer?
local function recent_buffer()
  local infos = vim.tbl_filter(function(info)
    return info.loaded == 1 and info.name ~= '' and vim.bo[info.bufnr].buftype == ''
  end, vim.fn.getbufinfo({ buflisted = 1 }))
  table.sort(infos, function(a, b)
    return a.lastused > b.lastused
  end)
  return infos[1] and infos[1].bufnr
end

--- @class (exact) acp.Source
--- @field buf integer
--- @field win? integer
--- @field line integer of the cursor, 1-based

--- @return acp.Source?
function M.get()
  local win = window()
  if win then
    return { buf = api.nvim_win_get_buf(win), win = win, line = api.nvim_win_get_cursor(win)[1] }
  end
  local buf = recent_buffer()
  return buf and { buf = buf, line = math.max(1, api.nvim_buf_get_mark(buf, '"')[1]) } or nil
end

api.nvim_create_autocmd('WinLeave', {
  group = api.nvim_create_augroup('acp.source', {}),
  desc = 'acp: where the user works',
  callback = function()
    local win = api.nvim_get_current_win()
    if has_code(win) then
      last[api.nvim_get_current_tabpage()] = win
    end
  end,
})

return M
