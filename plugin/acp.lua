--- Commands and `<Plug>` maps. Nothing else is loaded before one of them is used.
if vim.g.loaded_acp then
  return
end
vim.g.loaded_acp = true

--- Name → attributes; what they do stands in `lua/acp/command.lua`.
local commands = {
  AcpChat = {
    desc = 'Open a chat with a coding agent, or send it a prompt',
    nargs = '*',
    bang = true,
    range = true,
    complete = true,
  },
  AcpNew = {
    desc = 'Open a chat in a new session',
    nargs = '*',
    range = true,
    complete = true,
  },
  AcpAsk = {
    desc = 'Ask about these lines, and be answered beside them',
    nargs = '*',
    range = true,
  },
  AcpSessions = {
    desc = 'Choose a session: to open it, or to fork, rename, delete or close it',
    nargs = '?',
    bang = true,
    complete = true,
  },
  AcpFork = { desc = 'Go on in a session that begins like this one', nargs = '*' },
  AcpRename = { desc = 'Give the session another title', nargs = '*' },
  AcpClose = { desc = 'Close the session; it can be opened again' },
  AcpDelete = { desc = 'Delete the session for good' },
  AcpExport = {
    desc = 'Write the conversation as Markdown',
    nargs = '?',
    bang = true,
    complete = 'file',
  },
  AcpConfig = { desc = 'Set an option of the session', nargs = '*', complete = true },
  AcpModel = { desc = 'Set the model of the session', nargs = '*', complete = true },
  AcpEffort = { desc = 'Set how much the model thinks', nargs = '*', complete = true },
  AcpAdd = {
    desc = 'Attach something to the next prompt',
    nargs = '*',
    range = true,
    complete = true,
  },
  AcpRemove = { desc = 'Take an attachment away', nargs = '*', complete = true },
  AcpQueue = { desc = 'Edit the prompts that wait', nargs = '?', complete = true },
  AcpHistory = { desc = 'Choose one of the prompts before', nargs = '*' },
  AcpHide = { desc = 'Hide the chat; the session lives on' },
  AcpMode = { desc = 'Set the mode of the session', nargs = '*', complete = true },
  AcpLogin = { desc = 'Log in at the agent', nargs = '?', complete = true },
  AcpLogout = { desc = 'Log out at the agent' },
  AcpAddDir = { desc = 'Give the session another folder', nargs = 1, complete = 'dir' },
  AcpMcp = {
    desc = 'Show the MCP servers of the session, or decide about those of the project',
    nargs = '?',
    complete = true,
  },
  AcpTerminals = {
    desc = 'Choose a command that runs: to look at it, or to stop it',
    nargs = '?',
    complete = true,
  },
  AcpCancel = { desc = 'Cancel the running turn' },
  AcpPermission = { desc = 'Show the oldest open question' },
  AcpAllow = {
    desc = 'Allow what the agent asks for',
    nargs = '?',
    bang = true,
    complete = true,
  },
  AcpReject = { desc = 'Reject what the agent asks for', nargs = '*' },
  AcpReview = {
    desc = 'Review what the agent changed',
    nargs = '*',
    bang = true,
    complete = true,
  },
  AcpDiff = { desc = 'Show what the agent changed as a plain diff', nargs = '?', complete = true },
  AcpUndo = { desc = 'Take back a whole turn', bang = true },
  AcpFollow = { desc = 'Let this window go where the agent works' },
  AcpRestart = { desc = 'Start the agent of the chat anew' },
  AcpLog = { desc = 'Open the wire log of the agent' },
}

for name, attributes in pairs(commands) do
  local opts = vim.tbl_extend('force', { nargs = 0 }, attributes)
  if opts.complete == true then
    opts.complete = function(...)
      return require('acp.command').complete(name, ...)
    end
  end
  vim.api.nvim_create_user_command(name, function(args)
    require('acp.command').run(name, args)
  end, opts)
end

local function map(mode, name, rhs, desc)
  vim.keymap.set(mode, ('<Plug>(acp-%s)'):format(name), rhs, { desc = 'acp: ' .. desc })
end

map('n', 'chat', '<Cmd>AcpChat<CR>', 'open the chat')
map('x', 'chat', ':AcpChat<CR>', 'open the chat with the selected lines')
map('n', 'new', '<Cmd>AcpChat!<CR>', 'open a chat in a new session')
map('n', 'hide', '<Cmd>AcpHide<CR>', 'hide the chat')
map('n', 'sessions', '<Cmd>AcpSessions<CR>', 'choose a session')
map('n', 'fork', '<Cmd>AcpFork<CR>', 'go on in a session that begins like this one')
map('n', 'config', '<Cmd>AcpConfig<CR>', 'set an option of the session')
map('n', 'model', '<Cmd>AcpModel<CR>', 'choose the model')
map('n', 'effort', '<Cmd>AcpEffort<CR>', 'choose how much the model thinks')
map('n', 'add', '<Cmd>AcpAdd<CR>', 'attach something to the next prompt')
map('x', 'add', ':AcpAdd selection<CR>', 'attach the selected lines to the next prompt')
for name, what in pairs({
  buffer = 'the buffer',
  file = 'a file',
  symbol = 'the symbol at the cursor',
  diagnostics = 'the diagnostics of the buffer',
  quickfix = 'the quickfix list',
  diff = 'the changes that git knows of',
  terminal = 'the output of a terminal',
  image = 'the image in the clipboard',
}) do
  map('n', 'add-' .. name, ('<Cmd>AcpAdd %s<CR>'):format(name), ('attach %s'):format(what))
end
map('n', 'queue', '<Cmd>AcpQueue<CR>', 'edit the prompts that wait')
map('n', 'history', '<Cmd>AcpHistory<CR>', 'choose one of the prompts before')
map('x', 'ask', ':AcpAsk ', 'ask about the selected lines')
map('n', 'mode', '<Cmd>AcpMode<CR>', 'choose the mode')
map('n', 'cancel', '<Cmd>AcpCancel<CR>', 'cancel the running turn')
map('n', 'permission', '<Cmd>AcpPermission<CR>', 'answer the oldest open question')
map('n', 'allow', '<Cmd>AcpAllow<CR>', 'allow what the agent asks for')
map('n', 'reject', '<Cmd>AcpReject<CR>', 'reject what the agent asks for')
map('n', 'review', '<Cmd>AcpReview<CR>', 'review what the agent changed')
map('n', 'undo', '<Cmd>AcpUndo<CR>', 'take back the last turn')
map('n', 'follow', '<Cmd>AcpFollow<CR>', 'let this window go where the agent works')

vim.api.nvim_create_autocmd('SessionLoadPost', {
  group = vim.api.nvim_create_augroup('acp.plugin', {}),
  desc = 'acp: a session file has no chats',
  callback = function()
    require('acp.ui.session_file').after()
  end,
})
