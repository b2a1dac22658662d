--- Unsaved buffers: an agent that reads the disk does not see them.
local buffers = require('acp.buffers')
local disk = require('acp.disk')
local message = require('acp.message')
local reading = require('acp.reading')
local sync = require('acp.sync')

local M = {}

local api = vim.api

--- Names that a question holds at most.
local MAX_NAMES = 4

--- The folders that the agent of a chat works in.
--- @param chat acp.Chat
--- @return string[] roots real
function M.roots(chat)
  local roots = { chat.cwd }
  vim.list_extend(roots, chat.agent.roots or {})
  vim.list_extend(roots, require('acp.dirs').of(chat))
  return vim.tbl_map(disk.real_path, roots)
end

--- @class (exact) acp.Unsaved
--- @field buf integer
--- @field path string real

--- @param roots string[] real
--- @return acp.Unsaved[]
local function find(roots)
  local found = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and vim.bo[buf].modified and disk.is_file(buf) then
      local path = disk.real_path(api.nvim_buf_get_name(buf))
      if disk.is_below(path, roots) then
        found[#found + 1] = { buf = buf, path = path }
      end
    end
  end
  return found
end

--- Modified buffers of files below `roots`, and their texts.
--- @param roots string[] absolute, real
--- @return { path: string, text: string }[]
function M.under(roots)
  return vim.tbl_map(function(unsaved)
    local text = reading.by_bytes(buffers.text(unsaved.buf), vim.bo[unsaved.buf].fileencoding)
    return { path = unsaved.path, text = text }
  end, find(roots))
end

--- `2 unsaved buffers: a.lua, b.lua`
--- @param found acp.Unsaved[]
--- @param cwd string
--- @return string
local function described(found, cwd)
  local root = disk.real_path(cwd) .. '/'
  local names = vim.tbl_map(function(unsaved)
    local path = unsaved.path
    return vim.startswith(path, root) and path:sub(#root + 1) or vim.fn.fnamemodify(path, ':~')
  end, vim.list_slice(found, 1, MAX_NAMES))
  local more = #found > MAX_NAMES and (' and %d more'):format(#found - MAX_NAMES) or ''
  local count = #found == 1 and '1 unsaved buffer' or ('%d unsaved buffers'):format(#found)
  return ('%s: %s%s'):format(count, table.concat(names, ', '), more)
end

--- Saves as the user would, without a question.
--- @param found acp.Unsaved[]
--- @return string? fault
local function write(found)
  for _, unsaved in ipairs(found) do
    local buf = unsaved.buf
    local name = vim.fn.fnamemodify(unsaved.path, ':~:.')
    if sync.sync(buf) then
      return ('%s was changed on disk: :AcpPermission decides'):format(name)
    end
    local ok, fault = pcall(api.nvim_buf_call, buf, function()
      vim.cmd('silent write')
    end)
    local still = api.nvim_buf_is_loaded(buf) and vim.bo[buf].modified
    if still then
      return ('%s: %s'):format(name, ok and 'it is still unsaved' or message.reason(fault))
    elseif not ok then
      message.warn(message.reason(fault))
    end
  end
end

--- @param found acp.Unsaved[]
--- @return acp.TextAttachment[]
local function attachments(found)
  return vim.tbl_map(function(unsaved)
    return require('acp.context').buffer(unsaved.buf)
  end, found)
end

--- @class (exact) acp.UnsavedChoice
--- @field way 'write'|'attach'|'send'
--- @field label string
--- @field always? true

local ways = {
  { way = 'write', label = 'Write them' },
  { way = 'attach', label = 'Attach their text' },
  { way = 'send', label = 'Send anyway' },
}

--- @return acp.UnsavedChoice[]
local function choices()
  local all = vim.list_slice(ways)
  for _, choice in ipairs(ways) do
    local label = choice.label .. ', from now on in this project'
    all[#all + 1] = { way = choice.way, label = label, always = true }
  end
  return all
end

--- What was said once for all.
--- @param chat acp.Chat
--- @return 'write'|'attach'|'send'|nil
local function settled(chat)
  local option = require('acp.config').get().unsaved
  if option ~= 'ask' then
    return option
  end
  local kept = require('acp.projects').get(chat.cwd, 'unsaved')
  return vim.iter(ways):any(function(choice)
    return choice.way == kept
  end) and kept or nil
end

--- Whether the text is a command of the agent's and nothing else. Text behind it would be taken for its arguments.
--- @param chat acp.Chat
--- @param text string
--- @return boolean
local function is_command(chat, text)
  local name = vim.trim(text):match('^/(%S+)$')
  local status = require('acp.state').get(chat.session)
  return name ~= nil
    and vim.iter(status and status.commands or {}):any(function(command)
      return command.name == name
    end)
end

--- @param found acp.Unsaved[]
--- @param way 'write'|'attach'|'send'
--- @param send fun(attachments: acp.Attachment[])
local function follow(found, way, send)
  found = vim.tbl_filter(function(unsaved)
    return api.nvim_buf_is_loaded(unsaved.buf) and vim.bo[unsaved.buf].modified
  end, found)
  local fault = way == 'write' and write(found)
  if fault then
    return message.warn('not sent: ' .. fault)
  end
  send(way == 'attach' and attachments(found) or {})
end

--- Settles what becomes of unsaved buffers, and then sends; or does not where the user chooses nothing, or a buffer
--- cannot be written. Some selects never tell that they were closed.
--- @param chat acp.Chat
--- @param text string that is about to be sent
--- @param send fun(attachments: acp.Attachment[])
function M.settle(chat, text, send)
  local found = find(M.roots(chat))
  if #found == 0 then
    return send({})
  end
  local way = settled(chat)
  if is_command(chat, text) and way ~= 'write' then
    if way ~= 'send' then
      message.info(('the agent does not see %s'):format(described(found, chat.cwd)))
    end
    return send({})
  elseif way then
    return follow(found, way, send)
  end
  require('acp.ui.choose').one(choices(), {
    prompt = ('The agent does not see %s'):format(described(found, chat.cwd)),
    kind = 'acp.unsaved',
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if not choice then
      return
    end
    if choice.always then
      require('acp.projects').set(chat.cwd, 'unsaved', choice.way)
    end
    follow(found, choice.way, send)
  end)
end

return M
