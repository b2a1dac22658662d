--- The prompts that wait for their turn, as text in a float: `:w` sends what was made of them.
local layout = require('acp.ui.layout')
local message = require('acp.message')
local queue_text = require('acp.ui.queue_text')
local rpc = require('acp.rpc')
local state = require('acp.state')

local M = {}

local ns = vim.api.nvim_create_namespace('acp.queue')

--- @class acp.QueueView
--- @field chat acp.Chat
--- @field buf integer
--- @field win integer
--- @field rule string
--- @field known acp.QueuedPrompt[] all that were here, by their numbers
--- @field numbers table<string, integer> id → number

local views = {} --- @type table<string, acp.QueueView> by session

--- @param chat acp.Chat
--- @return acp.QueuedPrompt[]
local function waiting(chat)
  local status = state.get(chat.session)
  return status and status.queue or {}
end

--- @param view acp.QueueView
--- @return string[]
local function lines_of(view)
  return vim.api.nvim_buf_get_lines(view.buf, 0, -1, false)
end

--- Takes in what waits now; a prompt keeps the number that it had.
--- @param view acp.QueueView
--- @return { number: integer, text: string }[]
local function learn(view)
  return vim.tbl_map(function(prompt)
    local number = view.numbers[prompt.id] or #view.known + 1
    view.numbers[prompt.id], view.known[number] = number, prompt
    return { number = number, text = prompt.text }
  end, waiting(view.chat))
end

--- What is said of an entry on its rule.
--- @param prompt? acp.QueuedPrompt
--- @param waits boolean
--- @return string words
--- @return string group
local function facts(prompt, waits)
  if not prompt then
    return 'new', 'AcpNoticeInfo'
  elseif not waits then
    return 'has begun, or is gone', 'AcpNoticeWarning'
  elseif prompt.attachments > 0 then
    local many = prompt.attachments > 1
    return ('%d attachment%s'):format(prompt.attachments, many and 's' or ''), 'AcpAttachment'
  end
  return '', 'AcpRule'
end

--- Draws the rules.
--- @param view acp.QueueView
local function draw(view)
  vim.api.nvim_buf_clear_namespace(view.buf, ns, 0, -1)
  local waits = {} --- @type table<string, true>
  for _, prompt in ipairs(waiting(view.chat)) do
    waits[prompt.id] = true
  end
  local width = vim.api.nvim_win_is_valid(view.win) and vim.api.nvim_win_get_width(view.win) or 80
  for position, entry in ipairs(queue_text.parse(lines_of(view), view.rule)) do
    local prompt = view.known[entry.number]
    local words, group = facts(prompt, prompt ~= nil and waits[prompt.id] ~= nil)
    if entry.row >= 0 then
      local head = ('── %d '):format(position)
      local used = vim.api.nvim_strwidth(head .. words)
      vim.api.nvim_buf_set_extmark(view.buf, ns, entry.row, 0, {
        virt_text = {
          { head .. (words == '' and '' or '· '), 'AcpRule' },
          { words, group },
          { (words == '' and '' or ' ') .. ('─'):rep(math.max(2, width - used)), 'AcpRule' },
        },
        virt_text_pos = 'overlay',
      })
    end
  end
end

--- Writes what waits into the buffer, where that is something else.
--- @param view acp.QueueView
local function show(view)
  local lines = queue_text.lines(learn(view), view.rule)
  if not vim.deep_equal(lines, lines_of(view)) then
    vim.api.nvim_buf_set_lines(view.buf, 0, -1, false, lines)
  end
  vim.bo[view.buf].modified = false
  draw(view)
end

--- @param view acp.QueueView
local function close(view)
  views[view.chat.session] = nil
  if vim.api.nvim_buf_is_valid(view.buf) then
    vim.api.nvim_buf_delete(view.buf, { force = true })
  end
end

--- Sends the queue as it was made. What has begun meanwhile, and was changed, the sidecar gives back to the prompt.
--- @param view acp.QueueView
local function apply(view)
  if not view.chat.opened then
    return message.warn('not applied: the session is not open; the next prompt opens it')
  end
  local entries, listed = {}, {} --- @type { id?: string, text: string }[], table<string, true>
  for _, entry in ipairs(queue_text.parse(lines_of(view), view.rule)) do
    local prompt = view.known[entry.number]
    local same = prompt and vim.trim(prompt.text) == vim.trim(entry.text)
    entries[#entries + 1] = {
      id = prompt and prompt.id,
      text = same and prompt.text or entry.text,
    }
    if prompt then
      listed[prompt.id] = true
    end
  end
  -- What came after this was written down is not left out by it.
  for _, prompt in ipairs(waiting(view.chat)) do
    if not view.numbers[prompt.id] and not listed[prompt.id] then
      entries[#entries + 1] = { id = prompt.id, text = prompt.text }
    end
  end
  rpc.notify('queue.set', { session = view.chat.session, entries = entries })
  vim.bo[view.buf].modified = false
end

--- `dd` and `yy` on a rule take the whole entry, `p` on one puts behind it what was taken: entries move as lines do.
--- @param view acp.QueueView
local function map(view)
  local function here()
    return queue_text.extent(lines_of(view), view.rule, vim.api.nvim_win_get_cursor(0)[1] - 1)
  end
  local function key(lhs, desc, keys)
    vim.keymap.set('n', lhs, keys, { buffer = view.buf, expr = true, desc = 'acp: ' .. desc })
  end
  for _, lhs in ipairs({ 'dd', 'yy' }) do
    key(lhs, 'The line; on a rule, the prompt.', function()
      local count = vim.v.count == 0 and here()
      return count and count .. lhs or lhs
    end)
  end
  key('p', 'Put; on a rule, behind the prompt.', function()
    local count = here()
    local first = vim.fn.getreg(vim.v.register, 1, true)[1] or ''
    if count and count > 1 and queue_text.is_rule(first, view.rule) then
      return ('<Cmd>normal! %dj<CR>"%sp'):format(count - 1, vim.v.register)
    end
    return 'p'
  end)
end

--- @param view acp.QueueView
local function watch(view)
  local group = vim.api.nvim_create_augroup('acp.queue.' .. view.chat.session, {})
  local function on(events, desc, callback)
    vim.api.nvim_create_autocmd(events, {
      group = group,
      buffer = view.buf,
      desc = 'acp: ' .. desc,
      callback = callback,
    })
  end
  on('BufWriteCmd', 'to write the queue is to change it', function()
    apply(view)
  end)
  on({ 'TextChanged', 'TextChangedI' }, 'rules of the queue', function()
    draw(view)
  end)
  on('BufWipeout', 'the queue is closed', function()
    if views[view.chat.session] == view then
      views[view.chat.session] = nil
    end
  end)
end

--- @param chat acp.Chat
--- @return string title
local function title_of(chat)
  local status = state.get(chat.session)
  if status and status.held then
    return ' Prompts from before: they wait until you send one, or :w '
  end
  return ' Prompts that wait '
end

--- Opens the prompts that wait.
--- @param chat acp.Chat
function M.open(chat)
  local view = views[chat.session]
  if view and vim.api.nvim_win_is_valid(view.win) then
    return message.guard(vim.api.nvim_set_current_win, view.win)
  elseif #waiting(chat) == 0 then
    return require('acp.ui.prompt').say('info', 'no prompt waits')
  end
  vim.cmd.stopinsert()
  local buf = vim.api.nvim_create_buf(false, false)
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modifiable = true
  -- A buffer of that name may be there, of a restored session of Neovim's.
  if not pcall(vim.api.nvim_buf_set_name, buf, ('acp://%s/queue'):format(chat.session)) then
    pcall(vim.api.nvim_buf_set_name, buf, ('acp://%s/queue/%d'):format(chat.session, buf))
  end
  local texts = vim.tbl_map(function(prompt)
    return prompt.text
  end, waiting(chat))
  view = { chat = chat, buf = buf, win = -1, known = {}, numbers = {} }
  view.rule = queue_text.rule(texts)
  views[chat.session] = view
  vim.bo[buf].undolevels = -1 -- what is there at first is no step that can be undone
  show(view)
  vim.bo[buf].undolevels = vim.go.undolevels
  local title = title_of(chat)
  view.win = layout.float(buf, {
    width = math.max(60, math.floor(vim.o.columns * 0.6)),
    height = math.min(vim.api.nvim_buf_line_count(buf) + 2, math.floor(vim.o.lines * 0.7)),
    title = title,
    footer = ' :w applies · :q closes · dd on a rule, p: moves ',
    footer_pos = 'right',
  })
  for option, value in pairs({ wrap = true, linebreak = true, breakindent = true }) do
    vim.api.nvim_set_option_value(option, value, { scope = 'local', win = view.win })
  end
  map(view)
  watch(view)
  draw(view)
end

--- Empties the queue: what waits goes back into the prompt, with what goes along.
--- @param chat acp.Chat
function M.clear(chat)
  if #waiting(chat) == 0 then
    return require('acp.ui.prompt').say('info', 'no prompt waits')
  end
  rpc.notify('queue.clear', { session = chat.session })
end

state.on_change(function(session, fields)
  local view = views[session]
  local gone = not state.get(session)
  if not (view and (fields.queue or gone) and vim.api.nvim_buf_is_valid(view.buf)) then
    return
  elseif gone then
    close(view)
  elseif vim.bo[view.buf].modified then
    draw(view)
  elseif #waiting(view.chat) == 0 then
    vim.schedule(function()
      close(view)
    end)
  else
    show(view)
  end
end)

return M
