--- Opens what a line of the transcript names.
local layout = require('acp.ui.layout')
local message = require('acp.message')
local panes = require('acp.ui.panes')

local M = {}

--- A path in text that may end in `:line` or `:line:column`.
--- @param word string
--- @return string path
--- @return integer? line
--- @return integer? col
local function split(word)
  local path, line, col = word:match('^(.-):(%d+):?(%d*)')
  if not path then
    return word
  end
  return path, tonumber(line), tonumber(col)
end

--- A window for code in the current tab: the one before, any other, or a new one.
--- @return integer win
local function code_window()
  local function takes_code(win)
    return vim.bo[vim.api.nvim_win_get_buf(win)].buftype == '' and not vim.wo[win].winfixbuf
  end
  local wins = panes.tiled(0)
  table.insert(wins, 1, vim.fn.win_getid(vim.fn.winnr('#')))
  local found = vim.iter(wins):find(function(win)
    return panes.valid(win) and not panes.with(win) and takes_code(win)
  end)
  if found then
    return found
  end
  local pane = panes.find(function(pane)
    return pane.tab == vim.api.nvim_get_current_tabpage()
  end)
  local opposite = { left = 'right', top = 'below', bottom = 'above' }
  local opts = { split = opposite[pane and pane.position] or 'left', win = -1 }
  return layout.split(vim.api.nvim_create_buf(true, false), opts)
end

--- @param path string
--- @param cwd string
--- @return string absolute
local function absolute(path, cwd)
  path = path:gsub('^file://', '')
  if path:sub(1, 1) == '~' or path:sub(1, 1) == '/' or path:match('^%a:[\\/]') then
    return vim.fs.normalize(path, { expand_env = false })
  end
  return vim.fs.normalize(vim.fs.joinpath(cwd, path), { expand_env = false })
end

--- The existing file that is named at a byte column of a line.
--- @param line string
--- @param col integer 0-based
--- @param cwd string
--- @return { path: string, line?: integer, col?: integer }?
function M.named(line, col, cwd)
  -- The longest run of characters around the cursor that names a file; narrower ones next.
  for _, class in ipairs({ '[^%s]', '[^%s"\'`<>|]', '[^%s"\'`<>()%[%]{}|,;]' }) do
    local from, to = col + 1, col + 1
    if not line:sub(from, from):match(class) then
      break
    end
    while from > 1 and line:sub(from - 1, from - 1):match(class) do
      from = from - 1
    end
    while to < #line and line:sub(to + 1, to + 1):match(class) do
      to = to + 1
    end
    local word = line:sub(from, to):gsub('^[@(%[]+', ''):gsub('[.,;:!?)%]]+$', '')
    local path, lnum, at = split(word)
    if path ~= '' and vim.uv.fs_stat(absolute(path, cwd)) then
      return { path = absolute(path, cwd), line = lnum, col = at }
    end
  end
end

--- Opens a file in a window for code.
--- @param target { path: string, line?: integer, col?: integer }
--- @param cwd string
--- @return boolean opened
function M.file(target, cwd)
  local path = absolute(target.path, cwd)
  if not vim.uv.fs_stat(path) then
    message.warn(('there is no %s any more'):format(target.path))
    return false
  end
  message.guard(vim.api.nvim_set_current_win, code_window())
  if vim.api.nvim_buf_get_name(0) ~= path then
    -- A buffer with changes keeps its window when 'hidden' is off.
    local kept = vim.bo.modified and not vim.o.hidden and vim.bo.bufhidden == ''
    local edit = kept and vim.cmd.split or vim.cmd.edit
    message.guard(edit, { args = { path }, magic = { file = false, bar = false } })
    if vim.api.nvim_buf_get_name(0) ~= path then
      return false
    end
  end
  if target.line then
    local line = math.max(1, math.min(target.line, vim.api.nvim_buf_line_count(0)))
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(0, { line, math.max(0, (target.col or 1) - 1) })
    vim.cmd('normal! zvzz')
  end
  return true
end

return M
