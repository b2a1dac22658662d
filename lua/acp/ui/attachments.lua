--- The line above a prompt: what goes along with it. Each can be clicked away.
local layout = require('acp.ui.layout')
local names = require('acp.context.name')

local api = vim.api

local M = {}

local BAR = "%!v:lua.require'acp.ui.attachments'.draw()"
local CLICK = "v:lua.require'acp.ui.attachments'.click"

local GAP = '  '

--- @class (exact) acp.Shown
--- @field name string
--- @field short string the name without its folders
--- @field facts string the size, and what else is known

--- What is drawn, worked out when it changes: looking at files has no place in a redraw.
local shown = setmetatable({}, { __mode = 'k' }) --- @type table<acp.Chat, acp.Shown[]>

--- @param attachment acp.Attachment
--- @param cwd string
--- @return acp.Shown
local function item(attachment, cwd)
  local name, bytes, fact = names.describe(attachment, cwd)
  local facts = {} --- @type string[]
  facts[#facts + 1] = fact
  facts[#facts + 1] = bytes and names.size(bytes)
  local is_path = attachment.path ~= nil
  return {
    name = name,
    short = is_path and name:match('[^/]*$') or name,
    facts = table.concat(facts, ' '),
  }
end

--- @return string
local function cross()
  return require('acp.config').get().transcript.icons == 'ascii' and 'x' or '✕'
end

--- @param text string
--- @return string
local function escape(text)
  return (text:gsub('%%', '%%%%'))
end

--- Cells of an item without its name.
--- @param it acp.Shown
--- @return integer
local function frame(it)
  local facts = it.facts == '' and 0 or 1 + vim.fn.strdisplaywidth(it.facts)
  return #'@' + facts + 2
end

--- The end of a name, which tells more than its start.
--- @param name string
--- @param cells integer
--- @return string
local function tail(name, cells)
  if vim.fn.strdisplaywidth(name) <= cells then
    return name
  end
  local count = vim.fn.strcharlen(name)
  local from = 1
  while from < count and vim.fn.strdisplaywidth(vim.fn.strcharpart(name, from)) > cells - 1 do
    from = from + 1
  end
  return '…' .. vim.fn.strcharpart(name, from)
end

--- @param all acp.Shown[]
--- @param key 'name'|'short'
--- @param from integer
--- @return integer cells of those from there on
local function cells(all, key, from)
  local sum = 0
  for i = from, #all do
    sum = sum + #GAP + frame(all[i]) + vim.fn.strdisplaywidth(all[i][key])
  end
  return sum
end

--- @param hidden integer
--- @return string
local function more(hidden)
  return hidden > 0 and ('+%d more'):format(hidden) or ''
end

--- What of them there is room for: with their folders, without, or the first of them.
--- @param all acp.Shown[]
--- @param columns integer
--- @return string[] texts the names of those that are shown
function M.fit(all, columns)
  local room = columns - 1 -- a blank at the edge
  local key = cells(all, 'name', 1) - #GAP <= room and 'name' or 'short'
  local texts = {} --- @type string[]
  for i, it in ipairs(all) do
    local rest = more(#all - i)
    local left = room - (i == 1 and 0 or #GAP) - frame(it)
    local fits = vim.fn.strdisplaywidth(it[key])
      + (cells(all, key, i + 1) <= left - vim.fn.strdisplaywidth(it[key]) and 0 or #GAP + #rest)
    if i > 1 and fits > left then
      break
    end
    -- The first is there in any case.
    local most = i == 1 and fits > left and math.max(1, left - #GAP - #rest) or left
    texts[i] = tail(it[key], most)
    room = left - vim.fn.strdisplaywidth(texts[i])
  end
  return texts
end

--- @param chat acp.Chat
--- @param columns integer
--- @return string in the format of 'winbar'
local function format(chat, columns)
  local all = shown[chat] or {}
  local texts = M.fit(all, columns)
  local parts = vim.tbl_map(function(i)
    local it = all[i]
    local facts = it.facts == '' and '' or '%#AcpAttachmentSize# ' .. escape(it.facts)
    return ('%%#AcpAttachment#@%s%s %%%d@%s@%%#AcpAttachmentRemove#%s%%X'):format(
      escape(texts[i]),
      facts,
      i,
      CLICK,
      cross()
    )
  end, vim.fn.range(1, #texts))
  local rest = more(#all - #texts)
  if rest ~= '' then
    parts[#parts + 1] = ('%%0@%s@%%#AcpAttachmentSize#%s%%X'):format(CLICK, rest)
  end
  return '%#AcpAttachment# ' .. table.concat(parts, '%#AcpAttachment#' .. GAP)
end

--- The chat whose prompt a window shows.
--- @param win integer
--- @return acp.Chat?
local function chat_of(win)
  if not api.nvim_win_is_valid(win) then
    return nil
  end
  local buf = api.nvim_win_get_buf(win)
  local chat = require('acp.chat').get(vim.b[buf].acp_session)
  return chat and chat.prompt_buf == buf and chat or nil
end

--- Draws the winbar of the window that Neovim is about to draw.
--- @return string
function M.draw()
  local win = vim.g.statusline_winid
  local chat = chat_of(win)
  return chat and format(chat, api.nvim_win_get_width(win)) or ''
end

--- A click takes an attachment away; one on what is not shown lets the user choose.
--- @param index integer
--- @param _ integer clicks
--- @param button string
function M.click(index, _, button)
  local chat = chat_of(vim.fn.getmousepos().winid)
  if chat and button == 'l' then
    require('acp.attach').remove(chat, index > 0 and index or nil)
  end
end

--- Gives the line to all windows of a prompt, or takes it from them.
--- @param chat acp.Chat
local function sync(chat)
  if not api.nvim_buf_is_valid(chat.prompt_buf) then
    return
  end
  local text = #(shown[chat] or {}) > 0 and BAR or ''
  local came = false
  for _, win in ipairs(vim.fn.win_findbuf(chat.prompt_buf)) do
    if api.nvim_get_option_value('winbar', { scope = 'local', win = win }) ~= text then
      layout.winbar(win, text)
      came = true
    end
    api.nvim__redraw({ win = win, winbar = true })
  end
  -- A height that the user has given the window stays.
  if came then
    layout.fit_prompt(chat)
  end
end

--- Shows what goes along with the next prompt. To be called when that has changed.
--- @param chat acp.Chat
function M.show(chat)
  shown[chat] = vim.tbl_map(function(attachment)
    return item(attachment, chat.cwd)
  end, chat.attachments)
  sync(chat)
end

api.nvim_create_autocmd({ 'BufWinEnter', 'WinResized' }, {
  group = api.nvim_create_augroup('acp.attachments', {}),
  desc = 'acp: what is attached stands above each window of the prompt',
  callback = function()
    if next(shown) then
      -- The layout is not done with a window that has just been opened.
      vim.schedule(function()
        for chat in pairs(shown) do
          sync(chat)
        end
      end)
    end
  end,
})

-- From here on it is known where the user works, and what is dropped.
require('acp.context.source')
require('acp.drop').setup()

return M
