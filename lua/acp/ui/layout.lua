--- Windows: where chats and floats stand. The only caller of `nvim_open_win()`; it touches no window but its own.
local compat = require('acp.compat')
local config = require('acp.config')
local follow = require('acp.ui.follow')
local geometry = require('acp.ui.geometry')
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
    vim.api.nvim_win_set_buf(0, chat.buf)
    return vim.api.nvim_get_current_win(), instead
  elseif position == 'tab' then
    vim.cmd.sbuffer({ chat.buf, mods = { tab = vim.fn.tabpagenr() } })
    return vim.api.nvim_get_current_win()
  elseif position == 'float' then
    return vim.api.nvim_open_win(chat.buf, false, (geometry.float_configs(layout.prompt_height)))
  end
  local split = splits[position] or 'right'
  local opts = { split = split, win = -1 }
  if split == 'right' or split == 'left' then
    opts.width = geometry.cells(layout.width, vim.o.columns, 20)
  else
    opts.height = geometry.cells(layout.height, geometry.screen_rows(), 3)
  end
  return vim.api.nvim_open_win(chat.buf, false, opts)
end

--- @param chat acp.Chat
--- @param position string
--- @param transcript integer window
--- @return integer win
local function open_prompt(chat, position, transcript)
  local win
  if position == 'float' then
    local _, prompt = geometry.float_configs(config.get().layout.prompt_height)
    win = vim.api.nvim_open_win(chat.prompt_buf, false, prompt)
  else
    local rows = geometry.prompt_rows(nil, vim.api.nvim_win_get_height(transcript))
    local opts = { split = 'below', win = transcript, height = rows }
    win = vim.api.nvim_open_win(chat.prompt_buf, false, opts)
  end
  set(win, geometry.options)
  set(win, { fillchars = geometry.fillchars(), winfixheight = true, winbar = '', scrolloff = 0 })
  return win
end

--- @param pane acp.Pane
local function arrange(pane)
  local side = pane.position == 'right' or pane.position == 'left'
  local band = pane.position == 'bottom' or pane.position == 'top'
  set(pane.transcript, geometry.options)
  set(pane.transcript, {
    fillchars = geometry.fillchars() .. ',stl:─,stlnc:─',
    winbar = "%!v:lua.require'acp.ui.winbar'.draw()",
    winfixwidth = side,
    winfixheight = band,
    -- A plain rule between conversation and prompt.
    statusline = '%#WinSeparator#%=',
  })
  set(pane.prompt, { winfixwidth = side })
  follow.to_end(pane.transcript)
  pane.chat.transcript:wake()
end

--- Shows a chat in the current tab; another chat that is there makes place.
--- @param chat acp.Chat
function M.open(chat)
  if panes.of(chat) then
    return
  end
  local position = config.get().layout.position
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
  local from = vim.api.nvim_get_current_win()
  local transcript, instead = open_transcript(chat, position)
  local pane = {
    chat = chat,
    tab = vim.api.nvim_get_current_tabpage(),
    position = position,
    transcript = transcript,
    prompt = open_prompt(chat, position, transcript),
    from = from,
    instead = instead,
  }
  panes.add(pane)
  arrange(pane)
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
  vim.api.nvim_win_set_buf(win, usable or vim.api.nvim_create_buf(true, false))
end

--- @param pane acp.Pane
local function dissolve(pane)
  panes.forget(pane)
  local current = vim.api.nvim_get_current_win()
  local focused = current == pane.prompt or current == pane.transcript
  if focused then
    vim.cmd.stopinsert()
  end
  close(pane.prompt)
  close(pane.transcript, pane.instead)
  if focused and panes.valid(pane.from) and vim.api.nvim_win_get_tabpage(pane.from) == pane.tab then
    vim.api.nvim_set_current_win(pane.from)
  end
end

--- Hides a chat in the current tab. It lives on.
--- @param chat acp.Chat
function M.hide(chat)
  local pane = panes.of(chat)
  if pane then
    dissolve(pane)
  end
end

--- Takes a chat from all tabs.
--- @param chat acp.Chat
function M.hide_everywhere(chat)
  for _, pane in ipairs(panes.all()) do
    if pane.chat == chat then
      dissolve(pane)
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

--- A window for code in the current tab: the one before, any other, or a new one.
--- @return integer win
function M.code_window()
  local function takes_code(win)
    return vim.bo[vim.api.nvim_win_get_buf(win)].buftype == '' and not vim.wo[win].winfixbuf
  end
  local wins = panes.tiled(0)
  table.insert(wins, 1, vim.fn.win_getid(vim.fn.winnr('#')))
  local found = vim.iter(wins):find(function(win)
    return panes.valid(win) and not panes.with(win) and takes_code(win)
  end)
  if found then
    return found
  end
  local pane = panes.find(function(pane)
    return pane.tab == vim.api.nvim_get_current_tabpage()
  end)
  local opposite = { left = 'right', top = 'below', bottom = 'above' }
  local split = opposite[pane and pane.position] or 'left'
  local opts = { split = split, win = -1 }
  return vim.api.nvim_open_win(vim.api.nvim_create_buf(true, false), false, opts)
end

--- Opens a float that fits on the screen: in the middle of it unless told otherwise. Other entries of `opts` are
--- those of |nvim_open_win()|.
--- @param buf integer
--- @param opts { width: integer, height: integer, enter?: boolean, [string]: any } enter: true by default
--- @return integer win
function M.float(buf, opts)
  local enter = opts.enter ~= false
  local float = vim.tbl_extend('force', {
    relative = 'editor',
    style = 'minimal',
    border = compat.border(),
    zindex = 60,
  }, opts)
  float.enter = nil
  float.width = math.max(1, math.min(float.width, vim.o.columns - 2))
  float.height = math.max(1, math.min(float.height, geometry.screen_rows() - 2))
  if float.relative == 'editor' then
    float.row = float.row or math.floor((geometry.screen_rows() - float.height - 2) / 2)
    float.col = float.col or math.floor((vim.o.columns - float.width - 2) / 2)
  end
  if float.border == 'none' then
    float.title, float.title_pos, float.footer, float.footer_pos = nil, nil, nil, nil
  end
  return vim.api.nvim_open_win(buf, enter, float)
end

--- One of the two windows was closed by hand: the other follows, or has it back when it cannot go.
--- @param pane acp.Pane
local function complete(pane)
  if not panes.has(pane) or not vim.api.nvim_tabpage_is_valid(pane.tab) then
    return panes.forget(pane)
  end
  local only = #vim.api.nvim_list_tabpages() == 1 and panes.alone(pane)
  if not only or not (panes.valid(pane.transcript) or panes.valid(pane.prompt)) then
    return dissolve(pane)
  end
  if not panes.valid(pane.transcript) then
    local opts = { split = 'above', win = pane.prompt }
    pane.transcript = vim.api.nvim_open_win(pane.chat.buf, false, opts)
    M.fit_prompt(pane.chat)
  else
    pane.prompt = open_prompt(pane.chat, 'right', pane.transcript)
  end
  arrange(pane)
end

local group = vim.api.nvim_create_augroup('acp.layout', {})

vim.api.nvim_create_autocmd('WinClosed', {
  group = group,
  desc = 'acp: the two windows of a chat go together',
  callback = function(args)
    local pane = panes.with(tonumber(args.match) --[[@as integer]])
    if pane then
      vim.schedule(function()
        complete(pane)
      end)
    end
  end,
})

vim.api.nvim_create_autocmd('QuitPre', {
  group = group,
  desc = 'acp: :q in a chat that has the tab for itself closes both of its windows',
  callback = function()
    local win = vim.api.nvim_get_current_win()
    local pane = panes.with(win)
    if pane and panes.alone(pane) then
      vim.api.nvim_win_close(win == pane.prompt and pane.transcript or pane.prompt, true)
    end
  end,
})

vim.api.nvim_create_autocmd('VimResized', {
  group = group,
  desc = 'acp: chats keep their share of the screen',
  callback = function()
    local layout = config.get().layout
    for _, pane in ipairs(panes.all()) do
      if pane.position == 'float' then
        local transcript, prompt = geometry.float_configs(vim.api.nvim_win_get_height(pane.prompt))
        vim.api.nvim_win_set_config(pane.transcript, transcript)
        vim.api.nvim_win_set_config(pane.prompt, prompt)
      elseif pane.position == 'right' or pane.position == 'left' then
        vim.api.nvim_win_set_width(pane.transcript, geometry.cells(layout.width, vim.o.columns, 20))
      end
    end
  end,
})

return M
