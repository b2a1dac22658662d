--- |:edit| empties a buffer that has no file, and so does what loads it anew: what was in ours comes back.
local M = {}

--- @class acp.Kept
--- @field lines string[]
--- @field marks any[] as |nvim_buf_get_extmarks()| gives them

--- @param buf integer
--- @return acp.Kept
local function keep(buf)
  return {
    lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false),
    marks = vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true }),
  }
end

--- @param buf integer
--- @param kept acp.Kept
local function restore(buf, kept)
  local modifiable = vim.bo[buf].modifiable
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, kept.lines)
  vim.bo[buf].modifiable = modifiable
  for _, mark in ipairs(kept.marks) do
    local id, row, col, details = unpack(mark)
    local ns = details.ns_id
    details.ns_id, details.id, details.strict = nil, id, false
    vim.api.nvim_buf_set_extmark(buf, ns, row, col, details)
  end
end

--- Gives a buffer its text and marks back when it is loaded anew.
--- @param buf integer
--- @param on_unload fun() it was unloaded and is not coming back
function M.watch(buf, on_unload)
  local kept --- @type acp.Kept?
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buf,
    desc = 'acp: keep what is in a buffer without a file',
    callback = function()
      if vim.v.exiting ~= vim.NIL then
        return
      end
      kept = keep(buf)
      vim.schedule(function()
        if not vim.api.nvim_buf_is_loaded(buf) then
          on_unload()
        end
      end)
    end,
  })
  vim.api.nvim_create_autocmd('BufReadCmd', {
    buffer = buf,
    desc = 'acp: bring it back',
    callback = function()
      if kept then
        restore(buf, kept)
        kept = nil
      end
    end,
  })
end

return M
