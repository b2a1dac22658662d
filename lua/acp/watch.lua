--- Files of loaded buffers, and whether they were changed on disk.
local disk = require('acp.disk')

local M = {}

local api = vim.api

--- Looks at the files of all loaded buffers: an unmodified buffer is read anew where its file was changed.
function M.check()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and disk.is_file(buf) then
      disk.sync(buf)
    end
  end
end

return M
