--- Further folders of a session, beside its own.
local disk = require('acp.disk')
local message = require('acp.message')
local rpc = require('acp.rpc')
local state = require('acp.state')

local M = {}

--- @param path string
--- @param cwd string
--- @return string real, without a slash at the end
local function absolute(path, cwd)
  local full = vim.fs.normalize(path)
  full = full:sub(1, 1) == '/' and full or vim.fs.joinpath(cwd, full)
  local real = disk.real_path(vim.fs.normalize(full, { expand_env = false }))
  return real == '/' and real or (real:gsub('/+$', ''))
end

--- @param path string real
--- @param cwd string
--- @return boolean
local function is_inside(path, cwd)
  local real = disk.real_path(cwd)
  return path == real or disk.is_below(path, { real })
end

--- The folders of a session: those of the options for its agent and folder, and those that were added.
--- @param chat { session: string, agent: { name: string }, cwd: string, dirs?: string[] }
--- @return string[]
function M.of(chat)
  local config = require('acp.config').get()
  local named = vim.list_slice((config.agents[chat.agent.name] or {}).directories or {})
  for _, project in ipairs(require('acp.defaults').projects(chat.cwd)) do
    vim.list_extend(named, project.directories or {})
  end
  local status = state.get(chat.session)
  vim.list_extend(named, status and status.dirs or {})
  vim.list_extend(named, chat.dirs or {})
  local dirs, seen = {}, {}
  for _, name in ipairs(named) do
    local path = absolute(name, chat.cwd)
    if not seen[path] and not is_inside(path, chat.cwd) then
      dirs[#dirs + 1] = path
    end
    seen[path] = true
  end
  return dirs
end

--- What is known of the further folders here, a line each.
--- @param cwd string
--- @return { text: string, ok: boolean }[]
function M.report(cwd)
  local lines = {}
  --- @param who string
  --- @param chat { session: string, agent: { name: string }, cwd: string, dirs?: string[] }
  local function add(who, chat)
    for _, dir in ipairs(M.of(chat)) do
      local there = vim.fn.isdirectory(dir) == 1
      local text = ('%s: %s%s'):format(who, dir, there and '' or ', which is not there')
      lines[#lines + 1] = { text = text, ok = there }
    end
  end
  for _, name in ipairs(require('acp.agents').configured()) do
    add(name, { session = '', agent = { name = name }, cwd = cwd })
  end
  for _, chat in ipairs(require('acp.chat').list()) do
    if chat.dirs then
      add(vim.api.nvim_buf_get_name(chat.buf), chat)
    end
  end
  return lines
end

--- The folder that was meant: completion writes blanks with a backslash before them.
--- @param name string
--- @param cwd string
--- @return string? real
local function existing(name, cwd)
  for _, path in ipairs({ absolute(name, cwd), absolute(name:gsub('\\(.)', '%1'), cwd) }) do
    local stat = vim.uv.fs_stat(path)
    if stat and stat.type == 'directory' then
      return path
    end
  end
end

--- Gives the session of a chat another folder.
--- @param chat acp.Chat
--- @param name string as it was typed: `~`, or relative to the folder of the session
function M.add(chat, name)
  name = vim.trim(name)
  local path = existing(name, chat.cwd)
  local shown = vim.fn.fnamemodify(path or name, ':~')
  if not path then
    return message.warn(('there is no folder %s'):format(shown))
  elseif is_inside(path, chat.cwd) then
    return message.info(('%s is in the folder of the session already'):format(shown))
  end
  local dirs = M.of(chat)
  if vim.list_contains(dirs, path) then
    return message.info(('%s is a folder of the session already'):format(shown))
  end
  chat.dirs = vim.list_extend(chat.dirs or {}, { path })
  local status = state.get(chat.session)
  local busy = status and (status.state == 'working' or status.state == 'waiting')
  message.info(
    ('%s is a folder of the session%s'):format(shown, busy and ' after this turn' or ' now')
  )
  if chat.opened then
    dirs[#dirs + 1] = path
    rpc.notify('session.dirs', { session = chat.session, dirs = dirs })
  end
end

return M
