--- Keys of the transcript.
local actions = require('acp.ui.actions')
local keys = require('acp.ui.keys')
local motions = require('acp.ui.motions')
local rpc = require('acp.rpc')

local M = {}

--- The block under the cursor, and the row within it.
--- @param chat acp.Chat
--- @return acp.Block?
--- @return integer row
local function here(chat)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local block = chat.transcript:block_at(row)
  return block, block and row - chat.transcript:row(block) or 0
end

--- Opens the path that the row links to, or the one that is written under the cursor.
--- @param chat acp.Chat
--- @return boolean found
local function open_path(chat)
  local open = require('acp.ui.open')
  local block, row = here(chat)
  local line, col = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2]
  local target = block and block.links[row] or open.named(line, col, chat.cwd, chat.agent.paths)
  if target then
    open.file(target, chat.cwd)
  end
  return target ~= nil
end

--- Tells the sidecar something about the block under the cursor.
--- @param chat acp.Chat
--- @param method string
local function about_block(chat, method)
  local block = here(chat)
  if block and not block.sealed and chat.opened then
    rpc.notify(method, { session = chat.session, block = block.id })
  end
end

--- @param chat acp.Chat
--- @param expanded boolean
local function fold_all(chat, expanded)
  if chat.opened then
    rpc.notify('block.fold', { session = chat.session, expanded = expanded })
  end
end

--- Goes on from a prompt of the user's, with its text in the prompt of another session that begins like this one.
--- @param chat acp.Chat
local function edit(chat)
  local message = require('acp.message')
  local block = here(chat)
  local status = require('acp.state').get(chat.session)
  if not (block and block.kind == 'user') then
    message.info('this is no prompt of yours: go to one and press the key again')
  elseif not chat.opened or block.sealed or not status or status.state == 'saved' then
    message.warn('the agent does not know this prompt any more: nothing can go on from it')
  elseif not status.can.fork then
    local name = chat.agent.title or chat.agent.name
    message.warn(
      ("%s can't fork a session: copy the text, and send it as a new prompt"):format(name)
    )
  else
    require('acp.chat').fork(chat, { block = block.id })
  end
end

--- What `<CR>` does: the most urgent thing that the line offers.
--- @param chat acp.Chat
local function act(chat)
  local block, row = here(chat)
  local number = vim.v.count
  if block and block.question then
    require('acp.ui.permission').ask(chat.session)
  elseif block and (actions.at(block, row) or block.actions and block.kind ~= 'turn') then
    actions.choose(chat, block, number)
  elseif block and block.kind == 'turn' then
    require('acp.ui.review').open('session')
  elseif not open_path(chat) and block and block.foldable then
    about_block(chat, 'block.fold')
  end
end

--- @param chat acp.Chat
function M.map(chat)
  local transcript = chat.transcript
  local api = require('acp.chat')
  --- A function with its arguments, called by a key.
  local function bind(fn, ...)
    local args = vim.F.pack_len(...)
    return function()
      fn(vim.F.unpack_len(args))
    end
  end
  local function walk(step)
    return function()
      motions.walk(transcript, step, vim.v.count1)
    end
  end
  keys.map('transcript', chat.buf, {
    next_block = { { 'n', 'x', 'o' }, walk(1) },
    prev_block = { { 'n', 'x', 'o' }, walk(-1) },
    inner_block = { { 'x', 'o' }, bind(motions.select, transcript, true) },
    a_block = { { 'x', 'o' }, bind(motions.select, transcript, false) },
    yank_code = { 'n', bind(motions.yank_code, transcript) },
    open = { 'n', bind(act, chat) },
    edit = { 'n', bind(edit, chat) },
    file = {
      'n',
      function()
        if not open_path(chat) then
          require('acp.message').info('no path here')
        end
      end,
    },
    fold = { 'n', bind(about_block, chat, 'block.fold') },
    unfold_all = { 'n', bind(fold_all, chat, true) },
    fold_all = { 'n', bind(fold_all, chat, false) },
    details = { 'n', bind(about_block, chat, 'block.inspect') },
    diff = { 'n', bind(about_block, chat, 'block.diff') },
    prompt = {
      'n',
      function()
        require('acp.ui.prompt').focus(chat, true)
      end,
    },
    cancel = { 'n', bind(api.cancel, chat) },
    cancel_subagent = { 'n', bind(about_block, chat, 'subagent.cancel') },
    permission = {
      'n',
      function()
        require('acp.ui.permission').ask(chat.session)
      end,
    },
    hide = { 'n', bind(api.hide, chat) },
    help = { 'n', bind(keys.help, 'transcript') },
  })
end

return M
