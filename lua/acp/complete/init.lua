--- Completion in the prompt: the agent's commands at its start, files and what the editor knows behind an `@`.
local M = {}

--- Flags of 'completeopt' by which something would be chosen unasked, or a window opened.
local UNWANTED = { 'longest', 'preinsert', 'preview' }

--- The user's 'completeopt', as it has to be for a menu that comes by itself.
--- @return string
local function completeopt()
  local flags = { 'menu', 'menuone', 'noselect', 'noinsert' }
  for _, flag in ipairs(vim.opt_global.completeopt:get()) do
    if not vim.list_contains(flags, flag) and not vim.list_contains(UNWANTED, flag) then
      flags[#flags + 1] = flag
    end
  end
  return table.concat(flags, ',')
end

--- Makes it part of a chat's prompt, before that has its filetype.
--- @param chat acp.Chat
function M.attach(chat)
  local buf = chat.prompt_buf
  vim.bo[buf].omnifunc = "v:lua.require'acp.complete.menu'.omnifunc"
  require('acp.compat').set_completeopt(buf, completeopt())
  require('acp.complete.menu').attach(chat)
  vim.api.nvim_create_autocmd('FileType', {
    buffer = buf,
    once = true,
    desc = 'acp: completion as a language server',
    callback = function()
      require('acp.complete.server').start(chat)
      -- Whoever maps keys where a language server is attached has not meant those that send a prompt.
      require('acp.ui.prompt_keys').map(chat)
    end,
  })
end

return M
