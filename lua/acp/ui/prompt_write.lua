--- `:w` in the prompt sends it, with option `prompt.write_sends`. The buffer is never taken for unsaved: what is typed
--- is kept by itself, and nothing is asked when Neovim is left.
local message = require('acp.message')

local M = {}

--- Whether something that saves buffers by itself writes: that sends nothing.
--- @return boolean
local function by_itself()
  local _, nested = vim.fn.expand('<stack>'):gsub('Autocommands for', '')
  return nested > 1
end

--- @param chat acp.Chat
function M.watch(chat)
  if not require('acp.config').get().prompt.write_sends then
    return
  end
  local buf = chat.prompt_buf
  vim.bo[buf].buftype = 'acwrite'
  local group = vim.api.nvim_create_augroup('acp.prompt.write.' .. chat.session, {})
  local function on(events, desc, callback, opts)
    opts = vim.tbl_extend('force', opts or { buffer = buf }, {
      group = group,
      desc = 'acp: ' .. desc,
      callback = callback,
    })
    vim.api.nvim_create_autocmd(events, opts)
  end
  on('BufWriteCmd', 'to write a prompt is to send it', function()
    vim.bo[buf].modified = false
    if by_itself() then
      return message.info('the prompt was not sent: type :w in its window for that')
    end
    -- |:wq| closes the window first, and what is asked before a prompt is sent is asked outside of a write.
    vim.schedule(function()
      require('acp.ui.prompt').submit(chat)
    end)
  end)
  local function unmodified()
    if vim.api.nvim_buf_is_loaded(buf) then
      vim.bo[buf].modified = false
    end
  end
  on('BufModifiedSet', 'a prompt is never unsaved', unmodified)
  on('QuitPre', 'a prompt keeps nobody here', unmodified, { pattern = '*' })
end

return M
