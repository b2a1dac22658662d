--- Questions about code that are answered beside it: `:AcpAsk`.
---
--- An answer is a session like others whose transcript stands in a small float. It lives on when the float is closed.
local compat = require('acp.compat')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')
local message = require('acp.message')
local place = require('acp.ui.ask_place')

local api = vim.api

local M = {}

local ns = api.nvim_create_namespace('acp.ask')

--- @class acp.Ask
--- @field chat acp.Chat
--- @field win integer the float
--- @field code integer the window with the lines
--- @field buf integer their buffer
--- @field marks [integer, integer] extmarks at the first and the last of them
--- @field group integer
--- @field give_back fun() takes our keys from the transcript
--- @field fitting? boolean

local asks = {} --- @type table<integer, acp.Ask> tab → the one that is shown there

--- The lines that were asked about, as they stand now; nil where they can't be seen.
--- @param ask acp.Ask
--- @return acp.AskLines?
local function lines_of(ask)
  if not (api.nvim_win_is_valid(ask.code) and api.nvim_win_get_buf(ask.code) == ask.buf) then
    return nil
  end
  local first = api.nvim_buf_get_extmark_by_id(ask.buf, ns, ask.marks[1], {})[1]
  local last = api.nvim_buf_get_extmark_by_id(ask.buf, ns, ask.marks[2], {})[1]
  return first and last and { win = ask.code, first = first + 1, last = last + 1 } or nil
end

--- @return integer rows of the border
local function frame()
  return compat.border() == 'none' and 0 or 2
end

--- Rows of text and winbar; a long answer is not measured to its end.
--- @param ask acp.Ask
--- @return integer
local function wanted(ask)
  local last = math.min(api.nvim_buf_line_count(ask.chat.buf), place.max_height())
  return api.nvim_win_text_height(ask.win, { end_row = last - 1 }).all + 1
end

--- What can be done from where the cursor is.
--- @param ask acp.Ask
--- @return [string, string|string[]][]
local function footer(ask)
  local hints = { { '<C-w>w', 'go into it' } }
  if api.nvim_get_current_win() == ask.win then
    hints = { { '<CR>', 'open as a chat' }, { 'q', 'close' } }
  end
  local chunks = {}
  for _, hint in ipairs(hints) do
    table.insert(chunks, { ' ' .. hint[1], { 'NormalFloat', 'AcpOptionKey' } })
    table.insert(chunks, { ' ' .. hint[2] .. ' ', { 'NormalFloat', 'AcpToolFact' } })
  end
  return chunks
end

--- The float is gone.
--- @param ask acp.Ask
local function forget(ask)
  for tab, other in pairs(asks) do
    if other == ask then
      asks[tab] = nil
    end
  end
  pcall(api.nvim_del_augroup_by_id, ask.group)
  ask.give_back()
  if api.nvim_buf_is_valid(ask.buf) then
    vim.iter(ask.marks):each(function(mark)
      api.nvim_buf_del_extmark(ask.buf, ns, mark)
    end)
  end
end

--- @param ask acp.Ask
local function close(ask)
  if not api.nvim_win_is_valid(ask.win) then
    return forget(ask) -- `:noautocmd` closed it
  end
  local inside = api.nvim_get_current_win() == ask.win
  api.nvim_win_close(ask.win, true)
  if inside and api.nvim_win_is_valid(ask.code) then
    api.nvim_set_current_win(ask.code)
  end
end

--- Size, place and footer for what it holds now. It stays where it is when the lines can't be found any more.
--- @param ask acp.Ask
local function fit(ask)
  if not api.nvim_win_is_valid(ask.win) then
    return
  elseif #vim.fn.win_findbuf(ask.chat.buf) > 1 then
    return close(ask) -- the chat was opened some other way
  end
  local config = api.nvim_win_get_config(ask.win)
  local lines = lines_of(ask)
  local found = place.find(lines, wanted(ask), frame())
  if not lines then
    local most = math.max(1, require('acp.ui.geometry').screen_rows() - config.row - frame())
    found.row, found.col = config.row, config.col
    found.height = math.min(found.height, most)
  end
  if frame() > 0 then
    found.footer, found.footer_pos = footer(ask), 'right'
  end
  api.nvim_win_set_config(ask.win, found)
end

--- The same a little later, once for many changes.
--- @param ask acp.Ask
local function fit_soon(ask)
  if not ask.fitting then
    ask.fitting = true
    vim.schedule(function()
      ask.fitting = nil
      fit(ask)
    end)
  end
end

--- The session becomes a chat like others.
--- @param ask acp.Ask
local function open_as_chat(ask)
  close(ask)
  local chat = ask.chat
  local status = require('acp.state').get(chat.session)
  require('acp.chat').open_row({
    id = status and status.key or chat.session,
    agent = chat.agent.name,
    cwd = chat.cwd,
    title = status and status.title or '',
    state = 'open',
    session = chat.session,
    stored = true,
    draft = false,
    can = {},
    preview = {},
  })
end

--- `<CR>`: answers what is asked under the cursor, else the session becomes a chat.
--- @param ask acp.Ask
local function act(ask)
  local block = ask.chat.transcript:block_at(api.nvim_win_get_cursor(0)[1] - 1)
  if block and block.question then
    return require('acp.ui.permission').ask(ask.chat.session, block.question)
  end
  open_as_chat(ask)
end

--- Keys of the transcript while it stands in the float.
--- @param ask acp.Ask
--- @return fun() give_back
local function map(ask)
  local function bind(fn)
    return function()
      fn(ask)
    end
  end
  local open = { 'n', bind(open_as_chat), 'Open the session as a chat.' }
  local shut = { 'n', bind(close), 'Close; the session lives on.' }
  return keys.borrow('transcript', ask.chat.buf, {}, {
    ['<CR>'] = { 'n', bind(act), 'Answer, or open the session as a chat.' },
    o = open,
    i = open,
    a = open,
    q = shut,
    ['<Esc>'] = shut,
  })
end

--- @param ask acp.Ask
local function watch(ask)
  local function on(events, opts)
    opts.group = ask.group
    api.nvim_create_autocmd(events, opts)
  end
  on('WinClosed', {
    pattern = tostring(ask.win),
    callback = function()
      forget(ask)
    end,
  })
  on(
    { 'WinScrolled', 'WinResized', 'VimResized', 'WinNew', 'WinEnter', 'WinLeave', 'BufWinEnter' },
    {
      callback = function()
        fit_soon(ask)
      end,
    }
  )
  api.nvim_buf_attach(ask.chat.buf, false, {
    on_lines = function()
      if not api.nvim_win_is_valid(ask.win) then
        return true
      end
      fit_soon(ask)
    end,
  })
end

--- Marks lines, so that they are found again when others come and go above them.
--- @param buf integer
--- @param range [integer, integer]
--- @return [integer, integer]
local function mark(buf, range)
  return vim.tbl_map(function(line)
    local row = math.min(line, api.nvim_buf_line_count(buf)) - 1
    return api.nvim_buf_set_extmark(buf, ns, row, 0, {})
  end, range)
end

--- Opens the float, in place of another one in this tab.
--- @param chat acp.Chat
--- @param code integer
--- @param buf integer
--- @param range [integer, integer]
local function show(chat, code, buf, range)
  local tab = api.nvim_get_current_tabpage()
  if asks[tab] then
    close(asks[tab])
  end
  local marks = api.nvim_buf_is_loaded(buf) and mark(buf, range) or {}
  local ask = { chat = chat, code = code, buf = buf, marks = marks } --- @type acp.Ask
  local opts = place.find(lines_of(ask), 1, frame()) --[[@as table]]
  opts.enter, opts.zindex = false, 50
  ask.win = layout.float(chat.buf, opts)
  for name, value in pairs(require('acp.ui.geometry').options) do
    api.nvim_set_option_value(name, value, { scope = 'local', win = ask.win })
  end
  layout.winbar(ask.win, layout.CHAT_WINBAR)
  ask.group = api.nvim_create_augroup(('acp.ask.%d'):format(ask.win), {})
  ask.give_back = map(ask)
  asks[tab] = ask
  watch(ask)
  fit(ask)
  require('acp.ui.winbar').redraw(chat.session)
end

--- Asks about lines of the current buffer; the answer comes beside them, without the cursor going there.
--- @param opts { text: string, agent?: string, range?: [integer, integer] } range: the current line by default
function M.open(opts)
  if vim.fn.getcmdwintype() ~= '' then
    return message.warn('leave the command-line window first')
  elseif vim.trim(opts.text) == '' then
    return message.warn("write what you want to know: :'<,'>AcpAsk why is this slow?")
  end
  local code, buf = api.nvim_get_current_win(), api.nvim_get_current_buf()
  local line = api.nvim_win_get_cursor(code)[1]
  local range = opts.range and { math.max(1, opts.range[1]), math.max(1, opts.range[2]) }
    or { line, line }
  local attachment = require('acp.context').lines(buf, range[1], range[2])
  require('acp.chat').start(opts.agent, {}, function(chat)
    show(chat, code, buf, range)
    -- A blank line says nothing.
    local attachments = attachment.text:find('%S') and { attachment } or {}
    require('acp.chat').send(chat, opts.text, attachments)
  end)
end

return M
