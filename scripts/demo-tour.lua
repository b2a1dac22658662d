--- Plays the demo agent's tour in a headless Neovim, prints the transcript as it looks on the screen, and exits:
--- 0 when the tour came to its end, else 1 with the reason on stderr.

local DEADLINE_MS = 60000

--- `print()` of a headless Neovim goes to stderr.
--- @param text string
local function put(text)
  io.stdout:write(text, '\n')
end

--- @param reason string
local function fail(reason)
  io.stderr:write(('demo: %s\n'):format(reason))
  vim.cmd('cquit 1')
end

--- Answers each question as someone who allows everything once would, and prints what was asked.
local function allow_everything()
  -- luacheck: ignore 122
  vim.ui.select = function(items, opts, on_choice)
    local format = opts.format_item or tostring
    for index, item in ipairs(items) do
      if format(item):find('Allow once', 1, true) then
        put(('asked: %s → %s'):format(opts.prompt:gsub(':?%s*$', ''), format(item)))
        vim.schedule(function()
          on_choice(item, index)
        end)
        return
      end
    end
    fail(('a question without "Allow once": %s'):format(opts.prompt))
  end
end

--- The rows of a window as they are drawn, virtual text included.
--- @param win integer
--- @return string[]
local function screen_rows(win)
  local position = vim.fn.win_screenpos(win)
  local lines = {}
  for row = position[1], position[1] + vim.api.nvim_win_get_height(win) - 1 do
    local cells = {}
    for col = position[2], position[2] + vim.api.nvim_win_get_width(win) - 1 do
      cells[#cells + 1] = vim.fn.screenstring(row, col)
    end
    lines[#lines + 1] = (table.concat(cells):gsub('%s+$', ''))
  end
  return lines
end

--- @param chat table
local function print_transcript(chat)
  local win = require('acp.ui.layout').visible(chat)
  if not win then
    return fail('the chat is not on the screen')
  end
  -- A screen that holds all of it.
  local height = vim.api.nvim_win_text_height(win, {}).all
  vim.o.lines = math.min(1000, height + 30)
  vim.api.nvim_win_set_height(win, height + 1)
  vim.api.nvim_win_call(win, function()
    vim.fn.winrestview({ topline = 1 })
  end)
  vim.cmd('redraw!')
  local rows = screen_rows(win)
  while rows[#rows] == '' do
    rows[#rows] = nil
  end
  put(table.concat(rows, '\n'))
end

local function play()
  require('acp').setup({
    layout = { position = 'current' },
    permission = { open = 'always' },
  })
  allow_everything()
  local file = 'src/basket.js'
  vim.cmd.edit(file)
  local before = vim.fn.readfile(file)
  vim.cmd('AcpChat agent=demo')
  local chat = require('acp.chat').current()
  if not chat then
    return fail('no chat was opened')
  end
  require('acp.chat').send(
    chat,
    '/tour',
    { { type = 'file', path = vim.fn.fnamemodify(file, ':p') } }
  )

  local worked = false
  local ended = vim.wait(DEADLINE_MS, function()
    local status = require('acp.state').get(chat.session)
    local state = status and status.state
    worked = worked or state == 'working' or state == 'waiting'
    return state == 'dead' or (worked and state == 'idle')
  end, 20)
  local status = require('acp.state').get(chat.session)
  if not ended then
    return fail(
      ('not at the end after %d s (%s)'):format(
        DEADLINE_MS / 1000,
        status and status.state or 'no status'
      )
    )
  end
  print_transcript(chat)
  if status.state == 'dead' then
    return fail('the agent died')
  elseif vim.deep_equal(before, vim.fn.readfile(file)) then
    return fail('the edit that was allowed is not in the file')
  end
  vim.cmd('qall!')
end

vim.o.columns = 100
vim.o.lines = 50
vim.o.showmode = false
vim.schedule(function()
  local ok, reason = xpcall(play, debug.traceback)
  if not ok then
    fail(reason)
  end
end)
