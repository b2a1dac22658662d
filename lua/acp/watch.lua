--- Notices that files of loaded buffers were changed on disk: by the folders they are in, while there is a chat.
local disk = require('acp.disk')
local lock = require('acp.lock')
local message = require('acp.message')
local sync = require('acp.sync')

local M = {}

local api = vim.api

--- Folders that are watched at most; the files of others are looked at after each tool call.
local MAX_FOLDERS = 256
--- A file is looked at when nothing has happened to it for so long …
local QUIET_MS = 30
--- … or when so much has.
local MAX_EVENTS = 10

--- @class acp.Watch
--- @field handle uv.uv_fs_event_t
--- @field names table<string, true> the files that count
--- @field identity string of the folder: another one of the same name is not watched by it
--- @field stale? true something happened to the folder itself

local folders = {} --- @type table<string, acp.Watch>
local timer --- @type uv.uv_timer_t?
local events = 0
local group --- @type integer?

--- @param folder string
local function close(folder)
  local watch = folders[folder]
  folders[folder] = nil
  if watch and not watch.handle:is_closing() then
    watch.handle:close()
  end
end

--- Looks when it is quiet.
local function look_soon()
  if not timer then
    return
  end
  events = events + 1
  if events == 1 or events < MAX_EVENTS then
    timer:start(
      QUIET_MS,
      0,
      vim.schedule_wrap(function()
        events = 0
        M.check()
      end)
    )
  end
end

--- @param folder string
--- @return string? identity nil when there is no such folder
local function identity(folder)
  local stat = vim.uv.fs_stat(folder)
  return stat and ('%d:%d'):format(stat.dev, stat.ino)
end

--- @param folder string
--- @param watch acp.Watch
--- @return boolean
local function is_lost(folder, watch)
  return watch.stale or identity(folder) ~= watch.identity
end

--- A folder that cannot be watched is none: its files are looked at after each tool call.
--- @param folder string
local function open(folder)
  local id = identity(folder)
  local handle = id and vim.uv.new_fs_event()
  if not (id and handle) then
    return
  end
  local watch = { handle = handle, identity = id, names = {} }
  local own = vim.fs.basename(folder)
  local started = handle:start(folder, {}, function(_, name)
    -- One that is made anew may get the number of the old one.
    watch.stale = watch.stale or name == own or nil
    if not name or watch.names[name] or watch.stale then
      look_soon()
    end
  end)
  if started then
    folders[folder] = watch
    -- What has happened since its files were read.
    look_soon()
  else
    handle:close()
  end
end

--- Watches the folders of loaded buffers and no others.
local function follow()
  local wanted, count = {}, 0
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and disk.is_file(buf) then
      local path = disk.real_path(api.nvim_buf_get_name(buf))
      local folder = vim.fs.dirname(path)
      if not wanted[folder] and count < MAX_FOLDERS then
        wanted[folder], count = {}, count + 1
      end
      if wanted[folder] then
        wanted[folder][vim.fs.basename(path)] = true
      end
    end
  end
  for folder, watch in pairs(folders) do
    if not wanted[folder] or is_lost(folder, watch) then
      close(folder)
    end
  end
  for folder, names in pairs(wanted) do
    if not folders[folder] then
      open(folder)
    end
    if folders[folder] then
      folders[folder].names = names
    end
  end
end

--- Looks at the files of all loaded buffers: an unmodified buffer is read anew where its file was changed, a modified
--- one is a conflict.
function M.check()
  if lock.held() then
    return look_soon()
  end
  for _, buf in ipairs(api.nvim_list_bufs()) do
    message.guard(sync.sync, buf, true)
  end
  -- A folder may have been deleted, and made anew.
  if vim.iter(folders):any(is_lost) then
    follow()
  end
end

--- Watches from now on, and keeps Neovim from asking where it notices a change first.
function M.start()
  if timer then
    return
  end
  timer = assert(vim.uv.new_timer())
  group = api.nvim_create_augroup('acp.watch', {})
  local follow_soon = vim.schedule_wrap(function()
    if timer then
      follow()
    end
  end)
  api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufFilePost', 'BufUnload' }, {
    group = group,
    desc = 'acp: watch the folders of loaded buffers',
    callback = follow_soon,
  })
  api.nvim_create_autocmd('FileChangedShell', {
    group = group,
    desc = 'acp: no question about a changed file',
    callback = function(args)
      if sync.is_ours(args.buf) then
        api.nvim_set_vvar('fcs_choice', '')
        look_soon()
      end
    end,
  })
  api.nvim_create_autocmd('FocusGained', {
    group = group,
    desc = 'acp: look before Neovim does',
    callback = M.check,
  })
  api.nvim_create_autocmd('VimLeavePre', {
    group = group,
    desc = 'acp: watch nothing any more',
    callback = M.stop,
  })
  require('acp.saved').watch(group)
  M.check()
  follow()
end

--- There is no chat any more.
function M.stop()
  if not timer then
    return
  end
  timer:close()
  timer, events = nil, 0
  api.nvim_del_augroup_by_id(group)
  for folder in pairs(folders) do
    close(folder)
  end
end

--- The folders that are watched.
--- @return string[]
function M.folders()
  local names = vim.tbl_keys(folders)
  table.sort(names)
  return names
end

return M
