--- Pages that an agent wants to be opened: the whole address is shown, and nothing is opened without consent.
local draw = require('acp.ui.form_draw')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')
local message = require('acp.message')

local M = {}

local ns = vim.api.nvim_create_namespace('acp.url')

--- @class acp.UrlView
--- @field session string
--- @field question acp.Question
--- @field buf integer
--- @field win integer
--- @field on_close fun()

local views = {} --- @type table<string, acp.UrlView> by session and question

--- @param session string
--- @param id string
--- @return string
local function key_of(session, id)
  return session .. '\0' .. id
end

--- Lines of a page, each with its group.
--- @param url { url: string, host: string, message: string, warning?: string }
--- @return [string, string][]
local function lines_of(url)
  local lines = {} --- @type [string, string][]
  for _, line in ipairs(vim.split(url.message, '\n')) do
    table.insert(lines, { line, 'Normal' })
  end
  table.insert(lines, { '', 'Normal' })
  if url.host ~= '' then
    table.insert(lines, { url.host, 'AcpHeading' })
  end
  table.insert(lines, { url.url, 'AcpLink' })
  for i, line in ipairs(url.warning and vim.split(url.warning, '\n') or {}) do
    if i == 1 then
      table.insert(lines, { '', 'Normal' })
    end
    table.insert(lines, { '! ' .. line, 'AcpNoticeWarning' })
  end
  return lines
end

--- @param view acp.UrlView
--- @param option 'accept'|'decline'|'cancel'
local function answer(view, option)
  local id, url = view.question.id, view.question.url.url
  local ok, fault = require('acp.ui.permission').answer(view.session, id, option)
  if not ok then
    message.warn(fault --[[@as string]])
  elseif option == 'accept' then
    local opened, _, why = pcall(vim.ui.open, url)
    if not opened or why then
      message.warn(('it could not be opened from here, open it by hand: %s'):format(url))
    end
  end
end

--- @param view acp.UrlView
local function accept(view)
  if not draw.can_accept(view.question) then
    return message.warn('this can’t be opened: decline it, or cancel it')
  end
  answer(view, 'accept')
end

--- @param view acp.UrlView
local function copy(view)
  local url = view.question.url.url
  vim.fn.setreg('"', url)
  pcall(vim.fn.setreg, '+', url)
  message.info('copied: ' .. view.question.url.host)
end

--- @param view acp.UrlView
local function close(view)
  if vim.api.nvim_win_is_valid(view.win) then
    message.guard(vim.api.nvim_win_close, view.win, true)
  end
end

--- @param view acp.UrlView
local function map(view)
  local function of(action, ...)
    local args = { ... }
    return function()
      action(view, unpack(args))
    end
  end
  keys.map('question', view.buf, {
    accept = { 'n', of(accept) },
    decline = { 'n', of(answer, 'decline') },
    cancel = { 'n', of(answer, 'cancel') },
    copy = { 'n', of(copy) },
    close = { 'n', of(close) },
    help = {
      'n',
      function()
        keys.help('question')
      end,
    },
  })
end

--- @param question acp.Question
--- @return string
local function footer(question)
  local words = {} --- @type string[]
  local function key(name, what)
    local lhs = keys.of('question', name)
    if lhs then
      words[#words + 1] = ('%s %s'):format(lhs, what)
    end
  end
  if draw.can_accept(question) then
    key('accept', 'open')
    key('copy', 'copy')
  end
  key('decline', 'decline')
  key('cancel', 'cancel')
  key('close', 'later')
  return (' %s '):format(table.concat(words, ' · '))
end

--- Shows what would be opened.
--- @param entry acp.OpenQuestion
--- @param opts { short: string, on_close: fun() } short: who asks
function M.open(entry, opts)
  local question = entry.question --- @type acp.Question
  local key = key_of(entry.session, question.id)
  local known = views[key]
  if known and vim.api.nvim_win_is_valid(known.win) then
    return message.guard(vim.api.nvim_set_current_win, known.win)
  end
  vim.cmd.stopinsert()
  local buf = vim.api.nvim_create_buf(false, true)
  local lines = lines_of(question.url)
  vim.bo[buf].modifiable = true -- whatever the default is
  vim.api.nvim_buf_set_lines(
    buf,
    0,
    -1,
    false,
    vim.tbl_map(function(line)
      return line[1]
    end, lines)
  )
  for row, line in ipairs(lines) do
    vim.api.nvim_buf_set_extmark(buf, ns, row - 1, 0, { end_col = #line[1], hl_group = line[2] })
  end
  vim.bo[buf].modifiable = false
  vim.bo[buf].bufhidden = 'wipe'
  local view = { session = entry.session, question = question, buf = buf, on_close = opts.on_close }
  views[key] = view
  map(view)
  local width = math.min(76, vim.o.columns - 4)
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(1, math.ceil(vim.api.nvim_strwidth(line[1]) / width))
  end
  view.win = layout.float(buf, {
    width = width,
    height = math.min(rows, math.floor(vim.o.lines * 0.8)),
    title = (' %s '):format(opts.short),
    footer = footer(question),
    footer_pos = 'right',
  })
  for option, value in pairs({ wrap = true, linebreak = true }) do
    vim.api.nvim_set_option_value(option, value, { scope = 'local', win = view.win })
  end
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    desc = 'acp: a page was not decided about, and its question is open still',
    callback = function()
      views[key] = nil
      vim.schedule(view.on_close)
    end,
  })
end

--- Nobody asks any more.
--- @param session string
--- @param id string
function M.closed(session, id)
  local view = views[key_of(session, id)]
  if view then
    close(view)
  end
end

return M
