--- What the review sends. The sidecar is started where it doesn't run: what there is to review outlives Neovim.
local M = {}

--- Whose changes are meant now: those of the current chat, else those in the current folder.
--- @return acp.ReviewOf
function M.of()
  local chat = package.loaded['acp.chat'] and require('acp.chat').current()
  local opened = chat and chat.opened -- of others the sidecar does not know
  return {
    session = chat and opened and chat.session or nil,
    cwd = chat and chat.cwd or vim.fn.getcwd(),
  }
end

--- @param method 'review.open'|'review.decide'|'review.diff'|'review.undo'|'review.drop'
--- @param of acp.ReviewOf
--- @param params table
--- @return boolean sent false, with a message, where the sidecar can't be started
function M.send(method, of, params)
  if not require('acp.sidecar').channel() then
    return false
  end
  params.session, params.cwd = of.session, of.cwd
  require('acp.rpc').notify(method, params)
  return true
end

return M
