--- Files of loaded buffers, and whether they were changed on disk.
local sync = require('acp.sync')

local M = {}

--- Looks at the files of all loaded buffers: an unmodified buffer is read anew where its file was changed.
function M.check()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    sync.sync(buf)
  end
end

return M
