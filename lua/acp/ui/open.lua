--- Opens what a line of the transcript names.
local layout = require('acp.ui.layout')
local message = require('acp.message')
local panes = require('acp.ui.panes')

local M = {}

--- How a line, and a column, is written behind a path.
local PLACES = { '^(.-):L?(%d+):?(%d*)', '^(.-)#L(%d+)C?(%d*)', '^(.-)%((%d+),?(%d*)%)' }

--- What a word may mean: the file of that name, or one at a line.
--- @param word string
--- @return { path: string, line?: integer, col?: integer }[]
local function readings(word)
  local found = { { path = word } }
  for _, pattern in ipairs(PLACES) do
    local path, line, col = word:match(pattern)
    if path then
      table.insert(found, { path = path, line = tonumber(line), col = tonumber(col) })
    end
  end
  return found
end

--- @param win integer
--- @return boolean
local function takes_code(win)
  return vim.bo[vim.api.nvim_win_get_buf(win)].buftype == ''
    and not vim.wo[win].winfixbuf
    -- Files are compared there: another one would tear that apart.
    and not vim.wo[win].diff
end

--- A window for code in the current tab: the current one, the one before, any other, or a new one.
--- @param takes? fun(win: integer): boolean what is asked of it, where that is more than to be one for code
--- @return integer win
--- @return boolean new
function M.code_window(takes)
  takes = takes or takes_code
  local wins = panes.tiled(0)
  local current = vim.api.nvim_get_current_win()
  table.insert(wins, 1, vim.fn.win_getid(vim.fn.winnr('#')))
  if vim.list_contains(wins, current) then
    table.insert(wins, 1, current)
  end
  local found = vim.iter(wins):find(function(win)
    return panes.valid(win) and not panes.with(win) and takes(win)
  end)
  if found then
    return found, false
  end
  local pane = panes.find(function(pane)
    return pane.tab == vim.api.nvim_get_current_tabpage()
  end)
  local opposite = { left = 'right', top = 'below', bottom = 'above' }
  local opts = { split = opposite[pane and pane.position] or 'left', win = -1 }
  return layout.split(vim.api.nvim_create_buf(true, false), opts), true
end

--- @param path string
--- @param cwd string
--- @return string absolute
local function absolute(path, cwd)
  if path:find('^file://') then
    path = vim.uri_to_fname(path)
  end
  if path:sub(1, 1) == '~' or path:sub(1, 1) == '/' or path:match('^%a:[\\/]') then
    return vim.fs.normalize(path, { expand_env = false })
  end
  return vim.fs.normalize(vim.fs.joinpath(cwd, path), { expand_env = false })
end

--- The longest run of a class of characters around a byte of a line.
--- @param line string
--- @param at integer
--- @param class string
--- @return string? run
local function run(line, at, class)
  local from, to = at, at
  if not line:sub(at, at):match(class) then
    return nil
  end
  while from > 1 and line:sub(from - 1, from - 1):match(class) do
    from = from - 1
  end
  while to < #line and line:sub(to + 1, to + 1):match(class) do
    to = to + 1
  end
  return line:sub(from, to)
end

--- What may be a path at a byte of a line: what stands there in quotes, which may hold blanks, and then ever narrower
--- words.
--- @param line string
--- @param at integer
--- @return string[]
local function words(line, at)
  local found = {}
  for _, quoted in ipairs({ '()`([^`]+)()`', '()"([^"]+)()"', "()'([^']+)()'" }) do
    for from, text, to in line:gmatch(quoted) do
      if from <= at and at <= to then
        table.insert(found, text)
      end
    end
  end
  local classes = { '[^%s]', '[^%s"\'`<>|]', '[^%s"\'`<>()%[%]{}|,;]', '[^%s"\'`<>()%[%]{}|,;=*]' }
  for _, class in ipairs(classes) do
    local word = run(line, at, class)
    if word then
      table.insert(found, word)
      table.insert(found, (word:gsub('^[@(%[]+', ''):gsub('[.,;:!?)%]]+$', '')))
    end
  end
  return found
end

--- The existing file that is named at a byte column of a line.
--- @param line string
--- @param col integer 0-based
--- @param cwd string
--- @param pairs? { here: string, there: string }[] names that folders have for who wrote the line
--- @return { path: string, line?: integer, col?: integer }?
function M.named(line, col, cwd, pairs)
  for _, word in ipairs(words(line, col + 1)) do
    for _, target in ipairs(readings(word)) do
      -- Diffs call the two sides of a file a/ and b/.
      for _, path in ipairs({ target.path, (target.path:gsub('^[ab]/', '')) }) do
        local given = absolute(path, cwd)
        for _, name in ipairs({ require('acp.paths').here(given, pairs) or given, given }) do
          if path:find('[^./]') and vim.uv.fs_stat(name) then
            return { path = name, line = target.line, col = target.col }
          end
        end
      end
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
  message.guard(vim.api.nvim_set_current_win, (M.code_window()))
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
