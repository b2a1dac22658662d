--- The menu that opens while a command or a mention is being typed, where no completion plugin opens one.
---
--- Only what is typed opens it: not a draft that comes back, a walk through the history, or a paste. Nothing is chosen
--- until the user does. What is closed with <C-e> stays closed until another word is begun.
local elsewhere = require('acp.complete.elsewhere')
local files = require('acp.complete.files')
local items = require('acp.complete.items')
local place = require('acp.complete.place')

local M = {}

--- Columns of a description.
local ABOUT_WIDTH = 60

--- What can be shown at once is shown after this when the files are not found yet: a menu that grows at once flickers.
local PATIENCE_MS = 60

--- @class (exact) acp.Menu  of the prompt in which one was shown last
--- @field buf integer
--- @field open boolean
--- @field place? acp.Place
--- @field seen? string the line before the cursor as it was looked at last
--- @field left? string that line where the menu was closed and nothing chosen, for a reason that is not told
--- @field closed? acp.Place closed by the user
--- @field found? boolean what stands there was not typed

--- @type acp.Menu
local menu = { buf = -1, open = false }

local showing = false

--- Whether a key has been typed since the text was looked at last.
local typed = false

--- A description as one short line.
--- @param text string
--- @return string
function M.short(text)
  local line = vim.trim((text:gsub('[%s%c]+', ' ')))
  if vim.fn.strdisplaywidth(line) <= ABOUT_WIDTH then
    return line
  end
  return vim.fn.strcharpart(line, 0, ABOUT_WIDTH - 1) .. '…'
end

--- @param found acp.Item[]
--- @return table[] see |complete-items|
local function entries(found)
  return vim.tbl_map(function(item)
    return {
      word = item.text,
      abbr = (item.label or item.text) .. (item.hint and ' ' .. M.short(item.hint) or ''),
      menu = item.about and M.short(item.about) or '',
      info = item.about or '',
      -- They have matched already, as we see it.
      equal = 1,
      dup = 1,
      user_data = { acp = { goes_on = item.goes_on } },
    }
  end, found)
end

--- @param at acp.Place
--- @param found acp.Item[]
local function show(at, found)
  local only = #found == 1 and found[1].text == at.typed
  if (#found == 0 or only) and not menu.open then
    return
  end
  showing = true
  vim.fn.complete(at.start + 1, only and {} or entries(found))
  showing = false
  menu.open, menu.place = #found > 0 and not only, at
end

--- Whether something in the menu is chosen, and not yet taken: it stands in the text already.
--- @return boolean
local function is_chosen()
  return menu.open and vim.fn.complete_info({ 'selected' }).selected ~= -1
end

--- Whether the user is about to type, and no menu of somebody else's is open.
--- @param chat acp.Chat
--- @return boolean
local function may_open(chat)
  local mode = vim.api.nvim_get_mode()
  if vim.api.nvim_get_current_buf() ~= chat.prompt_buf or mode.blocking then
    return false
  end
  if vim.fn.pumvisible() == 1 and not (menu.open and menu.buf == chat.prompt_buf) then
    return require('acp.compat').autocomplete()
  end
  return mode.mode == 'i' or mode.mode == 'ic'
end

--- @param at acp.Place
--- @param other? acp.Place
--- @return boolean
local function same_word(at, other)
  return other ~= nil and at.row == other.row and at.start == other.start and at.kind == other.kind
end

--- @param chat acp.Chat
--- @param at acp.Place
--- @param before string
local function offer(chat, at, before)
  if at.kind == 'command' then
    return show(at, items.at(chat, at, {}))
  end
  local is_answered = false
  local function show_now(paths)
    local now, text = place.here(chat)
    if now and text == before and now.row == at.row and not menu.closed then
      show(at, items.at(chat, at, paths))
    end
  end
  local known = files.known(chat, at.query)
  if known then
    show_now(known)
  else
    vim.defer_fn(function()
      if not is_answered and may_open(chat) then
        show_now({})
      end
    end, PATIENCE_MS)
  end
  files.find(chat, at.query, function(paths)
    is_answered = true
    if paths and not is_chosen() and may_open(chat) then
      show_now(paths)
    end
  end)
end

--- Whether what stands before the cursor was typed there, or is left of what was.
--- @param before string
--- @return boolean
local function is_typed(before)
  local seen = menu.seen or ''
  return typed or menu.open or #before < #seen and vim.startswith(seen, before)
end

--- Opens the menu, or brings it up to date, when something is being named.
--- @param chat acp.Chat
--- @param again? boolean there is more to offer for the same text
function M.update(chat, again)
  if not may_open(chat) or elsewhere.opens(chat.prompt_buf) then
    return
  end
  if menu.buf ~= chat.prompt_buf then
    menu = { buf = chat.prompt_buf, open = false }
  end
  local at, before = place.here(chat)
  -- Neovim tells of changed text also when a menu opens, and when one is closed by the user.
  if is_chosen() or before == menu.seen and not again then
    menu.closed = before == menu.left and menu.place or menu.closed
    menu.left = nil
    return
  end
  if before ~= menu.seen then
    menu.found = not is_typed(before)
  end
  menu.seen, menu.left, typed = before, nil, false
  if menu.found then
    return
  end
  if not (at and menu.closed and same_word(at, menu.closed)) then
    menu.closed = nil
    if at then
      offer(chat, at, before)
    end
  end
end

--- The menu is closed.
--- @param chat acp.Chat
local function done(chat)
  if showing or not menu.open or menu.buf ~= chat.prompt_buf then
    return
  end
  menu.open = false
  local ours = vim.tbl_get(vim.v.completed_item, 'user_data', 'acp')
  local _, before = place.here(chat)
  if ours then
    typed = ours.goes_on == true
    menu.seen = typed and menu.seen or before
  elseif vim.v.event.reason == 'cancel' then
    menu.closed = menu.place
  else
    menu.left = before
  end
end

local omni = {} --- @type acp.Item[] what 'omnifunc' is about to offer: at its second call the cursor is elsewhere

--- 'omnifunc' of the prompt.
--- @param findstart integer
--- @return integer|table[]
function M.omnifunc(findstart)
  if findstart == 0 then
    return entries(omni)
  end
  local chat = require('acp.chat').current()
  if not (chat and vim.api.nvim_get_current_buf() == chat.prompt_buf) then
    return -3
  end
  local at, before = place.here(chat)
  if not at then
    return -3
  end
  local is_mention = at.kind == 'mention'
  omni = items.at(chat, at, is_mention and files.known(chat, at.query) or {})
  menu = { buf = chat.prompt_buf, open = #omni > 0, place = at, seen = before }
  if is_mention then
    vim.schedule(function()
      offer(chat, at, before)
    end)
  end
  return #omni > 0 and at.start or -3
end

--- With 'noinsert' a line break chooses, even where nothing is: then it is what it is elsewhere.
--- @return string
local function line_break()
  return menu.open and not is_chosen() and '<C-e><CR>' or '<CR>'
end

--- @param chat acp.Chat
function M.attach(chat)
  local group = vim.api.nvim_create_augroup('acp.complete.' .. chat.session, {})
  vim.keymap.set('i', '<CR>', line_break, {
    buffer = chat.prompt_buf,
    expr = true,
    desc = 'acp: a line break, also where a menu is open',
  })
  vim.api.nvim_create_autocmd({ 'TextChangedI', 'TextChangedP' }, {
    group = group,
    buffer = chat.prompt_buf,
    desc = 'acp: the menu of commands and mentions',
    callback = function()
      M.update(chat)
    end,
  })
  vim.api.nvim_create_autocmd('InsertCharPre', {
    group = group,
    buffer = chat.prompt_buf,
    desc = 'acp: a key is typed',
    callback = function()
      typed = true
    end,
  })
  vim.api.nvim_create_autocmd('CompleteDone', {
    group = group,
    buffer = chat.prompt_buf,
    desc = 'acp: what was chosen in it',
    callback = function()
      done(chat)
    end,
  })
  vim.api.nvim_create_autocmd('InsertEnter', {
    group = group,
    buffer = chat.prompt_buf,
    desc = 'acp: a menu that was closed may open again',
    callback = function()
      -- Of the line something may be deleted first.
      local line = vim.api.nvim_get_current_line()
      menu, typed = { buf = chat.prompt_buf, open = false, seen = line, found = true }, false
    end,
  })
end

-- A slash that was typed before the agent had told its commands.
require('acp.state').on_change(function(session, fields)
  local chat = fields.commands and require('acp.chat').get(session)
  if chat and chat.prompt_buf == vim.api.nvim_get_current_buf() then
    M.update(chat, true)
  end
end)

return M
