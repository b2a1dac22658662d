--- Chats: a session, its transcript and its prompt. What users do goes out from here; what the sidecar sends comes in
--- at `incoming.lua`.
local layout = require('acp.ui.layout')
local message = require('acp.message')
local rpc = require('acp.rpc')
local state = require('acp.state')

local M = {}

--- @class acp.Chat
--- @field session string
--- @field agent acp.AgentSpec
--- @field cwd string
--- @field buf integer the transcript's buffer
--- @field prompt_buf integer
--- @field transcript acp.Transcript
--- @field opened boolean the sidecar knows of it
--- @field columns? integer what the sidecar was told
--- @field attachments table[] go along with the next prompt
--- @field recalled? acp.Recalled
--- @field sending? table the prompt that waits for a decision about unsaved buffers

local chats = {} --- @type table<string, acp.Chat>
local by_tab = {} --- @type table<integer, string> tab → session
local count = 0

--- Text width of a chat that is not visible.
local DEFAULT_COLUMNS = 80

--- @param session string
--- @return acp.Chat?
function M.get(session)
  return chats[session]
end

--- All chats, the oldest first.
--- @return acp.Chat[]
function M.list()
  local all = vim.tbl_values(chats)
  table.sort(all, function(a, b)
    return tonumber(a.session:sub(2)) < tonumber(b.session:sub(2))
  end)
  return all
end

--- The chat whose buffer is current, else the one of the current tab.
--- @return acp.Chat?
function M.current()
  local tab = vim.api.nvim_get_current_tabpage()
  return chats[vim.b.acp_session] or layout.shown(tab) or chats[by_tab[tab]]
end

--- Makes the session known to the sidecar.
--- @param chat acp.Chat
--- @return boolean started
local function connect(chat)
  if not require('acp.sidecar').channel() then
    return false
  end
  chat.opened = true
  chat.columns = layout.columns(chat) or DEFAULT_COLUMNS
  rpc.notify('session.open', {
    session = chat.session,
    agent = chat.agent,
    cwd = chat.cwd,
    columns = chat.columns,
  })
  return true
end

--- Ends a chat whose buffer is deleted or wiped out.
--- @param chat acp.Chat
local function forget(chat)
  if not chats[chat.session] or vim.v.exiting ~= vim.NIL then
    return
  end
  chats[chat.session] = nil
  if not next(chats) then
    require('acp.watch').stop()
  end
  if chat.opened then
    rpc.notify('session.close', { session = chat.session })
  end
  state.forget(chat.session)
  vim.schedule(function()
    layout.hide_everywhere(chat)
    for _, buf in ipairs({ chat.buf, chat.prompt_buf }) do
      if vim.api.nvim_buf_is_valid(buf) then
        vim.api.nvim_buf_delete(buf, { force = true })
      end
    end
  end)
end

--- @param agent acp.AgentSpec
--- @return acp.Chat
local function new(agent)
  count = count + 1
  local session = 's' .. count
  local transcript = require('acp.ui.transcript').new(session)
  local chat = {
    session = session,
    agent = agent,
    cwd = vim.fn.getcwd(),
    buf = transcript.buf,
    transcript = transcript,
    opened = false,
    attachments = {},
  }
  chats[session] = chat
  require('acp.watch').start()
  -- From here on keys are watched: the first question has to know whether somebody types.
  require('acp.ui.permission')
  require('acp.ui.prompt').new(chat)
  require('acp.ui.transcript_keys').map(chat)
  local name = ('acp://%s/%d'):format(agent.name, count)
  for buf, suffix in pairs({ [chat.buf] = '', [chat.prompt_buf] = '/prompt' }) do
    vim.b[buf].acp_session = session
    -- A buffer of that name may be there, of a restored session of Neovim's: a chat does without.
    pcall(vim.api.nvim_buf_set_name, buf, name .. suffix)
    require('acp.ui.reload').watch(buf, function()
      forget(chat)
    end)
  end
  state.apply(session, { agent = agent.name, state = 'starting', cwd = chat.cwd })
  -- As late as possible: what listens to it finds all options set.
  for buf, filetype in pairs({ [chat.buf] = 'acp', [chat.prompt_buf] = 'acp-prompt' }) do
    message.guard(vim.api.nvim_set_option_value, 'filetype', filetype, { buf = buf })
  end
  return chat
end

--- @param chat acp.Chat
--- @param opts acp.OpenOpts
local function show(chat, opts)
  local prompt = require('acp.ui.prompt')
  local before = vim.api.nvim_get_current_win()
  by_tab[vim.api.nvim_get_current_tabpage()] = chat.session
  layout.open(chat)
  if not chat.opened and not opts.text then
    connect(chat)
  end
  if opts.focus ~= false then
    prompt.focus(chat, not opts.text)
  elseif vim.api.nvim_win_is_valid(before) then
    message.guard(vim.api.nvim_set_current_win, before)
  end
  require('acp.ui.winbar').redraw(chat.session)
  if opts.attachments then
    vim.list_extend(chat.attachments, opts.attachments)
    prompt.show_attachments(chat)
  end
  if opts.text then
    M.send(chat, opts.text)
  end
end

--- @param opts acp.OpenOpts
local function start(opts)
  require('acp.highlight').setup()
  require('acp.ui.pairing')
  require('acp.ui.sight').setup()
  local name = opts.agent or require('acp.config').get().agent
  local agents = require('acp.agents')
  if name then
    local agent, fault = agents.resolve(name)
    if not agent then
      return message.error(fault)
    end
    return show(new(agent), opts)
  end
  agents.pick(function(agent)
    if agent then
      show(new(agent), opts)
    end
  end)
end

--- @class acp.OpenOpts
--- @field agent? string a name; another one than the current chat's starts a new session
--- @field new? boolean start a new session
--- @field text? string is sent
--- @field attachments? table[] go along with `text`, else with the next prompt
--- @field focus? boolean false: the cursor stays where it is

--- Shows the chat of the current tab, or starts one. Typing is possible at once.
--- @param opts? acp.OpenOpts
function M.open(opts)
  opts = opts or {}
  if vim.fn.getcmdwintype() ~= '' then
    return message.warn('leave the command-line window first')
  end
  local chat = M.current()
  if chat and not opts.new and (not opts.agent or opts.agent == chat.agent.name) then
    return show(chat, opts)
  end
  start(opts)
end

--- @param chat acp.Chat
function M.hide(chat)
  layout.hide(chat)
end

--- @param chat acp.Chat
--- @param text string
--- @param attachments acp.Attachment[]
--- @return boolean sent
local function deliver(chat, text, attachments)
  if not (chat.opened and require('acp.sidecar').channel() or connect(chat)) then
    return false
  end
  local prompt = require('acp.ui.prompt')
  require('acp.ui.history').add(text)
  local all = vim.list_extend(chat.attachments, attachments)
  chat.attachments = {}
  chat.recalled = nil
  prompt.take(chat, text)
  prompt.show_attachments(chat)
  rpc.notify('prompt.send', {
    session = chat.session,
    text = text,
    attachments = #all > 0 and all or nil,
  })
  local win = layout.visible(chat)
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
function M.send(chat, text, attachments)
  local sending = {}
  chat.sending = sending
  require('acp.unsaved').settle(chat, text, function(unsaved)
    -- It may have been asked again meanwhile.
    if chat.sending == sending and chats[chat.session] then
      local all = vim.list_extend(vim.list_slice(attachments or {}), unsaved)
      chat.sending = not deliver(chat, text, all) and sending or nil
    end
  end)
  if chat.sending == sending then
    require('acp.ui.prompt').keep(chat, text)
  end
end

--- Starts the agent of a chat anew; its session goes on when the agent can.
--- @param chat acp.Chat
function M.restart(chat)
  if chat.opened then
    rpc.notify('session.restart', { session = chat.session })
  else
    connect(chat)
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

vim.api.nvim_create_autocmd('TabClosed', {
  group = vim.api.nvim_create_augroup('acp.chat', {}),
  desc = 'acp: forget tabs that are gone',
  callback = function()
    for tab in pairs(by_tab) do
      if not vim.api.nvim_tabpage_is_valid(tab) then
        by_tab[tab] = nil
      end
    end
  end,
})

return M
