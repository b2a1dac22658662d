--- What of the editor goes along with a prompt.
local M = {}

--- Whole lines of a buffer, unsaved text included.
--- @param buf integer
--- @param first integer 1-based
--- @param last integer 1-based, inclusive
--- @return acp.Attachment
function M.lines(buf, first, last)
  local name = vim.api.nvim_buf_get_name(buf)
  local is_file = vim.bo[buf].buftype == '' and name ~= ''
  return {
    type = 'text',
    path = is_file and vim.fs.normalize(vim.fn.fnamemodify(name, ':p')) or nil,
    startLine = first,
    endLine = last,
    text = table.concat(vim.api.nvim_buf_get_lines(buf, first - 1, last, false), '\n') .. '\n',
    filetype = vim.bo[buf].filetype ~= '' and vim.bo[buf].filetype or nil,
  }
end

--- A whole buffer, unsaved text included.
--- @param buf integer
--- @return acp.Attachment
function M.buffer(buf)
  local attachment = M.lines(buf, 1, vim.api.nvim_buf_line_count(buf))
  attachment.startLine, attachment.endLine = nil, nil
  return attachment
end

return M
