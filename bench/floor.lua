--- The floor: the least that any client in Neovim could do. It starts the agent, splits its output into lines,
--- decodes them, and appends their text to a buffer with a 16 ms timer. No decoration, no model, no checks.
local M = {}

local FRAME_MS = 16
local WIDTH = 50

--- @param command string[]
function M.open(command)
  vim.cmd(('botright %dvnew'):format(WIDTH))
  vim.bo.buftype = 'nofile'
  vim.wo.linebreak = true
  local buf, win = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  local pending = {} --- @type string[]
  local partial = {} --- @type string[]
  local timer = assert(vim.uv.new_timer())
  local waiting = false

  local function append()
    waiting = false
    local lines = vim.split(table.concat(pending), '\n', { plain = true })
    pending = {}
    local row = vim.api.nvim_buf_line_count(buf) - 1
    local col = #vim.api.nvim_buf_get_lines(buf, row, row + 1, true)[1]
    vim.api.nvim_buf_set_text(buf, row, col, row, col, lines)
    vim.api.nvim_win_set_cursor(win, { row + #lines, 0 })
  end

  local function take(text)
    table.insert(pending, text)
    if not waiting then
      waiting = true
      timer:start(FRAME_MS, 0, vim.schedule_wrap(append))
    end
  end

  local function receive(line)
    local message = vim.json.decode(line)
    local update = message.method == 'session/update' and message.params.update or {}
    if update.sessionUpdate == 'agent_message_chunk' then
      take(update.content.text)
    elseif update.sessionUpdate == 'tool_call_update' then
      take(update.content[1].content.text)
    end
  end

  M.job = vim.fn.jobstart(command, {
    on_stdout = function(_, data)
      table.insert(partial, data[1])
      for n = 2, #data do
        receive(table.concat(partial))
        partial = { data[n] }
      end
    end,
  })
  M.request('initialize', { protocolVersion = 1, clientCapabilities = vim.empty_dict() })
  M.request('session/new', { cwd = vim.fn.getcwd(), mcpServers = {} })
end

local id = 0

--- @param method string
--- @param params table
function M.request(method, params)
  id = id + 1
  local message = { jsonrpc = '2.0', id = id, method = method, params = params }
  vim.fn.chansend(M.job, vim.json.encode(message) .. '\n')
end

--- @param text string
function M.prompt(text)
  M.request('session/prompt', { sessionId = 'flood', prompt = { { type = 'text', text = text } } })
end

return M
