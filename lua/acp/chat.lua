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
--- @field from? string what it opens: a row of the list of sessions, or a session's key
--- @field fork? boolean it begins like `from`, and is another
--- @field before? string a block in `from`: the fork ends before it
--- @field stale? boolean what the transcript shows is of a former sidecar, and comes anew
--- @field columns? integer what the sidecar was told
--- @field dirs? string[] further folders that were added
--- @field attachments acp.Attachment[] go along with the next prompt
--- @field returned? integer how many texts the sidecar has given back, since the session was opened
--- @field recalled? acp.Recalled
--- @field key? string of its session, when a prompt is kept in it
--- @field untaken? acp.Sent[] prompts that were sent, and of which the sidecar has not said that it keeps them
--- @field sending? table the prompt that waits for a decision about unsaved buffers

local chats = {} --- @type table<string, acp.Chat>

--- Text width of a chat that is not visible.
local DEFAULT_COLUMNS = 80

local by_tab = {} --- @type table<integer, string> tab → session
local count = 0

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

--- Makes the session known to the sidecar, and its agent start.
--- @param chat acp.Chat
--- @return boolean started
function M.connect(chat)
  if chat.opened and require('acp.sidecar').channel() then
    return true
  elseif not require('acp.sidecar').channel() then
    return false
  end
  chat.opened = true
  require('acp.draft').opening(chat)
  chat.columns = layout.columns(chat) or chat.columns or DEFAULT_COLUMNS
  rpc.notify('session.open', {
    session = chat.session,
    agent = chat.agent,
    cwd = chat.cwd,
    columns = chat.columns,
    settings = not chat.from and require('acp.defaults').settings(chat.agent.name, chat.cwd) or nil,
    from = chat.from,
    fork = chat.fork,
    before = chat.before,
    mcp = require('acp.mcp').wanted(chat),
    dirs = require('acp.dirs').of(chat),
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
    require('acp.draft').flush(chat)
    rpc.notify('session.close', { session = chat.session })
  end
  state.forget(chat.session)
  vim.schedule(function()
    require('acp.ui.login_terminal').close(chat.session)
    layout.hide_everywhere(chat)
    for _, buf in ipairs({ chat.buf, chat.prompt_buf }) do
      if vim.api.nvim_buf_is_valid(buf) then
        vim.api.nvim_buf_delete(buf, { force = true })
      end
    end
  end)
end

--- What a chat opens that is no new session.
--- @class acp.From
--- @field cwd? string its folder
--- @field from? string a row of the list of sessions, or a key
--- @field fork? boolean
--- @field before? string

--- @param agent acp.AgentSpec
--- @param of? acp.From
--- @return acp.Chat
local function new(agent, of)
  of = of or {}
  count = count + 1
  local session = 's' .. count
  local transcript = require('acp.ui.transcript').new(session)
  local chat = {
    session = session,
    agent = agent,
    cwd = of.cwd or vim.fn.getcwd(),
    from = of.from,
    fork = of.fork,
    before = of.before,
    buf = transcript.buf,
    transcript = transcript,
    opened = false,
    attachments = {},
  }
  chats[session] = chat
  require('acp.watch').start()
  -- From here on keys are watched: the first question has to know whether somebody types.
  require('acp.ui.permission')
  require('acp.ui.hint')
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
    M.connect(chat)
  end
  if opts.focus ~= false then
    prompt.focus(chat, not opts.text)
  elseif vim.api.nvim_win_is_valid(before) then
    message.guard(vim.api.nvim_set_current_win, before)
  end
  require('acp.ui.winbar').redraw(chat.session)
  if opts.attachments then
    require('acp.attach').merge(chat.attachments, opts.attachments)
    prompt.show_attachments(chat)
    require('acp.draft').changed(chat)
  end
  if opts.text then
    M.send(chat, opts.text)
  end
end

--- Makes a chat with an agent, which the user may have to choose.
--- @param name? string
--- @param of acp.From
--- @param on_chat fun(chat: acp.Chat)
local function make(name, of, on_chat)
  require('acp.highlight').setup()
  require('acp.ui.pairing')
  require('acp.ui.sight').setup()
  name = name
    or require('acp.defaults').agent(of.cwd or vim.fn.getcwd())
    or require('acp.config').get().agent
  local agents = require('acp.agents')
  if name then
    local agent, fault = agents.resolve(name, of.cwd)
    if not agent then
      return message.error(fault)
    end
    return on_chat(new(agent, of))
  end
  agents.pick(function(agent)
    if agent then
      on_chat(new(agent, of))
    end
  end, of.cwd)
end

--- Makes a chat that is not shown: its agent starts with the first prompt.
--- @param agent? string a name
--- @param opts { columns?: integer } columns: width of the text
--- @param on_chat fun(chat: acp.Chat)
function M.start(agent, opts, on_chat)
  make(agent, {}, function(chat)
    chat.columns = opts.columns
    on_chat(chat)
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
  make(opts.agent, {}, function(started)
    show(started, opts)
  end)
end

--- Shows a chat in the current tab.
--- @param chat acp.Chat
function M.show(chat)
  show(chat, {})
end

--- The chat that shows the session of a row, or is about to.
--- @param row acp.SessionRow
--- @return acp.Chat?
local function chat_of(row)
  return row.session and chats[row.session]
    or vim.iter(M.list()):find(function(chat)
      return chat.from == row.id and not chat.fork
    end)
end

--- Opens a session of the list: where it is open here, its chat is shown.
--- @param row acp.SessionRow
--- @param opts? { fork?: boolean } fork: one that begins like it
function M.open_row(row, opts)
  local fork = opts and opts.fork
  local chat = chat_of(row)
  if chat and not fork then
    return M.show(chat)
  end
  make(row.agent, { cwd = row.cwd, from = row.id, fork = fork }, M.show)
end

--- Goes on in a session that begins like that of `chat`.
--- @param chat acp.Chat
--- @param opts? { text?: string, block?: string } text: is sent in it. block: a prompt, before which the fork ends, and
--- which then stands in its prompt
function M.fork(chat, opts)
  local status = state.get(chat.session)
  local key = status and status.key
  if not key then
    return message.info('nothing was said yet that another session could begin with')
  end
  local of = { cwd = chat.cwd, from = key, fork = true, before = opts and opts.block }
  make(chat.agent.name, of, function(fork)
    M.show(fork)
    if opts and opts.text then
      M.send(fork, opts.text)
    end
  end)
end

--- Closes the session: it can be opened again.
--- @param chat acp.Chat
function M.close(chat)
  forget(chat)
end

--- @param chat acp.Chat
function M.hide(chat)
  layout.hide(chat)
end

--- Sends a prompt, when it is decided what becomes of unsaved buffers. What isn't sent stays in the prompt, or is put
--- there.
--- @param chat acp.Chat
--- @param text string
--- @param attachments? acp.Attachment[]
--- @param opts? acp.SendOpts
function M.send(chat, text, attachments, opts)
  require('acp.sending').send(chat, text, attachments, opts)
end

--- Starts the agent of a chat anew, as it is configured now; its session goes on when the agent can.
--- @param chat acp.Chat
function M.restart(chat)
  local agent, fault = require('acp.agents').resolve(chat.agent.name, chat.cwd)
  if not agent then
    return message.error(fault)
  end
  chat.agent = agent
  if not chat.opened then
    return M.connect(chat)
  end
  rpc.notify('session.restart', {
    session = chat.session,
    agent = agent,
    mcp = require('acp.mcp').wanted(chat),
  })
end

--- Cancels the turn that runs, and takes back what waits for one: prompts, and questions outside of any turn.
--- @param chat acp.Chat
--- @return boolean cancelled false when there is nothing to cancel
function M.cancel(chat)
  return require('acp.sending').cancel(chat)
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
