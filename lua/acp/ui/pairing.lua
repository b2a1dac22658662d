--- The two windows of a chat go together, whatever closes or moves one of them.
local layout = require('acp.ui.layout')
local panes = require('acp.ui.panes')

--- Opens the window that is missing, or closes the other one where there is no room for two.
--- @param pane acp.Pane
local function mend(pane)
  if not pcall(layout.mend, pane) then
    layout.dissolve(pane)
  end
end

--- |CTRL-W_T| makes a new window in a new tab of the one that it closes: the chat goes there.
--- @param pane acp.Pane
--- @return boolean moved
local function follow(pane)
  local win = vim.api.nvim_get_current_win()
  local buf = vim.api.nvim_win_get_buf(win)
  local tab = vim.api.nvim_get_current_tabpage()
  local chat = pane.chat
  if tab == pane.tab or panes.with(win) or (buf ~= chat.buf and buf ~= chat.prompt_buf) then
    return false
  end
  layout.dissolve(pane)
  local which = buf == chat.buf and 'transcript' or 'prompt'
  local moved = {
    chat = chat,
    tab = tab,
    position = 'tab',
    before = panes.snapshot(),
    transcript = -1,
    prompt = -1,
  }
  moved[which] = win
  panes.add(moved)
  mend(moved)
  return true
end

--- A window was closed by hand: the other one follows, or has it back when it cannot go.
--- @param pane acp.Pane
local function complete(pane)
  if not panes.has(pane) or follow(pane) then
    return
  elseif not vim.api.nvim_tabpage_is_valid(pane.tab) then
    return panes.forget(pane)
  end
  local only = #vim.api.nvim_list_tabpages() == 1 and panes.alone(pane)
  if only and (panes.valid(pane.transcript) or panes.valid(pane.prompt)) then
    mend(pane)
  else
    layout.dissolve(pane)
  end
end

local group = vim.api.nvim_create_augroup('acp.pairing', {})

vim.api.nvim_create_autocmd('WinClosed', {
  group = group,
  desc = 'acp: the two windows of a chat go together',
  callback = function(args)
    local pane = panes.with(tonumber(args.match) --[[@as integer]])
    if pane then
      vim.schedule(function()
        complete(pane)
      end)
    end
  end,
})

vim.api.nvim_create_autocmd('QuitPre', {
  group = group,
  desc = 'acp: :q in a chat that has the tab for itself closes both of its windows',
  callback = function()
    local win = vim.api.nvim_get_current_win()
    local pane = panes.with(win)
    local other = pane and (win == pane.prompt and pane.transcript or pane.prompt)
    if pane and panes.alone(pane) and panes.valid(other) then
      vim.api.nvim_win_close(other, true)
    end
  end,
})

vim.api.nvim_create_autocmd('SourcePre', {
  group = group,
  desc = 'acp: chats make place for a session file',
  callback = function(args)
    require('acp.ui.session_file').before(args.file)
  end,
})

vim.api.nvim_create_autocmd('VimResized', {
  group = group,
  desc = 'acp: chats keep their share of the screen',
  callback = layout.resize,
})
