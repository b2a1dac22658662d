--- Differences between the supported Neovim versions (0.10 to 0.12). The only place that knows them.
local M = {}

--- Line diff as hunk indices; see |vim.text.diff()| (0.12) and |vim.diff()| (before).
--- @param a string
--- @param b string
--- @param opts? table
--- @return integer[][]
function M.diff_indices(a, b, opts)
  local diff = vim.text and vim.text.diff or vim.diff
  return diff(
    a,
    b,
    vim.tbl_extend('force', { result_type = 'indices', algorithm = 'histogram' }, opts or {})
  )
end

--- Position of right-aligned virtual text that yields to the line's text.
--- @return string
function M.right_align()
  return vim.fn.has('nvim-0.11') == 1 and 'eol_right_align' or 'right_align'
end

--- Border of floats: the user's `'winborder'` where there is one.
--- @return string|string[]
function M.border()
  if vim.fn.exists('+winborder') == 1 and vim.o.winborder ~= '' then
    local border = vim.o.winborder
    return border:find(',') and vim.split(border, ',') or border
  end
  return 'rounded'
end

return M
