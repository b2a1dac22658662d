--- Follows how wide chats are, for which the sidecar renders, and when they come into sight, where glyphs turn.
local layout = require('acp.ui.layout')
local rpc = require('acp.rpc')

local M = {}

--- Milliseconds for which a width must last.
local DELAY = 80

local timer --- @type uv.uv_timer_t? lives as long as Neovim

--- Tells the sidecar the width of chats whose windows have another one now.
local function tell_widths()
  for _, chat in ipairs(require('acp.chat').list()) do
    local columns = layout.columns(chat)
    if columns and columns ~= chat.columns then
      chat.columns = columns
      chat.transcript:realign()
      if chat.opened then
        rpc.notify('view.resize', { session = chat.session, columns = columns })
      end
    end
  end
end

--- @param win integer
--- @return boolean
local function is_transcript(win)
  local buf = vim.api.nvim_win_get_buf(win)
  return vim.iter(require('acp.chat').list()):any(function(chat)
    return chat.buf == buf
  end)
end

local function wake()
  local chat = layout.shown()
  if chat then
    chat.transcript:wake()
    require('acp.ui.winbar').redraw(chat.session)
  end
end

--- Called when the first chat opens.
function M.setup()
  if timer then
    return
  end
  timer = assert(vim.uv.new_timer())
  local group = vim.api.nvim_create_augroup('acp.sight', {})
  vim.api.nvim_create_autocmd('WinResized', {
    group = group,
    desc = 'acp: transcripts are rendered for their width, and fill their windows',
    callback = function()
      for _, win in ipairs(vim.v.event.windows) do
        if require('acp.ui.panes').valid(win) and is_transcript(win) then
          require('acp.ui.follow').fill(win)
        end
      end
      timer:start(DELAY, 0, vim.schedule_wrap(tell_widths))
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufWinEnter', 'TabEnter' }, {
    group = group,
    desc = 'acp: what stood still out of sight turns again',
    callback = function(args)
      if args.event == 'TabEnter' or vim.b[args.buf].acp_session then
        wake()
      end
    end,
  })
end

return M
