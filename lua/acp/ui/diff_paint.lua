--- Puts the lines of a diff into a buffer: text, colours, and the column with line numbers and signs.
local M = {}

--- Longer diffs are not highlighted by syntax files: those work while Neovim draws.
local MAX_SYNTAX_ROWS = 3000

--- Rows that get their colours before they are shown; those of longer diffs come a moment later.
local MAX_ROWS_AT_ONCE = 400

--- No system has longer paths.
local PATH_MAX = 4096

local ns = vim.api.nvim_create_namespace('acp.diff')

local backgrounds = { add = 'AcpDiffAdd', del = 'AcpDiffDelete', gap = 'AcpDiffFold' }
local word_groups = { add = 'AcpDiffAddWord', del = 'AcpDiffDeleteWord' }
local signs = {
  add = '%#AcpDiffAdd#+ ',
  del = '%#AcpDiffDelete#- ',
  same = '%#AcpDiffLineNr#  ',
}
--- Syntax lies above the backgrounds of lines and below the changed words.
local LINES, SYNTAX, WORDS = 50, 100, 150

--- What a buffer's rows have in front of them.
--- @class acp.DiffColumn
--- @field view acp.DiffLines
--- @field rows string[]
--- @field blank string for folds, and for the further screen lines of a wrapped line
--- @field width integer
local columns = {} --- @type table<integer, acp.DiffColumn>

--- @param view acp.DiffLines
--- @return acp.DiffColumn
local function column(view)
  local highest = 1
  for _, row in ipairs(view.rows) do
    highest = math.max(highest, row.old or 1, row.new or 1)
  end
  local digits = math.max(3, #tostring(highest))
  local width = digits + 4
  local rows = {}
  local blank = '%#AcpDiffLineNr#' .. (' '):rep(width)
  for i, row in ipairs(view.rows) do
    local number = row.new or row.old
    rows[i] = number and ('%%#AcpDiffLineNr# %' .. digits .. 'd %s'):format(number, signs[row.type])
      or '%#AcpDiffFold# '
  end
  return { view = view, rows = rows, blank = blank, width = width }
end

--- `'statuscolumn'` of the float.
--- @return string
function M.column()
  local shown = columns[vim.api.nvim_get_current_buf()]
  if not shown then
    return ''
  end
  if vim.fn.foldclosed(vim.v.lnum) > 0 then
    return '%#AcpDiffFold# '
  end
  return vim.v.virtnum == 0 and shown.rows[vim.v.lnum] or shown.blank
end

--- `'foldtext'` of the float.
--- @return string
function M.foldtext()
  return require('acp.ui.diff_lines').gap_text(vim.v.foldend - vim.v.foldstart + 1)
end

--- @param buf integer
--- @return integer cells in front of the text
function M.column_width(buf)
  return columns[buf] and columns[buf].width or 0
end

--- @param buf integer
function M.forget(buf)
  columns[buf] = nil
end

--- Captures of one side of the diff, each row on its own: deleted lines stand between the rows of the new text.
--- @param buf integer
--- @param view acp.DiffLines
--- @param side 'old'|'new'
--- @param lang string
local function paint_side(buf, view, side, lang)
  local text, at = require('acp.ui.diff_lines').side(view, side)
  local opts = { priority = SYNTAX } -- reused: there may be thousands
  local paint = require('acp.ui.paint')
  for _, capture in ipairs(paint.captures(text, lang)) do
    paint.breathe()
    if columns[buf] == nil or columns[buf].view ~= view then
      return -- something else is shown by now
    end
    local from, from_col, to, to_col, group = unpack(capture)
    opts.hl_group = group
    for line = from, math.min(to, #at - 1) do
      local row = view.rows[at[line + 1]]
      if side == 'new' or row.type == 'del' then
        local first = line == from and from_col or 0
        local last = line == to and to_col or #row.text
        if first < last and last <= #row.text then
          opts.end_col = last
          vim.api.nvim_buf_set_extmark(buf, ns, at[line + 1] - 1, first, opts)
        end
      end
    end
  end
end

--- The filetype of a file, found without setting it.
--- @param path string
--- @param contents string[] its first lines
--- @return string?
function M.language(path, contents)
  -- What can't be a path has no language: NUL would be an error, and a long text takes seconds to match.
  if #path > PATH_MAX or path:find('%c') then
    return nil
  end
  return vim.filetype.match({ filename = path, contents = contents })
end

--- @param buf integer
--- @param view acp.DiffLines
--- @param path string file whose syntax it is
function M.fill(buf, view, path)
  local text = {}
  local deleted = false
  for i, row in ipairs(view.rows) do
    text[i] = row.text
    deleted = deleted or row.type == 'del'
  end
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, text)
  vim.bo[buf].modifiable = false
  columns[buf] = column(view)

  local first = 1 -- of the rows of one type
  for i, row in ipairs(view.rows) do
    local next_row = view.rows[i + 1]
    if backgrounds[row.type] and not (next_row and next_row.type == row.type) then
      -- No `line_hl_group`: the background of words would lie under it.
      vim.api.nvim_buf_set_extmark(buf, ns, first - 1, 0, {
        end_row = i,
        hl_group = backgrounds[row.type],
        hl_eol = true,
        priority = LINES,
      })
    end
    first = next_row and next_row.type == row.type and first or i + 1
    for _, word in ipairs(row.words or {}) do
      vim.api.nvim_buf_set_extmark(buf, ns, i - 1, word[1], {
        end_col = word[2],
        hl_group = word_groups[row.type],
        priority = WORDS,
        strict = false,
      })
    end
  end

  local lang = M.language(path, vim.list_slice(text, 1, 50))
  local parses = lang and require('acp.ui.paint').parses(lang)
  -- Most languages have no parser in a plain Neovim, but all have a syntax file; it needs no filetype set, so nothing
  -- else wakes up for this buffer.
  vim.bo[buf].syntax = lang and not parses and #view.rows <= MAX_SYNTAX_ROWS and lang or ''
  local function paint_sides()
    paint_side(buf, view, 'new', lang)
    if deleted then
      paint_side(buf, view, 'old', lang)
    end
  end
  if parses and #view.rows <= MAX_ROWS_AT_ONCE then
    paint_sides()
  elseif parses then
    require('acp.ui.paint').later(paint_sides)
  end
end

return M
