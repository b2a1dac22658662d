--- The door to the sidecar: what it may call in, and how Lua calls out.
---
--- Calls in are requests, calls out are notifications: nothing here ever waits for Node.
local lock = require('acp.lock')

local M = {}

--- Method → handler. The same list as `ToEditor` in `src/nvim/to-editor.ts`; a test compares them.
--- @type table<string, fun(params: table): any>
M.handlers = {
  frame = function(params)
    require('acp.incoming').frame(params)
  end,
  ['question.opened'] = function(params)
    require('acp.ui.permission').opened(params)
  end,
  ['form.faults'] = function(params)
    require('acp.ui.form').faults(params)
  end,
  ['question.closed'] = function(params)
    require('acp.ui.permission').closed(params)
  end,
  ['login.choose'] = function(params)
    require('acp.ui.login').choose(params)
  end,
  ['login.terminal'] = function(params)
    require('acp.ui.login_terminal').open(params)
  end,
  ['login.state'] = function(params)
    require('acp.ui.login').state(params)
  end,
  ['terminal.show'] = function(params)
    require('acp.ui.terminal').show(params)
  end,
  ['terminal.data'] = function(params)
    require('acp.ui.terminal').data(params)
  end,
  ['diff.show'] = function(params)
    require('acp.ui.diff').show(params)
  end,
  ['detail.show'] = function(params)
    require('acp.ui.detail').show(params)
  end,
  ['agent.spec'] = function(params)
    local agent, err = require('acp.agents').resolve(params.name, params.cwd)
    return { agent = agent, error = err }
  end,
  ['buffer.read'] = function(params)
    return require('acp.buffers').read(params)
  end,
  ['buffer.write'] = function(params)
    return require('acp.buffers').write(params)
  end,
  ['buffers.unsaved'] = function(params)
    return require('acp.unsaved').under(params.roots)
  end,
  ['buffers.check'] = function()
    require('acp.watch').check()
  end,
  ['buffer.resolve'] = function(params)
    return require('acp.conflict').resolve(params)
  end,
  ['file.changed'] = function(params)
    require('acp.events').file_changed(params)
  end,
  ['turn.started'] = function(params)
    require('acp.events').turn_started(params)
  end,
  ['turn.ended'] = function(params)
    require('acp.events').turn_ended(params)
  end,
  ['review.show'] = function(params)
    require('acp.ui.review').show(params.review)
  end,
  ['review.text'] = function(params)
    require('acp.ui.review_text').show(params)
  end,
  ['undo.ask'] = function(params)
    require('acp.ui.undo').ask(params)
  end,
  notify = function(params)
    require('acp.message').notify(params.level, params.message)
  end,
  ['prompt.taken'] = function(params)
    require('acp.sending').taken(params)
  end,
  ['prompt.restore'] = function(params)
    require('acp.incoming').restore_prompt(params)
  end,
  ['draft.restore'] = function(params)
    require('acp.draft').restored(params)
  end,
  ['sessions.show'] = function(params)
    require('acp.ui.sessions').show(params)
  end,
  ['mcp.decide'] = function(params)
    return require('acp.mcp').decide(params)
  end,
  ['session.markdown'] = function(params)
    require('acp.ui.export').show(params)
  end,
  ['files.found'] = function(params)
    require('acp.complete.files').found(params)
  end,
}

--- `vim.NIL` becomes nil here and nowhere else. Frames hold none (`Frame` in `status.ts`) and are not walked:
--- they are large and come often.
local function without_nil(value)
  if value == vim.NIL then
    return nil
  end
  if type(value) == 'table' then
    for key, item in pairs(value) do
      if item == vim.NIL then
        value[key] = nil
      elseif type(item) == 'table' then
        without_nil(item)
      end
    end
  end
  return value
end

--- Answers a call that Neovim cannot take now: the sidecar calls again.
M.LOCKED = 'locked'

--- Entry point of the sidecar. An error becomes the error of its request, with the method's name.
--- @param method string
--- @param params table
--- @return any
function M.call(method, params)
  if lock.held() then
    return M.LOCKED
  end
  local handler = M.handlers[method]
  if not handler then
    error(('acp.rpc: no handler for %q'):format(method), 0)
  end
  local ok, result =
    xpcall(handler, debug.traceback, method == 'frame' and params or without_nil(params))
  if not ok then
    error(('acp.rpc: %s: %s'):format(method, result), 0)
  end
  return result
end

--- Sends a notification to the sidecar. Where it does not run there is nothing to tell it: what starts it is the
--- opening of a session. Its channel is closed a moment before Neovim says that it has ended.
--- @param method string a method of `ToSidecar` in `src/nvim/to-sidecar.ts`
--- @param params table
function M.notify(method, params)
  local sidecar = require('acp.sidecar')
  if not sidecar.running() then
    return
  end
  local ok, fault = pcall(vim.rpcnotify, sidecar.channel(), method, params)
  if not ok and not tostring(fault):find('Invalid channel', 1, true) then
    error(fault, 0)
  end
end

return M
