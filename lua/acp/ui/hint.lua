--- What stands in a transcript while it is empty: |acp-sessions|.
local state = require('acp.state')

local M = {}

local ID = 'hint'

--- @param chat acp.Chat
function M.clear(chat)
  if chat.transcript:range(ID) then
    chat.transcript:apply({ { op = 'del', id = ID } })
  end
end

--- @param chat acp.Chat
--- @param hint string
local function show(chat, hint)
  local line = hint:gsub('[\r\n]', ' ')
  chat.transcript:apply({
    {
      op = 'put',
      id = ID,
      kind = 'notice',
      lines = { line },
      marks = { { 0, 0, #line, 'AcpNoticeInfo' } },
    },
  })
end

state.on_change(function(session, fields)
  local chat = fields.hint and require('acp.chat').get(session)
  local status = state.get(session)
  if chat and status then
    M.clear(chat)
    if status.hint then
      show(chat, status.hint)
    end
  end
end)

return M
