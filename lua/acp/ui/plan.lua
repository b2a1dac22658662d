--- Plans to be approved: the whole plan in a float, and beside it the answers, by their names. Nothing is answered
--- before one of them was gone to and chosen; meanwhile the plan can be scrolled, and closing leaves the question open.
local compat = require('acp.compat')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')
local message = require('acp.message')
local place = require('acp.ui.plan_place')

local api = vim.api

local M = {}

local ns = api.nvim_create_namespace('acp.plan')

--- Keys that scroll the plan from beside it.
local SCROLL = { '<C-d>', '<C-u>', '<C-f>', '<C-b>', '<C-e>', '<PageDown>', '<PageUp>' }

--- @class acp.PlanView
--- @field entry acp.OpenQuestion
--- @field labels string[]
--- @field text integer window of the plan
--- @field menu integer window of the answers
--- @field group integer
--- @field before integer window to go back to
--- @field on_choice fun(option?: table) called once; nil: the question stays open

local view --- @type acp.PlanView? the one on the screen

--- @param lines string[]
--- @return integer buf
local function buffer(lines)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].modifiable = true -- whatever the default is
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].bufhidden = 'wipe'
  return buf
end

--- A plan never changes, unlike a transcript: a highlighter may be attached to it.
--- @param buf integer
--- @param lines string[]
local function highlight(buf, lines)
  local bytes = api.nvim_buf_get_offset(buf, #lines)
  if bytes <= compat.attach_limit() then
    -- Without a parser it is as good to read.
    pcall(vim.treesitter.start, buf, 'markdown')
  end
end

--- Closes both windows, and says what was chosen.
--- @param shown acp.PlanView
--- @param option? table
local function finish(shown, option)
  if view ~= shown then
    return
  end
  view = nil
  api.nvim_del_augroup_by_id(shown.group)
  local current = api.nvim_get_current_win()
  for _, win in ipairs({ shown.menu, shown.text }) do
    if api.nvim_win_is_valid(win) then
      message.guard(api.nvim_win_close, win, true)
    end
  end
  local ours = current == shown.menu or current == shown.text
  if ours and api.nvim_win_is_valid(shown.before) then
    message.guard(api.nvim_set_current_win, shown.before)
  end
  shown.on_choice(option)
end

--- @param shown acp.PlanView
--- @return table? option at the cursor
local function at_cursor(shown)
  return shown.entry.question.options[api.nvim_win_get_cursor(shown.menu)[1] - 1]
end

--- @param shown acp.PlanView
local function choose(shown)
  local option = at_cursor(shown)
  if option then
    finish(shown, option)
  else
    message.info('go to an answer first')
  end
end

--- Words that go along are written in the command line, as they are from anywhere else. Later: what a silent map types
--- is not to be seen.
local function reject()
  vim.schedule(function()
    api.nvim_feedkeys(':AcpReject ', 'n', false)
  end)
end

--- Opens the file that is named at the cursor; the plan gives way to it, and can be asked again.
--- @param shown acp.PlanView
local function open_path(shown)
  local open = require('acp.ui.open')
  local chat = require('acp.chat').get(shown.entry.session)
  local cwd = chat and chat.cwd or vim.fn.getcwd()
  local col = api.nvim_win_get_cursor(0)[2]
  local target = open.named(api.nvim_get_current_line(), col, cwd, chat and chat.agent.paths)
  if not target then
    return message.info('no path here')
  end
  finish(shown)
  open.file(target, cwd)
end

--- @param shown acp.PlanView
local function map(shown)
  local function set(win, lhs, rhs, desc)
    local opts = { buffer = api.nvim_win_get_buf(win), nowait = true, desc = 'acp: ' .. desc }
    vim.keymap.set('n', lhs, rhs, opts)
  end
  local function go(win)
    return function()
      message.guard(api.nvim_set_current_win, win)
    end
  end
  local common = {
    decline = { 'n', reject },
    close = {
      'n',
      function()
        finish(shown)
      end,
    },
    help = {
      'n',
      function()
        keys.help('question')
      end,
    },
  }
  local menu = {
    choose = {
      'n',
      function()
        choose(shown)
      end,
    },
  }
  keys.map('question', api.nvim_win_get_buf(shown.text), common)
  keys.map('question', api.nvim_win_get_buf(shown.menu), vim.tbl_extend('error', menu, common))
  set(shown.menu, '<Tab>', go(shown.text), 'Go to the plan.')
  set(shown.text, '<Tab>', go(shown.menu), 'Go to the answers.')
  for _, lhs in ipairs({ '<CR>', 'gf' }) do
    set(shown.text, lhs, function()
      open_path(shown)
    end, 'Open the path at the cursor.')
  end
  for i in ipairs(shown.labels) do
    if i <= 9 then
      set(shown.menu, tostring(i), function()
        api.nvim_win_set_cursor(shown.menu, { i + 1, 0 })
      end, 'Go to this answer.')
    end
  end
  for _, lhs in ipairs(SCROLL) do
    local key = vim.keycode(lhs)
    set(shown.menu, lhs, function()
      api.nvim_win_call(shown.text, function()
        pcall(vim.cmd.normal, { key, bang = true }) -- at its end it fails
      end)
    end, 'Scroll the plan.')
  end
end

--- @param shown acp.PlanView
local function watch(shown)
  local function on(events, opts)
    opts.group = shown.group
    api.nvim_create_autocmd(events, opts)
  end
  on('VimResized', {
    desc = 'acp: a plan keeps its place',
    callback = function()
      place.fit(shown)
    end,
  })
  on('WinClosed', {
    pattern = { tostring(shown.text), tostring(shown.menu) },
    desc = 'acp: a plan was not decided about, and its question is open still',
    callback = vim.schedule_wrap(function()
      finish(shown)
    end),
  })
end

--- Puts the answers below what is asked, each with its number.
--- @param labels string[]
--- @return integer buf
local function menu_buffer(labels)
  local lines = { ' Which?' }
  for i, label in ipairs(labels) do
    lines[i + 1] = ('  %d  %s'):format(i, label)
  end
  local buf = buffer(lines)
  local function mark(row, from, to, group)
    api.nvim_buf_set_extmark(buf, ns, row, from, { end_col = to, hl_group = group })
  end
  mark(0, 0, #lines[1], 'AcpQuestion')
  for i = 1, #labels do
    local number = 2 + #tostring(i)
    mark(i, 2, number, 'AcpOptionKey')
    mark(i, number, #lines[i + 1], 'AcpOption')
  end
  return buf
end

--- Shows a plan and its answers.
--- @param entry acp.OpenQuestion
--- @param opts { title: string, label: (fun(option: table): string), on_choice: fun(option?: table) }
function M.open(entry, opts)
  if view then
    view.on_choice = function() end -- it is asked anew, or gives way to another
    finish(view)
  end
  vim.cmd.stopinsert()
  local question = entry.question
  local before = api.nvim_get_current_win()
  local labels = vim.tbl_map(opts.label, question.options)
  local text_buf, menu_buf = buffer(question.plan), menu_buffer(labels)
  highlight(text_buf, question.plan)
  local size =
    { width = math.min(place.MAX_WIDTH, vim.o.columns - 2), height = 1, row = 0, col = 0 }
  local title = (' %s '):format(opts.title)
  local text = layout.float(
    text_buf,
    vim.tbl_extend('error', size, { enter = false, title = title, footer = '' })
  )
  local menu = layout.float(menu_buf, vim.tbl_extend('error', size, { footer = '' }))
  local common = { wrap = true, linebreak = true, breakindent = true, conceallevel = 0 }
  for win, more in pairs({ [text] = { scrolloff = 0 }, [menu] = { cursorline = true } }) do
    for name, value in pairs(vim.tbl_extend('error', common, more)) do
      api.nvim_set_option_value(name, value, { scope = 'local', win = win })
    end
  end
  view = {
    entry = entry,
    labels = labels,
    text = text,
    menu = menu,
    group = api.nvim_create_augroup('acp.plan', {}),
    before = before,
    on_choice = opts.on_choice,
  }
  place.fit(view)
  map(view)
  watch(view)
end

--- Nobody asks any more.
--- @param session string
--- @param id string
function M.closed(session, id)
  if view and view.entry.session == session and view.entry.question.id == id then
    finish(view)
  end
end

return M
