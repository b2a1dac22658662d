--- Says which questions wait for an answer, in one message that needs no key and takes none.
local M = {}

local list = require('acp.ui.permission_list')
local message = require('acp.message')
local text = require('acp.ui.permission_text')
local typing = require('acp.ui.typing')

--- Questions that come so soon after each other are told together.
local PAUSE_MS = 300

local untold = {} --- @type acp.OpenQuestion[]
local telling = false
local told_at = -PAUSE_MS --- milliseconds

local function tell()
  told_at = vim.uv.now()
  local waiting = vim.tbl_filter(list.is_open, untold)
  untold = {}
  local last = waiting[#waiting]
  if not last then
    return
  end
  local asks = text.asks(text.agent(last.session), last.question)
  local more = #list.open > 1 and (' (%d questions)'):format(#list.open) or ''
  if not typing.bars_messages() then
    list.show(last)
    message.warn(text.fit(asks, more .. ' · :AcpPermission'))
  end
  -- It is told behind what hides it.
  if typing.hides_messages() then
    untold = waiting
    vim.api.nvim_create_autocmd('ModeChanged', {
      group = vim.api.nvim_create_augroup('acp.permission', {}),
      pattern = '*:n*',
      once = true,
      callback = vim.schedule_wrap(tell),
    })
  end
end

--- @param entry acp.OpenQuestion
function M.announce(entry)
  table.insert(untold, entry)
  if not telling then
    telling = true
    vim.defer_fn(function()
      telling = false
      tell()
    end, math.max(told_at + PAUSE_MS - vim.uv.now(), 0))
  end
end

return M
