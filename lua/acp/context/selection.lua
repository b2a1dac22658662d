--- What was selected last.
local context = require('acp.context')
local utf8 = require('acp.utf8')

local api = vim.api

local M = {}

local visual = { v = true, V = true, ['\22'] = true }

--- The last selection of the current buffer, or the present one.
--- @param selecting boolean
--- @return integer[] from see |getpos()|
--- @return integer[] to
--- @return string kind see |visualmode()|
local function current(selecting)
  if selecting then
    local from, to = vim.fn.getpos('v'), vim.fn.getpos('.')
    if from[2] > to[2] or (from[2] == to[2] and from[3] > to[3]) then
      from, to = to, from
    end
    return from, to, api.nvim_get_mode().mode
  end
  return vim.fn.getpos("'<"), vim.fn.getpos("'>"), vim.fn.visualmode()
end

--- @param buf integer
--- @param range? [integer, integer] the lines that are meant; those of the selection mean the selection
--- @return acp.TextAttachment? attachment nil where nothing was selected
function M.get(buf, range)
  local selecting = buf == api.nvim_get_current_buf() and visual[api.nvim_get_mode().mode]
  local from, to, kind, region
  api.nvim_buf_call(buf, function()
    from, to, kind = current(selecting == true)
    -- Text that has been deleted since leaves marks that point behind the end of a line.
    local ok, lines = pcall(vim.fn.getregion, from, to, { type = kind ~= '' and kind or 'V' })
    region = ok and lines
  end)
  local first, last = from[2], math.min(to[2], api.nvim_buf_line_count(buf))
  if range and (range[1] ~= first or range[2] ~= to[2]) then
    return context.lines(buf, range[1], range[2])
  elseif first == 0 or first > last then
    return nil
  end
  local attachment = context.lines(buf, first, last)
  if kind ~= 'V' and kind ~= '' and region and #region > 0 then
    attachment.text = utf8.valid(table.concat(region, '\n'))
  end
  return attachment
end

return M
