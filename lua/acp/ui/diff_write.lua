--- Writing what shows a proposal allows it, once: `:w`, `:wq`, `:x`, `ZZ`. Leaving it answers nothing.
local M = {}

local diff = require('acp.ui.diff')
local message = require('acp.message')
local typing = require('acp.ui.typing')

--- Milliseconds between a key and the command that it gives.
local KEY_MS = 100

--- Whether a person writes, here and now, and not something that saves buffers by itself: that is no answer.
--- @param view acp.DiffView
--- @return boolean
local function by_hand(view)
  local wait, typed = typing.until_quiet(KEY_MS)
  local _, nested = vim.fn.expand('<stack>'):gsub('Autocommands for', '')
  return view.entered and wait > 0 and typed and nested <= 1 or false
end

--- @param view acp.DiffView
--- @param path string
local function save_copy(view, path)
  if vim.uv.fs_stat(path) and vim.v.cmdbang == 0 then
    return message.error(('%s exists (add ! to replace it)'):format(path))
  end
  local lines = vim.api.nvim_buf_get_lines(view.buf, 0, -1, false)
  local ok, fault = pcall(vim.fn.writefile, lines, path)
  if not ok then
    message.error(tostring(fault))
  end
end

--- @param view acp.DiffView
local function write(view)
  local question = diff.question_of(view)
  local answers = require('acp.ui.permission_answer')
  if not question then
    message.info('nothing is asked here')
    vim.bo[view.buf].modified = false
  elseif not by_hand(view) then
    if not view.warned then
      message.warn('the proposal was not allowed: type :w in its window for that')
    end
    view.warned = true
  else
    view.busy = true
    local answered = answers.write(view.session, view.question)
    view.busy = false
    -- As long as it is modified, Neovim takes it for not written, and `:wq` doesn't close it.
    vim.bo[view.buf].modified = not answered
    if not answered then
      vim.schedule(function()
        if vim.api.nvim_buf_is_valid(view.buf) then
          vim.bo[view.buf].modified = view:text() ~= nil
        end
      end)
    end
  end
end

--- @param view acp.DiffView
function M.watch(view)
  local buf = view.buf
  typing.watch()
  local function on(events, desc, callback, opts)
    vim.api.nvim_create_autocmd(
      events,
      vim.tbl_extend('force', opts or { buffer = buf }, {
        group = view.group,
        desc = 'acp: ' .. desc,
        callback = callback,
      })
    )
  end
  local name = vim.api.nvim_buf_get_name(buf)
  on('BufWriteCmd', 'to write a proposal is to allow it', function(args)
    if args.match == name then
      write(view)
    else
      save_copy(view, args.match)
    end
  end)
  -- What writes all buffers goes through them without entering one.
  view.entered = vim.api.nvim_get_current_buf() == buf
  on({ 'BufEnter', 'BufLeave' }, 'whether the user is in a proposal', function(args)
    view.entered = args.event == 'BufEnter'
  end)
  on('CmdlineLeave', ':x writes, though nothing was changed', function()
    local ok, command = pcall(vim.api.nvim_parse_cmd, vim.fn.getcmdline(), {})
    if ok and command.cmd == 'xit' and vim.api.nvim_get_current_buf() == buf then
      vim.bo[buf].modified = true
    end
  end, { pattern = ':' })
  vim.keymap.set('n', 'ZZ', function()
    vim.bo[buf].modified = true
    vim.cmd.xit()
  end, { buffer = buf, desc = 'acp: Allow the proposal and leave it.' })
  local function gone()
    diff.leave(view)
  end
  on(
    'WinClosed',
    'a diff goes with its window',
    vim.schedule_wrap(gone),
    { pattern = tostring(view.win) }
  )
  on('BufWipeout', 'a diff goes with its buffer', vim.schedule_wrap(gone))
end

return M
