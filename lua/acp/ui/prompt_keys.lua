--- Keys of the prompt.
local keys = require('acp.ui.keys')

local M = {}

local BOTH = { 'n', 'i' }

--- @param chat acp.Chat
function M.map(chat)
  local api = require('acp.chat')
  local prompt = require('acp.ui.prompt')
  local expand = require('acp.ui.prompt_expand')
  local walk = require('acp.ui.prompt_history').key
  --- @param how? 'now'|'steer'
  local function submit(how)
    return function()
      prompt.submit(chat, how)
    end
  end
  keys.map('prompt', chat.prompt_buf, {
    send = { 'n', submit() },
    send_insert = { BOTH, submit() },
    send_now = { BOTH, submit('now') },
    steer = { BOTH, submit('steer') },
    history_prev = { BOTH, walk(chat, -1), expr = true },
    history_next = { BOTH, walk(chat, 1), expr = true },
    history_search = {
      BOTH,
      function()
        require('acp.ui.history').search()
      end,
    },
    expand = {
      BOTH,
      function()
        expand.toggle(chat)
      end,
    },
    queue = {
      BOTH,
      function()
        require('acp.ui.queue').open(chat)
      end,
    },
    remove = {
      BOTH,
      function()
        require('acp.attach').remove(chat)
      end,
    },
    paste_image = {
      BOTH,
      function()
        require('acp.attach').add('image')
      end,
    },
    cancel = {
      BOTH,
      function()
        if not api.cancel(chat) then
          vim.cmd.stopinsert()
        end
      end,
    },
    permission = {
      'n',
      function()
        require('acp.ui.permission').ask(chat.session)
      end,
    },
    hide = {
      'n',
      function()
        if not expand.close(chat) then
          api.hide(chat)
        end
      end,
    },
    help = {
      'n',
      function()
        keys.help('prompt')
      end,
    },
  })
end

return M
