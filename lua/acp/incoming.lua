--- What the sidecar sends to chats, and what becomes of them when it is gone.
local chats = require('acp.chat')
local message = require('acp.message')
local state = require('acp.state')

local M = {}

local reported = false

--- A fault in an operation is one of ours: it is logged, told once, and told to the sidecar as the frame's error.
--- @param faults string[]
local function report(faults)
  local text = table.concat(faults, '\n')
  require('acp.log').write('error', text)
  if not reported then
    reported = true
    message.error('a part of the transcript could not be shown, see :checkhealth acp')
  end
  error(text, 0)
end

--- Takes a frame: operations and status of sessions.
--- @param params { frames: table[] } see `Frame` in `src/nvim/status.ts`
function M.frame(params)
  local faults = {} --- @type string[]
  for _, frame in ipairs(params.frames) do
    local chat = chats.get(frame.session)
    if chat then
      if frame.ops then
        if chat.stale then
          chat.stale = nil
          chat.transcript:reset()
        end
        vim.list_extend(faults, chat.transcript:apply(frame.ops))
      end
      state.apply(frame.session, frame.status, frame.cleared)
    end
  end
  -- Neovim draws by itself after a request, but not while a command line is open.
  if vim.api.nvim_get_mode().mode:sub(1, 1) == 'c' then
    vim.cmd.redraw()
  end
  if #faults > 0 then
    report(faults)
  end
end

--- A prompt came back.
--- @param params { session: string, text: string, attachments?: acp.Attachment[] }
function M.restore_prompt(params)
  local chat = chats.get(params.session)
  if chat and vim.api.nvim_buf_is_valid(chat.prompt_buf) then
    require('acp.ui.prompt').restore(chat, params.text, params.attachments)
    require('acp.draft').returned(chat)
  end
end

--- @param code? integer
--- @param stored boolean
--- @return table op
local function lost_notice(code, stored)
  local what = '✗ The sidecar ended' .. (code and (' with code %d'):format(code) or '')
  local next = stored and '  The next prompt starts it again.'
    or '  The next prompt starts a new session.'
  return {
    op = 'put',
    id = 'lost',
    kind = 'notice',
    lines = { '', what, next },
    marks = { { 1, 0, #what, 'AcpNoticeError' }, { 2, 0, #next, 'AcpNoticeInfo' } },
  }
end

--- The sidecar is gone: transcripts stay, and the next prompt starts it anew.
--- @param code? integer how it ended, where that is known
function M.sidecar_lost(code)
  for _, chat in ipairs(chats.list()) do
    local status = state.get(chat.session)
    if chat.opened and status then
      chat.opened = false
      local key = status.key or chat.key
      if key then
        -- What it had written is in the store, and so is what was not shown any more.
        chat.from, chat.fork, chat.before, chat.stale = key, nil, nil, true
      end
      for _, question in ipairs(status.questions) do
        local closed = { session = chat.session, question = question.id }
        require('acp.ui.permission').closed(closed)
      end
      require('acp.ui.diff').close(chat.session)
      require('acp.ui.terminal').lost(chat.session)
      require('acp.ui.hint').clear(chat)
      chat.transcript:seal()
      chat.transcript:apply({ lost_notice(code, chat.stale == true) })
      chat.transcript:seal()
      local gone = { 'since', 'mode', 'model', 'usage', 'log', 'hint' }
      local nothing =
        { state = 'dead', questions = {}, queue = {}, config = {}, limits = {}, terminals = {} }
      state.apply(chat.session, nothing, gone)
      require('acp.sending').again(chat)
    end
  end
end

return M
