--- Completion as a language server inside of Neovim, so that whatever shows completions shows ours.
local files = require('acp.complete.files')
local items = require('acp.complete.items')
local place = require('acp.complete.place')

local M = {}

local NAME = 'acp'

local ErrorCodes = vim.lsp.protocol.ErrorCodes

local CAPABILITIES = {
  positionEncoding = 'utf-8',
  completionProvider = {
    -- With `.` a menu stays that has an ending of a file typed to it; `:` is that of `@symbol:`.
    triggerCharacters = { '/', '@', '$', '.', ':' },
    resolveProvider = false,
  },
}

--- @param at acp.Place
--- @param character integer of the cursor
--- @param found acp.Item[]
--- @return table `CompletionList`
local function list(at, character, found)
  local range = {
    start = { line = at.row, character = at.start },
    ['end'] = { line = at.row, character = character },
  }
  local entries = {}
  for i, item in ipairs(found) do
    local begins = vim.startswith(item.text:lower(), at.typed:lower())
    local about = item.about and require('acp.complete.menu').short(item.about)
    entries[i] = {
      label = item.label or item.text,
      labelDetails = (item.hint or about) and {
        detail = item.hint and ' ' .. item.hint,
        description = about,
      } or nil,
      kind = item.kind,
      detail = item.hint,
      documentation = item.about and { kind = 'plaintext', value = item.about } or nil,
      textEdit = { range = range, newText = item.text },
      insertTextFormat = 1,
      sortText = ('%04d'):format(i),
      -- Clients filter again, some by how a name begins: what we have found has matched.
      filterText = begins and item.text or at.typed .. item.text,
      -- To blink.cmp: what is in `/` of the file system comes behind the commands.
      score_offset = 10,
    }
  end
  return { isIncomplete = at.kind == 'mention', items = entries }
end

--- @param chat acp.Chat
--- @param params table of `textDocument/completion`
--- @param done fun(result: table?)
local function complete(chat, params, done)
  local position = params.position
  local buf = chat.prompt_buf
  local valid = vim.api.nvim_buf_is_loaded(buf)
  local line = valid and vim.api.nvim_buf_get_lines(buf, position.line, position.line + 1, false)[1]
  local at = line and place.at(chat, line:sub(1, position.character), position.line)
  local function answer(paths)
    done(at and list(at, position.character, items.at(chat, at, paths)) or nil)
  end
  if not (at and at.kind == 'mention') then
    return answer({})
  end
  files.find(chat, at.query, function(paths)
    answer(paths or files.known(chat, at.query) or {})
  end)
end

--- @param chat acp.Chat
--- @param dispatchers vim.lsp.rpc.Dispatchers
--- @return vim.lsp.rpc.PublicClient
local function serve(chat, dispatchers)
  local closing = false
  local count = 0
  --- @type table<integer, fun(err?: table, result?: any)>
  local pending = {}

  local function stop()
    if not closing then
      closing = true
      dispatchers.on_exit(0, 0)
    end
  end

  --- Answers a request once, later on: clients count on not being answered before they know its id.
  local function answer(id, err, result)
    local callback = pending[id]
    pending[id] = nil
    if callback then
      callback(err, result)
    end
  end

  local handlers = {
    ['textDocument/completion'] = function(id, params)
      complete(chat, params, function(result)
        answer(id, nil, result or { isIncomplete = false, items = {} })
      end)
    end,
    shutdown = function(id)
      answer(id, nil, vim.NIL)
    end,
  }

  return {
    request = function(method, params, callback, on_replied)
      if closing then
        return false, nil
      end
      count = count + 1
      local id = count
      if method == 'initialize' then
        callback(nil, { capabilities = CAPABILITIES, serverInfo = { name = NAME } })
        return true, id
      end
      pending[id] = function(err, result)
        if on_replied then
          on_replied(id)
        end
        -- As with other servers: who cancels a request hears of it no more.
        if not (err and err.code == ErrorCodes.RequestCancelled) then
          callback(err, result)
        end
      end
      vim.schedule(function()
        if not pending[id] then
          return
        end
        local handler = handlers[method]
        if handler then
          return handler(id, params)
        end
        local code = ErrorCodes.MethodNotFound
        answer(id, { code = code, message = ('acp: %s is not there'):format(method) })
      end)
      return true, id
    end,
    notify = function(method, params)
      if closing then
        return false
      elseif method == 'exit' then
        stop()
      elseif method == '$/cancelRequest' then
        answer(params.id, { code = ErrorCodes.RequestCancelled, message = 'cancelled' })
      end
      return true
    end,
    is_closing = function()
      return closing
    end,
    terminate = stop,
  }
end

--- Starts it for the prompt of a chat; it ends with the buffer.
--- @param chat acp.Chat
function M.start(chat)
  local buf = chat.prompt_buf
  local id = vim.lsp.start({
    name = NAME,
    cmd = function(dispatchers)
      return serve(chat, dispatchers)
    end,
    root_dir = chat.cwd,
  }, {
    bufnr = buf,
    reuse_client = function()
      return false
    end,
  })
  if not id then
    return
  end
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buf,
    desc = 'acp: the server of a prompt ends with it',
    callback = vim.schedule_wrap(function()
      local client = vim.lsp.get_client_by_id(id)
      if client and not vim.api.nvim_buf_is_loaded(buf) then
        require('acp.compat').stop_client(client)
      elseif client then
        -- It was loaded anew, by |:edit|.
        vim.lsp.buf_attach_client(buf, id)
      end
    end),
  })
end

return M
