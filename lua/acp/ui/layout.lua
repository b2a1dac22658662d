--- Windows: where chats and floats stand. The only caller of `nvim_open_win()`; it touches no window but its own.
local compat = require('acp.compat')
local config = require('acp.config')
local follow = require('acp.ui.follow')
local geometry = require('acp.ui.geometry')
local message = require('acp.message')
local panes = require('acp.ui.panes')

local M = {}

M.visible = panes.visible
M.prompt_win = panes.prompt_win
M.shown = panes.shown
M.columns = panes.columns

--- @param win integer
--- @param options table<string, any>
local function set(win, options)
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = win })
  end
end

--- Sets a winbar where there is a row for it; Neovim complains where there is none.
--- @param win integer
--- @param text string
function M.winbar(win, text)
  if text == '' or vim.wo[win].winbar ~= '' or vim.api.nvim_win_get_height(win) > 1 then
    set(win, { winbar = text })
  end
end

--- Opens a window without entering it. One that is there although an autocommand of somebody's threw is as good.
--- @param buf integer
--- @param opts table see |nvim_open_win()|
--- @return integer win
function M.split(buf, opts)
  local before = vim.api.nvim_list_wins()
  local ok, result = pcall(vim.api.nvim_open_win, buf, false, opts)
  if ok then
    return result
  end
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if not vim.list_contains(before, win) and vim.api.nvim_win_get_buf(win) == buf then
      message.error(result)
      return win
    end
  end
  error(result, 0)
end

--- Shows another buffer in a window, and leaves its jumps and the alternate file alone.
--- @param win integer
--- @param buf integer
local function exchange(win, buf)
  vim.api.nvim_win_call(win, function()
    vim.cmd.buffer({ buf, mods = { keepalt = true, keepjumps = true } })
  end)
end

local splits = { right = 'right', left = 'left', bottom = 'below', top = 'above' }

--- Opens the transcript's window. Gives the buffer in whose place it stands, for position `current`.
--- @param chat acp.Chat
--- @param position string
--- @return integer win
--- @return integer? instead
local function open_transcript(chat, position)
  local layout = config.get().layout
  if
    position == 'current'
    and not vim.wo.winfixbuf
    and vim.api.nvim_win_get_config(0).relative == ''
  then
    local instead = vim.api.nvim_get_current_buf()
    -- A buffer with changes keeps its window when 'hidden' is off: the chat stands beside it.
    if pcall(exchange, 0, chat.buf) then
      return vim.api.nvim_get_current_win(), instead
    end
  elseif position == 'tab' then
    vim.cmd.sbuffer({ chat.buf, mods = { tab = vim.fn.tabpagenr() } })
    return vim.api.nvim_get_current_win()
  elseif position == 'float' then
    return M.split(chat.buf, (geometry.float_configs(layout.prompt_height)))
  end
  local split = splits[position] or 'right'
  local opts = { split = split, win = -1 }
  if split == 'right' or split == 'left' then
    opts.width = geometry.cells(layout.width, vim.o.columns, 20)
  else
    opts.height = geometry.cells(layout.height, geometry.screen_rows(), 3)
  end
  return M.split(chat.buf, opts)
end

--- @param chat acp.Chat
--- @param position string
--- @param transcript integer window
--- @return integer win
local function open_prompt(chat, position, transcript)
  local win
  if position == 'float' then
    local _, prompt = geometry.float_configs(config.get().layout.prompt_height)
    win = M.split(chat.prompt_buf, prompt)
  else
    local rows = geometry.prompt_rows(nil, vim.api.nvim_win_get_height(transcript))
    local opts = { split = 'below', win = transcript, height = rows }
    win = M.split(chat.prompt_buf, opts)
  end
  set(win, geometry.options)
  set(win, { fillchars = geometry.fillchars(), winfixheight = true, winbar = '', scrolloff = 0 })
  return win
end

--- The winbar of a window on a transcript.
M.CHAT_WINBAR = "%!v:lua.require'acp.ui.winbar'.draw()"

--- @param pane acp.Pane
local function arrange(pane)
  local side = pane.position == 'right' or pane.position == 'left'
  local band = pane.position == 'bottom' or pane.position == 'top'
  set(pane.transcript, geometry.options)
  set(pane.transcript, {
    fillchars = geometry.fillchars() .. ',stl:─,stlnc:─',
    winfixwidth = side,
    winfixheight = band,
  })
  require('acp.ui.statusline').fit(pane)
  M.winbar(pane.transcript, M.CHAT_WINBAR)
  set(pane.prompt, { winfixwidth = side })
  follow.to_end(pane.transcript)
  pane.chat.transcript:wake()
end

--- Closes a window of ours. The last window of all cannot be closed: it shows another buffer instead.
--- @param win integer
--- @param instead? integer
local function close(win, instead)
  if not panes.valid(win) then
    return
  end
  local last = #vim.api.nvim_list_tabpages() == 1
    and #panes.tiled(0) == 1
    and panes.tiled(0)[1] == win
  if not (instead or last) then
    return vim.api.nvim_win_close(win, true)
  end
  vim.api.nvim_set_option_value('winfixbuf', false, { scope = 'local', win = win })
  local usable = instead and vim.api.nvim_buf_is_valid(instead) and instead
  exchange(win, usable or vim.api.nvim_create_buf(true, false))
end

--- Closes the windows of a chat in a tab.
--- @param pane acp.Pane
function M.dissolve(pane)
  panes.forget(pane)
  local current = vim.api.nvim_get_current_win()
  local focused = current == pane.prompt or current == pane.transcript
  if focused then
    vim.cmd.stopinsert()
  end
  close(pane.prompt)
  close(pane.transcript, pane.instead)
  panes.restore(pane, focused)
end

--- Opens the two windows of a chat; where there is no room for them, they float.
--- @param chat acp.Chat
--- @param position string
--- @return acp.Pane
local function open_pane(chat, position)
  local before = panes.snapshot()
  local opened, transcript, instead = pcall(open_transcript, chat, position)
  local ok, prompt = opened, transcript
  if opened then
    ok, prompt = pcall(open_prompt, chat, position, transcript)
  end
  if not ok then
    if opened then
      close(transcript, instead)
    end
    if position == 'float' then
      error(prompt, 0)
    end
    return open_pane(chat, 'float')
  end
  return {
    chat = chat,
    tab = vim.api.nvim_get_current_tabpage(),
    position = position,
    transcript = transcript,
    prompt = prompt,
    before = before,
    instead = instead,
  }
end

--- Shows a chat in the current tab; another chat that is there makes place.
--- @param chat acp.Chat
function M.open(chat)
  local present = panes.of(chat)
  if present then
    return M.mend(present)
  end
  local position = geometry.position()
  local elsewhere = panes.find(function(pane)
    return pane.chat == chat and pane.position == 'tab'
  end)
  if elsewhere and position == 'tab' then
    vim.api.nvim_set_current_tabpage(elsewhere.tab)
    return
  end
  local other = M.shown()
  if other then
    M.hide(other)
  end
  local pane = open_pane(chat, position)
  panes.add(pane)
  if panes.valid(pane.transcript) and panes.valid(pane.prompt) then
    arrange(pane)
  else
    M.dissolve(pane) -- an autocommand of somebody's won't have it
  end
end

--- Opens the window of a chat that is missing beside the other.
--- @param pane acp.Pane
function M.mend(pane)
  if not panes.valid(pane.transcript) then
    local opts = { split = 'above', win = pane.prompt }
    pane.transcript = M.split(pane.chat.buf, opts)
    M.fit_prompt(pane.chat)
  elseif not panes.valid(pane.prompt) then
    pane.prompt = open_prompt(pane.chat, 'right', pane.transcript)
  else
    return
  end
  arrange(pane)
end

--- Hides a chat in the current tab, with what was split from its windows. It lives on.
--- @param chat acp.Chat
function M.hide(chat)
  local pane = panes.of(chat)
  if pane then
    M.dissolve(pane)
  end
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = panes.valid(win) and vim.api.nvim_win_get_buf(win)
    if buf == chat.buf or buf == chat.prompt_buf then
      close(win)
    end
  end
end

--- Takes a chat from all tabs.
--- @param chat acp.Chat
function M.hide_everywhere(chat)
  for _, pane in ipairs(panes.all()) do
    if pane.chat == chat then
      M.dissolve(pane)
    end
  end
end

--- Gives the prompt windows of a chat the rows that its text needs.
--- @param chat acp.Chat
function M.fit_prompt(chat)
  for _, pane in ipairs(panes.all()) do
    if pane.chat == chat and panes.valid(pane.prompt) and panes.valid(pane.transcript) then
      local present = vim.api.nvim_win_get_height(pane.prompt)
      local room = present + vim.api.nvim_win_get_height(pane.transcript)
      local rows = geometry.prompt_rows(pane.prompt, room)
      if rows ~= present and pane.position == 'float' then
        local transcript, prompt = geometry.float_configs(rows)
        vim.api.nvim_win_set_config(pane.transcript, transcript)
        vim.api.nvim_win_set_config(pane.prompt, prompt)
      elseif rows ~= present then
        vim.api.nvim_win_set_height(pane.prompt, rows)
      end
    end
  end
end

--- Where a float of that size stands in the middle of the screen, as large as there is room.
--- @param size { width: integer, height: integer }
--- @return { relative: 'editor', width: integer, height: integer, row: integer, col: integer }
local function centred(size)
  local width = math.max(1, math.min(size.width, vim.o.columns - 2))
  local height = math.max(1, math.min(size.height, geometry.screen_rows() - 2))
  return {
    relative = 'editor',
    width = width,
    height = height,
    row = math.floor((geometry.screen_rows() - height - 2) / 2),
    col = math.floor((vim.o.columns - width - 2) / 2),
  }
end

--- Opens a float that fits on the screen: in the middle of it unless told otherwise. Other entries of `opts` are
--- those of |nvim_open_win()|.
--- @param buf integer
--- @param opts { width: integer, height: integer, enter?: boolean, [string]: any } enter: true by default
--- @return integer win
function M.float(buf, opts)
  local enter = opts.enter ~= false and vim.fn.getcmdwintype() == ''
  local float = vim.tbl_extend('force', {
    relative = 'editor',
    style = 'minimal',
    border = compat.border(),
    zindex = 60,
  }, opts)
  float.enter = nil
  local place = centred(float)
  float.width, float.height = place.width, place.height
  if float.relative == 'editor' then
    float.row, float.col = float.row or place.row, float.col or place.col
  end
  if float.border == 'none' then
    float.title, float.title_pos, float.footer, float.footer_pos = nil, nil, nil, nil
  end
  return vim.api.nvim_open_win(buf, enter, float)
end

--- Gives a float that stands in the middle of the screen another size.
--- @param win integer
--- @param size { width: integer, height: integer }
function M.refit(win, size)
  vim.api.nvim_win_set_config(win, centred(size))
end

--- Chats keep their share of the screen.
function M.resize()
  local layout = config.get().layout
  for _, pane in ipairs(panes.all()) do
    if panes.valid(pane.transcript) and panes.valid(pane.prompt) then
      if pane.position == 'float' then
        local transcript, prompt = geometry.float_configs(vim.api.nvim_win_get_height(pane.prompt))
        vim.api.nvim_win_set_config(pane.transcript, transcript)
        vim.api.nvim_win_set_config(pane.prompt, prompt)
      elseif pane.position == 'right' or pane.position == 'left' then
        vim.api.nvim_win_set_width(pane.transcript, geometry.cells(layout.width, vim.o.columns, 20))
      end
      M.winbar(pane.transcript, M.CHAT_WINBAR)
    end
  end
end

return M
