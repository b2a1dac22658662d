--- From the prompt to the sidecar, and back: what the user sends, and what is cancelled.
local rpc = require('acp.rpc')
local state = require('acp.state')

local M = {}

--- @class (exact) acp.SendOpts
--- @field how? 'queue'|'steer'|'now' while a turn runs; `queue` by default
--- @field anew? boolean in a session that the agent has forgotten: it begins a new one

--- A prompt that was sent, and of which the sidecar has not said yet that it keeps it.
--- @class (exact) acp.Sent
--- @field params { session: string, text: string, attachments?: acp.Attachment[], at: integer }
--- @field again? boolean this was the second time

local last = 0

--- The time, in milliseconds since the epoch; never twice the same.
--- @return integer
local function now()
  local seconds, micros = vim.uv.gettimeofday()
  last = math.max(seconds * 1000 + math.floor(micros / 1000), last + 1)
  return last
end

--- @param chat acp.Chat
--- @param params table
--- @param again? boolean
local function notify(chat, params, again)
  rpc.notify('prompt.send', params)
  chat.untaken = chat.untaken or {}
  table.insert(chat.untaken, { params = params, again = again })
end

--- The sidecar keeps a prompt, and those before.
--- @param params { session: string, at: integer, key: string }
function M.taken(params)
  local chat = require('acp.chat').get(params.session)
  if chat then
    chat.key = params.key
    chat.untaken = vim.tbl_filter(function(sent)
      return sent.params.at > params.at
    end, chat.untaken or {})
  end
end

--- The sidecar ended: what it may not have heard of is sent to a new one, which knows what the former has kept. Where
--- that ends too, it goes back to the prompt.
--- @param chat acp.Chat
function M.again(chat)
  local prompts = chat.untaken or {}
  chat.untaken = nil
  vim.schedule(function()
    local prompt = require('acp.ui.prompt')
    local chats = require('acp.chat')
    for _, sent in ipairs(chats.get(chat.session) == chat and prompts or {}) do
      local params = sent.params
      if not sent.again and chats.connect(chat) then
        params.draft = nil
        notify(chat, params, true)
      elseif vim.api.nvim_buf_is_loaded(chat.prompt_buf) then
        prompt.restore(chat, params.text, params.attachments)
      end
    end
  end)
end

--- @param chat acp.Chat
--- @param text string
--- @param attachments acp.Attachment[]
--- @param opts acp.SendOpts
--- @return boolean sent
local function deliver(chat, text, attachments, opts)
  if not require('acp.chat').connect(chat) then
    return false
  end
  local prompt = require('acp.ui.prompt')
  require('acp.ui.history').add(text)
  local all = vim.list_extend(chat.attachments, attachments)
  chat.attachments = {}
  chat.recalled = nil
  prompt.take(chat, text)
  notify(chat, {
    session = chat.session,
    text = text,
    attachments = #all > 0 and all or nil,
    how = opts.how,
    anew = opts.anew,
    -- What stays is told in the same breath: a crash in between must neither lose the text nor leave it twice.
    draft = require('acp.draft').told(chat),
    at = now(),
  })
  prompt.show_attachments(chat)
  local win = require('acp.ui.layout').visible(chat)
  if win then
    require('acp.ui.follow').to_end(win)
  end
  return true
end

--- Sends a prompt, when it is decided what becomes of unsaved buffers. What isn't sent stays in the prompt, or is put
--- there.
--- @param chat acp.Chat
--- @param text string
--- @param attachments? acp.Attachment[]
--- @param opts? acp.SendOpts
function M.send(chat, text, attachments, opts)
  local sending = {}
  chat.sending = sending
  require('acp.unsaved').settle(chat, text, function(unsaved)
    -- It may have been asked again meanwhile.
    if chat.sending == sending and require('acp.chat').get(chat.session) then
      local all = vim.list_extend(vim.list_slice(attachments or {}), unsaved)
      chat.sending = not deliver(chat, text, all, opts or {}) and sending or nil
    end
  end)
  if chat.sending == sending then
    require('acp.ui.prompt').keep(chat, text)
  end
end

local busy = { working = true, waiting = true, cancelling = true }

--- Cancels the turn that runs, and takes back what waits for one: prompts, and questions outside of any turn.
--- @param chat acp.Chat
--- @return boolean cancelled false when there is nothing to cancel
function M.cancel(chat)
  local status = state.get(chat.session)
  local waits = status and (#status.queue > 0 or #status.questions > 0)
  if not (chat.opened and status and (waits or busy[status.state])) then
    return false
  end
  rpc.notify('prompt.cancel', { session = chat.session })
  return true
end

return M
