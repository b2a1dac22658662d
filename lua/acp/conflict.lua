--- Buffers with unsaved changes whose file was changed on disk.
local buffers = require('acp.buffers')

local M = {}

--- Ends a conflict: the buffer gets the text that was decided on, as one undo step.
--- @param params { path: string, text: string } `path` real
--- @return { ok: true }|{ error: string }|nil result nil when no buffer of that file is loaded
function M.resolve(params)
  return buffers.replace(params)
end

return M
