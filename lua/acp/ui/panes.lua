--- Which windows belong to which chat.
local M = {}

--- A chat in a tab: its two windows.
--- @class acp.Pane
--- @field chat acp.Chat
--- @field tab integer
--- @field position string
--- @field transcript integer window
--- @field prompt integer window
--- @field before acp.Snapshot
--- @field instead? integer the buffer in whose place it stands (position `current`)

local panes = {} --- @type acp.Pane[]

--- @param pane acp.Pane
function M.add(pane)
  table.insert(panes, pane)
end

--- All of them; not changed by what comes and goes meanwhile. One whose windows are both gone is forgotten:
--- |:noautocmd| closes windows without a word.
--- @return acp.Pane[]
function M.all()
  panes = vim.tbl_filter(function(pane)
    return M.valid(pane.transcript) or M.valid(pane.prompt)
  end, panes)
  return vim.list_slice(panes)
end

--- Whether a pane has not been forgotten.
--- @param pane acp.Pane
--- @return boolean
function M.has(pane)
  return vim.list_contains(panes, pane)
end

--- @param win? integer
--- @return boolean
function M.valid(win)
  return win ~= nil and vim.api.nvim_win_is_valid(win)
end

--- @param test fun(pane: acp.Pane): boolean
--- @return acp.Pane?
function M.find(test)
  return vim.iter(M.all()):find(test)
end

--- The windows of a chat in a tab.
--- @param chat acp.Chat
--- @param tab? integer the current one
--- @return acp.Pane?
function M.of(chat, tab)
  tab = tab or vim.api.nvim_get_current_tabpage()
  return M.find(function(pane)
    return pane.chat == chat and pane.tab == tab
  end)
end

--- The chat that a window belongs to.
--- @param win integer
--- @return acp.Pane?
function M.with(win)
  return M.find(function(pane)
    return pane.transcript == win or pane.prompt == win
  end)
end

--- @param pane acp.Pane
function M.forget(pane)
  panes = vim.tbl_filter(function(other)
    return other ~= pane
  end, panes)
end

--- Windows of a tab that are no floats.
--- @param tab integer
--- @return integer[]
function M.tiled(tab)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_config(win).relative == ''
  end, vim.api.nvim_tabpage_list_wins(tab))
end

--- Whether a tab has no tiled windows but those of this pane.
--- @param pane acp.Pane
--- @return boolean
function M.alone(pane)
  return vim.iter(M.tiled(pane.tab)):all(function(win)
    return win == pane.transcript or win == pane.prompt
  end)
end

--- The window of a chat's transcript in the current tab.
--- @param chat acp.Chat
--- @return integer? win
function M.visible(chat)
  local pane = M.of(chat)
  return pane and M.valid(pane.transcript) and pane.transcript or nil
end

--- The window of a chat's prompt in the current tab.
--- @param chat acp.Chat
--- @return integer? win
function M.prompt_win(chat)
  local pane = M.of(chat)
  return pane and M.valid(pane.prompt) and pane.prompt or nil
end

--- The chat that a tab shows.
--- @param tab? integer the current one
--- @return acp.Chat?
function M.shown(tab)
  tab = tab or vim.api.nvim_get_current_tabpage()
  local pane = M.find(function(pane)
    return pane.tab == tab
  end)
  return pane and pane.chat
end

--- Text columns of a chat: of the narrowest window on its transcript, that of an answer beside code among them.
--- @param chat acp.Chat
--- @return integer? columns nil while it is nowhere visible
function M.columns(chat)
  local least
  for _, win in ipairs(vim.fn.win_findbuf(chat.buf)) do
    least = math.min(least or math.huge, vim.api.nvim_win_get_width(win))
  end
  return least
end

--- What a chat that opens changes, to be set back when it is hidden.
--- @class acp.Snapshot
--- @field win integer the window from where it was opened
--- @field previous integer the one before, of |CTRL-W_p|
--- @field tiled integer[]
--- @field screen integer[]
--- @field sizes string of |winrestcmd()|

--- @return integer[]
local function screen()
  return { vim.o.columns, vim.o.lines, vim.o.cmdheight, vim.o.laststatus }
end

--- @return acp.Snapshot
function M.snapshot()
  return {
    win = vim.api.nvim_get_current_win(),
    previous = vim.fn.win_getid(vim.fn.winnr('#')),
    tiled = M.tiled(0),
    screen = screen(),
    sizes = vim.fn.winrestcmd(),
  }
end

--- Sets back what a pane that is closed now has changed, as far as it is still so.
--- @param pane acp.Pane
--- @param focused boolean the cursor was in it
function M.restore(pane, focused)
  local before = pane.before
  if vim.deep_equal(before.tiled, M.tiled(0)) and vim.deep_equal(before.screen, screen()) then
    vim.cmd(before.sizes)
  end
  if focused and vim.list_contains(vim.api.nvim_tabpage_list_wins(0), before.win) then
    if M.valid(before.previous) then
      vim.cmd(('noautocmd call win_gotoid(%d)'):format(before.previous))
    end
    vim.api.nvim_set_current_win(before.win)
  end
end

return M
