--- Where the user writes: a scratch buffer of several lines. What is typed is never lost.
local complete = require('acp.ui.complete')
local history = require('acp.ui.history')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')

local M = {}

local ns = vim.api.nvim_create_namespace('acp.prompt')

--- @param chat acp.Chat
--- @return string
function M.text(chat)
  return table.concat(vim.api.nvim_buf_get_lines(chat.prompt_buf, 0, -1, false), '\n')
end

--- The hints of an empty prompt.
--- @param chat acp.Chat
local function refresh(chat)
  local buf = chat.prompt_buf
  if not vim.api.nvim_buf_is_valid(buf) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  if vim.api.nvim_buf_line_count(buf) == 1 and M.text(chat) == '' then
    local send = keys.of('prompt', 'send_insert') or keys.of('prompt', 'send')
    local hints = '/commands  @files' .. (send and ('  %s send '):format(send) or ' ')
    vim.api.nvim_buf_set_extmark(buf, ns, 0, 0, {
      virt_text = { { hints, 'NonText' } },
      virt_text_pos = 'right_align',
      hl_mode = 'combine',
    })
  end
  layout.fit_prompt(chat)
end

--- Names what goes along with the next prompt, above it.
--- @param chat acp.Chat
function M.show_attachments(chat)
  local win = layout.prompt_win(chat)
  if not win then
    return
  end
  local names = vim.tbl_map(function(attachment)
    local path = attachment.path and vim.fs.normalize(attachment.path) or '[No Name]'
    local name = vim.startswith(path, chat.cwd .. '/') and path:sub(#chat.cwd + 2) or path
    local first, last = attachment.startLine, attachment.endLine
    local lines = first and (last and last > first and ('%d-%d'):format(first, last) or first)
    return (name .. (lines and ':' .. lines or '')):gsub('%%', '%%%%')
  end, chat.attachments)
  local text = #names > 0 and '%#AcpAttachment# @' .. table.concat(names, '  @') or ''
  layout.winbar(win, text)
end

--- @param chat acp.Chat
--- @param text string
function M.set(chat, text)
  local lines = vim.split(text, '\n', { plain = true })
  vim.api.nvim_buf_set_lines(chat.prompt_buf, 0, -1, false, lines)
  local win = layout.prompt_win(chat)
  if win then
    vim.api.nvim_win_set_cursor(win, { #lines, #lines[#lines] })
  end
  refresh(chat)
end

--- Gives text back that could not be sent, before what has been typed since.
--- @param chat acp.Chat
--- @param text string
function M.restore(chat, text)
  local typed = M.text(chat)
  M.set(chat, vim.trim(typed) == '' and text or text .. '\n' .. typed)
end

--- Keeps text that is not sent yet where it can be seen.
--- @param chat acp.Chat
--- @param text string
function M.keep(chat, text)
  if not vim.startswith(M.text(chat) .. '\n', text .. '\n') then
    M.restore(chat, text)
  end
end

--- Takes out what was sent; what has been typed behind it stays.
--- @param chat acp.Chat
--- @param text string
function M.take(chat, text)
  local typed = M.text(chat)
  if vim.startswith(typed .. '\n', text .. '\n') then
    M.set(chat, typed:sub(#text + 2))
  end
end

--- Sends what is written. It stays until it is sent.
--- @param chat acp.Chat
function M.submit(chat)
  local text = M.text(chat)
  if vim.trim(text) == '' then
    return
  end
  vim.cmd.stopinsert()
  require('acp.chat').send(chat, text, complete.mentions(chat, text))
end

--- @class acp.Recalled  a walk through the history
--- @field index integer
--- @field draft string what was typed before it began

--- Walks the history by `step` entries.
--- @param chat acp.Chat
--- @param step integer
local function recall(chat, step)
  local entries = history.entries()
  local at = chat.recalled or { index = #entries + 1, draft = M.text(chat) }
  local index = at.index + step
  if index < 1 or index > #entries + 1 then
    return
  end
  chat.recalled = index <= #entries and { index = index, draft = at.draft } or nil
  M.set(chat, entries[index] or at.draft)
end

--- Whether the prompt holds what the walk through the history found, as it was.
--- @param chat acp.Chat
--- @return boolean
local function walking(chat)
  return chat.recalled ~= nil and history.entries()[chat.recalled.index] == M.text(chat)
end

--- A key that walks the history at the first or last line, and on as long as nothing is typed; elsewhere and in a menu
--- it is itself.
--- @param chat acp.Chat
--- @param step integer
--- @return fun(): string
local function history_key(chat, step)
  local native = step < 0 and '<C-p>' or '<C-n>'
  return function()
    local edge = step < 0 and 1 or vim.api.nvim_buf_line_count(chat.prompt_buf)
    local at_edge = vim.api.nvim_win_get_cursor(0)[1] == edge
    if vim.fn.pumvisible() == 1 or not (at_edge or walking(chat)) then
      return native
    end
    vim.schedule(function()
      recall(chat, step)
    end)
    return '<Ignore>'
  end
end

--- @param chat acp.Chat
local function map(chat)
  local api = require('acp.chat')
  local function submit()
    M.submit(chat)
  end
  local function cancel()
    if not api.cancel(chat) then
      vim.cmd.stopinsert()
    end
  end
  keys.map('prompt', chat.prompt_buf, {
    send = { 'n', submit },
    send_insert = { { 'n', 'i' }, submit },
    history_prev = { { 'n', 'i' }, history_key(chat, -1), expr = true },
    history_next = { { 'n', 'i' }, history_key(chat, 1), expr = true },
    cancel = { { 'n', 'i' }, cancel },
    permission = {
      'n',
      function()
        require('acp.ui.permission').ask(chat.session)
      end,
    },
    hide = {
      'n',
      function()
        api.hide(chat)
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

-- A slash that was typed before the agent had told its commands.
require('acp.state').on_change(function(session, fields)
  local chat = require('acp.chat').get(session)
  if fields.commands and chat and vim.api.nvim_get_current_buf() == chat.prompt_buf then
    complete.open(chat)
  end
end)

--- Makes the prompt's buffer.
--- @param chat acp.Chat
--- @return integer buf
function M.new(chat)
  local buf = vim.api.nvim_create_buf(false, true)
  chat.prompt_buf = buf
  local options = {
    bufhidden = 'hide',
    modifiable = true,
    readonly = false,
    swapfile = false,
    omnifunc = "v:lua.require'acp.ui.complete'.omnifunc",
  }
  for name, value in pairs(options) do
    vim.bo[buf][name] = value
  end
  -- A menu that comes by itself must not choose by itself.
  require('acp.compat').set_completeopt(buf, 'menu,menuone,noselect,noinsert')
  map(chat)
  local group = vim.api.nvim_create_augroup('acp.prompt.' .. chat.session, {})
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'TextChangedP' }, {
    group = group,
    buffer = buf,
    desc = 'acp: hints, size and completion of the prompt',
    callback = function(args)
      refresh(chat)
      if args.event == 'TextChangedI' then
        complete.open(chat)
      end
    end,
  })
  refresh(chat)
  return buf
end

--- Puts the cursor into the prompt.
--- @param chat acp.Chat
--- @param insert boolean
function M.focus(chat, insert)
  local win = layout.prompt_win(chat)
  if not win then
    return
  end
  require('acp.message').guard(vim.api.nvim_set_current_win, win)
  if insert and vim.api.nvim_get_current_win() == win then
    vim.cmd.startinsert({ bang = true })
  end
end

return M
