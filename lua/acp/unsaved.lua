--- Unsaved buffers: who reads the disk does not see them.
local buffers = require('acp.buffers')
local disk = require('acp.disk')

local M = {}

local api = vim.api

--- Modified buffers of files below `roots`, and their texts.
--- @param roots string[] absolute, real
--- @return { path: string, text: string }[]
function M.under(roots)
  local found = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and vim.bo[buf].modified and disk.is_file(buf) then
      local path = disk.real_path(api.nvim_buf_get_name(buf))
      if disk.is_below(path, roots) then
        found[#found + 1] = { path = path, text = buffers.text(buf) }
      end
    end
  end
  return found
end

return M
