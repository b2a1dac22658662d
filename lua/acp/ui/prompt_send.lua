--- What becomes of a prompt: it is sent, waits, goes into the turn that runs, or takes its place.
local config = require('acp.config')
local state = require('acp.state')

local M = {}

local busy = { working = true, waiting = true, cancelling = true }

--- Whether the agent works.
--- @param status? acp.Status
--- @return boolean
function M.busy(status)
  return status ~= nil and busy[status.state] ~= nil
end

--- What a prompt does that is sent now.
--- @param status? acp.Status
--- @param asked? 'queue'|'now'|'steer' none: what the option says
--- @return 'queue'|'now'|'steer'|nil how nil: it is simply sent
function M.how(status, asked)
  if not (status and M.busy(status)) then
    return nil
  end
  local how = asked or config.get().prompt.busy
  local possible = status.takes.steering and status.state ~= 'cancelling'
  return how == 'steer' and not possible and 'queue' or how
end

--- @class acp.AnewChoice
--- @field label string
--- @field attachments acp.Attachment[]

--- @type acp.AnewChoice[]
local ANEW = {
  {
    label = 'Start a new session with what was said',
    attachments = { { type = 'conversation' } },
  },
  { label = 'Start a new session without it', attachments = {} },
}

--- The session can only be read: another one takes the prompt.
--- @param chat acp.Chat
local function anew(chat)
  require('acp.ui.choose').one(ANEW, {
    prompt = 'This session can only be read',
    kind = 'acp.anew',
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if choice and vim.api.nvim_buf_is_loaded(chat.prompt_buf) then
      M.send(chat, { anew = true }, choice.attachments)
    end
  end)
end

--- @param chat acp.Chat
--- @param opts { how?: 'queue'|'now'|'steer', anew?: boolean }
--- @param attachments acp.Attachment[] beside those that the text names
function M.send(chat, opts, attachments)
  local text = require('acp.ui.prompt').text(chat)
  if vim.trim(text) == '' then
    return
  end
  local mentions = require('acp.complete.mentions').sent(chat, text)
  local all = vim.list_extend(vim.list_slice(attachments), mentions)
  require('acp.ui.prompt_expand').close(chat)
  require('acp.chat').send(chat, text, all, opts)
end

--- Sends what is written. It stays until it is sent.
--- @param chat acp.Chat
--- @param how? 'now'|'steer' instead of what the option says, while the agent works
function M.submit(chat, how)
  local status = state.get(chat.session)
  if vim.trim(require('acp.ui.prompt').text(chat)) == '' then
    return
  elseif how == 'steer' and M.busy(status) and M.how(status, how) ~= 'steer' then
    local name = chat.agent.title or chat.agent.name
    local why = status and status.state == 'cancelling' and 'the turn is being cancelled'
      or ('%s takes no prompt into a turn that runs'):format(name)
    return require('acp.ui.prompt').say('warn', why .. ': send it, and it waits')
  end
  vim.cmd.stopinsert()
  if status and status.state == 'saved' then
    anew(chat)
  else
    M.send(chat, { how = M.how(status, how) }, {})
  end
end

return M
