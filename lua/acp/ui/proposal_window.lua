--- The window in which a proposal stands for its file, and what was there before. Windows are known by id; no other is
--- touched, and none that compares files.
local M = {}

local borrow = require('acp.ui.borrow')
local layout = require('acp.ui.layout')
local panes = require('acp.ui.panes')

--- Options of the former buffer's window that are its user's, and stay as they are.
local KEPT = {
  'number',
  'relativenumber',
  'numberwidth',
  'wrap',
  'linebreak',
  'breakindent',
  'list',
  'listchars',
  'cursorline',
  'scrolloff',
  'sidescrolloff',
  'colorcolumn',
}

--- What a proposal needs.
local OWN = {
  foldenable = false,
  foldcolumn = '0',
  signcolumn = 'yes:1',
  statuscolumn = '',
  spell = false,
  conceallevel = 0,
  scrollbind = false,
  cursorbind = false,
  winbar = '',
}

--- @class acp.ProposalPlace
--- @field win integer
--- @field former? integer the buffer that it showed; nil: the window was made for the proposal
--- @field view? vim.fn.winsaveview.ret

--- Whether a buffer is that of a file.
--- @param buf integer
--- @param path string
--- @return boolean
function M.is_of(buf, path)
  local name = vim.api.nvim_buf_get_name(buf)
  if name == path then
    return true
  end
  return name ~= ''
    and vim.bo[buf].buftype == ''
    and vim.fs.basename(name) == vim.fs.basename(path)
    and vim.uv.fs_realpath(name) == (vim.uv.fs_realpath(path) or path)
end

--- @param win integer
--- @param options table<string, any>
local function set(win, options)
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = win })
  end
end

--- The window that shows a file, the current one first.
--- @param path string
--- @return integer?
local function showing(path)
  local wins = vim.api.nvim_tabpage_list_wins(0)
  table.insert(wins, 1, vim.fn.win_getid(vim.fn.winnr('#')))
  table.insert(wins, 1, vim.api.nvim_get_current_win())
  return vim.iter(wins):find(function(win)
    return borrow.takes(win) and M.is_of(vim.api.nvim_win_get_buf(win), path)
  end)
end

--- Shows a buffer in the place of a file.
--- @param buf integer
--- @param path string
--- @return acp.ProposalPlace? place nil where no window can be had
function M.open(buf, path)
  local win, made = showing(path), false
  if not win then
    local ok, found, new = pcall(require('acp.ui.open').code_window, borrow.takes)
    if not ok then
      return nil -- no room for another one
    end
    win, made = found, new
  end
  local place = { win = win, view = borrow.view(win) } --- @type acp.ProposalPlace
  local former = vim.api.nvim_win_get_buf(win)
  local kept = {}
  for _, name in ipairs(KEPT) do
    kept[name] = vim.api.nvim_get_option_value(name, { scope = 'local', win = win })
  end
  if not borrow.put(win, buf) then
    if made then
      pcall(vim.api.nvim_win_close, win, true)
    end
    return nil
  end
  if made then
    pcall(vim.api.nvim_buf_delete, former, {})
  else
    place.former = former
  end
  set(win, kept)
  set(win, OWN)
  return place
end

--- Gives every window that shows a proposal its former buffer back, and its view to the one where it stood. A window
--- that was made for it closes.
--- @param place acp.ProposalPlace
--- @param buf integer the proposal
function M.close(place, buf)
  local former = place.former
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local ours = win == place.win
    -- The last window can't be closed.
    if not (ours and not former and pcall(vim.api.nvim_win_close, win, true)) then
      local lives = former and vim.api.nvim_buf_is_loaded(former)
      borrow.put(win, lives and former or vim.api.nvim_create_buf(true, false))
      if ours and lives then
        borrow.restore(win, place.view)
      end
    end
  end
end

--- Lets `:q` close the window that it is used in, and another one stand there for the file, where it has been.
--- @param place acp.ProposalPlace
--- @param buf integer the proposal
function M.quit(place, buf)
  local win, sizes = place.win, vim.fn.winrestcmd()
  if not (place.former and vim.api.nvim_buf_is_loaded(place.former)) then
    return
  end
  local opts = { split = 'above', win = win }
  local ok, stand = pcall(layout.split, place.former, opts)
  if not ok then
    return -- no room for it: the window goes
  end
  borrow.restore(stand, place.view)
  vim.schedule(function()
    if not panes.valid(stand) then
      return
    elseif panes.valid(win) and vim.api.nvim_win_get_buf(win) == buf then
      vim.api.nvim_win_close(stand, true) -- it was not closed after all
    elseif not panes.valid(win) then
      vim.api.nvim_set_current_win(stand)
    end
    vim.cmd(sizes)
  end)
end

return M
