--- Shows the change of files in a float. Never modal: chat and code stay reachable, and closing it answers nothing.
local M = {}

--- @class acp.DiffFloat
--- @field session string
--- @field block string
--- @field question? string
--- @field files table[] `FileDiff` of `src/review/file-diff.ts`
--- @field index integer the file that is shown
--- @field lines acp.DiffLines
--- @field buf integer
--- @field win integer
--- @field group integer autocommands that live as long as the float

local frame = require('acp.ui.diff_frame')
local lines = require('acp.ui.diff_lines')

local floats = {} --- @type table<string, acp.DiffFloat> one a session

--- @param float acp.DiffFloat
--- @param row integer
local function go(float, row)
  vim.api.nvim_win_set_cursor(float.win, { row, 0 })
  vim.api.nvim_win_call(float.win, function()
    vim.cmd('normal! zz')
  end)
  frame.caption(float)
end

--- Shows the file `float.index`.
--- @param float acp.DiffFloat
local function render(float)
  local file = float.files[float.index]
  float.lines = lines.build(file)
  require('acp.ui.diff_paint').fill(float.buf, float.lines, file.path)
  vim.api.nvim_win_call(float.win, function()
    vim.cmd('normal! zE')
    for _, fold in ipairs(float.lines.folds) do
      vim.cmd(('%d,%dfold'):format(fold[1], fold[2]))
    end
  end)
  vim.api.nvim_win_set_cursor(float.win, { 1, 0 })
  frame.fit(float)
  local first = float.lines.hunks[1] or 1
  vim.api.nvim_win_set_cursor(float.win, { first, 0 })
  frame.caption(float)
end

--- @param float acp.DiffFloat
--- @param by integer
local function go_hunk(float, by)
  local row = vim.api.nvim_win_get_cursor(float.win)[1]
  local found
  for _, first in ipairs(float.lines.hunks) do
    if by > 0 and first > row then
      found = found or first
    elseif by < 0 and first < row then
      found = first
    end
  end
  if found then
    go(float, found)
  end
end

--- @param float acp.DiffFloat
--- @param by integer
local function go_file(float, by)
  if #float.files > 1 then
    float.index = (float.index - 1 + by) % #float.files + 1
    render(float)
  end
end

--- Opens the file in a window of the code. The lines of a change that is still asked for are those of the old file.
--- @param float acp.DiffFloat
local function open_file(float)
  local row = vim.api.nvim_win_get_cursor(float.win)[1]
  local file = float.files[float.index]
  local side = frame.question_of(float) and 'old' or 'new'
  local line = not file.fragment and lines.number_at(float.lines, row, side) or nil
  M.close(float.session)
  require('acp.ui.open').file({ path = file.path, line = line }, '/')
end

--- @param float acp.DiffFloat
local function map_keys(float)
  local keys = require('acp.ui.keys')
  -- Digits stay counts: nobody answers with `3j`.
  vim.keymap.set('n', '<CR>', function()
    if frame.question_of(float) then
      require('acp.ui.permission').ask(float.session, float.question)
    end
  end, { buffer = float.buf, nowait = true, desc = 'acp: Answer the question.' })
  local function call(action, argument)
    return {
      'n',
      function()
        action(float, argument)
      end,
    }
  end
  keys.map('diff', float.buf, {
    next_hunk = call(go_hunk, 1),
    prev_hunk = call(go_hunk, -1),
    next_file = call(go_file, 1),
    prev_file = call(go_file, -1),
    open = call(open_file),
    close = call(function()
      M.close(float.session)
    end),
    help = call(function()
      keys.help('diff')
    end),
  })
end

--- @param float acp.DiffFloat
local function watch(float)
  local function on(events, opts)
    opts.group = float.group
    vim.api.nvim_create_autocmd(events, opts)
  end
  on('VimResized', {
    callback = function()
      if not vim.api.nvim_win_is_valid(float.win) then
        return M.close(float.session) -- `:noautocmd` closed it
      end
      frame.fit(float)
      frame.caption(float)
    end,
  })
  on('CursorMoved', {
    buffer = float.buf,
    callback = function()
      frame.caption(float)
    end,
  })
  on('WinClosed', {
    pattern = tostring(float.win),
    callback = function()
      M.close(float.session)
    end,
  })
  local chat = require('acp.chat').get(float.session)
  local win = chat and require('acp.ui.layout').visible(chat)
  if win then
    on('WinClosed', {
      pattern = tostring(win),
      callback = vim.schedule_wrap(function()
        M.close(float.session, float.block)
      end),
    })
  end
end

--- @param params table
--- @return acp.DiffFloat
local function open(params)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modifiable = false
  local win =
    require('acp.ui.layout').float(buf, { width = 40, height = 1, row = 1, col = 0, enter = false })
  for option, value in pairs({
    wrap = true,
    linebreak = false,
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    list = false,
    spell = false,
    cursorline = false,
    scrolloff = 3,
    foldmethod = 'manual',
    foldenable = true,
    foldlevel = 0,
    foldminlines = 0,
    foldtext = "v:lua.require'acp.ui.diff_paint'.foldtext()",
    statuscolumn = "%{%v:lua.require'acp.ui.diff_paint'.column()%}",
    winhighlight = 'Folded:AcpDiffFold',
    fillchars = 'fold: ',
  }) do
    vim.api.nvim_set_option_value(option, value, { win = win, scope = 'local' })
  end
  local float = {
    session = params.session,
    block = params.block,
    buf = buf,
    win = win,
    index = 1,
    group = vim.api.nvim_create_augroup('acp.diff.' .. params.session, {}),
  }
  floats[params.session] = float
  map_keys(float)
  watch(float)
  return float
end

--- Shows files; anew for the same block in the float that is there.
--- @param params { session: string, block: string, question?: string, files: table[], enter?: boolean }
---   `enter`: whether the cursor goes there; unless it is false it does, when nobody is typing
function M.show(params)
  if #params.files == 0 then
    return require('acp.message').info('there is no diff to show')
  end
  local float = floats[params.session]
  local here = vim.api.nvim_get_current_tabpage()
  if
    not float
    or not vim.api.nvim_win_is_valid(float.win)
    or float.block ~= params.block
    or vim.api.nvim_win_get_tabpage(float.win) ~= here
  then
    M.close(params.session)
    float = open(params)
  end
  float.question = params.question
  float.files = params.files
  float.index = math.min(float.index, #params.files)
  render(float)
  local free = vim.api.nvim_get_mode().mode == 'n' and vim.fn.getcmdwintype() == ''
  if params.enter ~= false and free then
    vim.api.nvim_set_current_win(float.win)
  end
end

--- Closes the float of a session.
--- @param session string
--- @param block? string only when it shows this block
function M.close(session, block)
  local float = floats[session]
  if not float or (block and float.block ~= block) then
    return
  end
  floats[session] = nil
  vim.api.nvim_del_augroup_by_id(float.group)
  require('acp.ui.diff_paint').forget(float.buf)
  if vim.api.nvim_win_is_valid(float.win) then
    vim.api.nvim_win_close(float.win, true)
  end
end

--- Lets a float go that came up by itself: it closes when work goes on in another window, and stays for who enters it.
--- @param session string
--- @param block string only when it shows this block
function M.release(session, block)
  local float = floats[session]
  if not float or float.block ~= block or vim.api.nvim_get_current_win() == float.win then
    return
  end
  local function place()
    local win = vim.api.nvim_get_current_win()
    return { win, vim.api.nvim_win_get_cursor(win) }
  end
  local since = place()
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'InsertEnter', 'WinEnter' }, {
    group = float.group,
    callback = function(event)
      if vim.api.nvim_get_current_win() == float.win then
        return true
      end
      if event.event == 'InsertEnter' or not vim.deep_equal(since, place()) then
        vim.schedule(function()
          M.close(session, block)
        end)
        return true
      end
    end,
  })
end

return M
