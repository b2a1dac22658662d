--- Where the user writes: a scratch buffer of several lines. What is typed is never lost.
local attachments = require('acp.ui.attachments')
local complete = require('acp.complete')
local draft = require('acp.draft')
local hints = require('acp.ui.prompt_hints')
local layout = require('acp.ui.layout')
local undo_step = require('acp.undo_step')
local utf8 = require('acp.utf8')

local M = {}

--- What is written; bytes that are no text are replaced, so that it comes back as it went.
--- @param chat acp.Chat
--- @return string
function M.text(chat)
  local lines = vim.api.nvim_buf_get_lines(chat.prompt_buf, 0, -1, false)
  return utf8.valid(table.concat(lines, '\n'))
end

--- Hints, and the rows that the text needs.
--- @param chat acp.Chat
function M.refresh(chat)
  if vim.api.nvim_buf_is_loaded(chat.prompt_buf) then
    hints.refresh(chat)
    layout.fit_prompt(chat)
  end
end

--- Shows what goes along with the next prompt, above it.
M.show_attachments = attachments.show

--- Puts a text in the place of what is typed, as one step of |undo|.
--- @param chat acp.Chat
--- @param text string
function M.set(chat, text)
  local buf = chat.prompt_buf
  local lines = vim.split(text, '\n', { plain = true })
  undo_step.begin(buf)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_set_cursor(win, { #lines, #lines[#lines] })
  end
  undo_step.finish(buf)
  M.refresh(chat)
end

--- Puts a text before what is typed; the cursor stays where it is in that.
--- @param chat acp.Chat
--- @param text string
function M.prepend(chat, text)
  if vim.trim(M.text(chat)) == '' then
    return M.set(chat, text)
  end
  local lines = vim.split(text, '\n', { plain = true })
  undo_step.begin(chat.prompt_buf)
  vim.api.nvim_buf_set_lines(chat.prompt_buf, 0, 0, false, lines)
  undo_step.finish(chat.prompt_buf)
  M.refresh(chat)
end

--- Gives back what could not be sent, before what has been typed and attached since.
--- @param chat acp.Chat
--- @param text string
--- @param along? acp.Attachment[]
function M.restore(chat, text, along)
  M.prepend(chat, text)
  chat.attachments = draft.union(along or {}, chat.attachments)
  M.show_attachments(chat)
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
--- @param how? 'now'|'steer' instead of what the option says, while the agent works
function M.submit(chat, how)
  require('acp.ui.prompt_send').submit(chat, how)
end

--- Says something about a key that was pressed in the prompt. In insert mode it would not be seen.
--- @param level 'info'|'warn'
--- @param text string
function M.say(level, text)
  vim.cmd.stopinsert()
  vim.schedule(function()
    require('acp.message').notify(level, text)
  end)
end

--- Shown in the hints.
local HINTED = { 'state', 'takes', 'queue', 'held', 'suggestions' }

require('acp.state').on_change(function(session, fields)
  local chat = require('acp.chat').get(session)
  if not (chat and chat.prompt_buf and vim.api.nvim_buf_is_loaded(chat.prompt_buf)) then
    return
  end
  local hinted = vim.iter(HINTED):any(function(field)
    return fields[field]
  end)
  if hinted then
    M.refresh(chat)
  end
end)

vim.api.nvim_create_autocmd('WinResized', {
  group = vim.api.nvim_create_augroup('acp.prompt', {}),
  desc = 'acp: hints of prompts stand at the right',
  callback = function()
    for _, chat in ipairs(require('acp.chat').list()) do
      if #vim.fn.win_findbuf(chat.prompt_buf) > 0 then
        hints.refresh(chat)
      end
    end
  end,
})

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
  }
  for name, value in pairs(options) do
    vim.bo[buf][name] = value
  end
  complete.attach(chat)
  require('acp.ui.prompt_keys').map(chat)
  require('acp.ui.prompt_write').watch(chat)
  draft.watch(chat)
  local group = vim.api.nvim_create_augroup('acp.prompt.' .. chat.session, {})
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'TextChangedP' }, {
    group = group,
    buffer = buf,
    desc = 'acp: hints and size of the prompt',
    callback = function()
      M.refresh(chat)
    end,
  })
  M.refresh(chat)
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
  -- A float that opens is not told as resized.
  hints.refresh(chat)
  require('acp.message').guard(vim.api.nvim_set_current_win, win)
  if insert and vim.api.nvim_get_current_win() == win then
    require('acp.ui.choose').insert()
  end
end

return M
