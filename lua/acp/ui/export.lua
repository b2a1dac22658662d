--- The conversation as Markdown: in a buffer, or in a file.
local message = require('acp.message')
local rpc = require('acp.rpc')

local M = {}

local MODE = tonumber('644', 8)

--- Bytes of a title that make a file's name.
local MAX_NAME = 80

--- @class acp.ExportOpts
--- @field path? string a file; without one, a buffer that is not written
--- @field overwrite? boolean a file that is there is replaced

local asked = {} --- @type table<integer, acp.ExportOpts>
local last = 0

--- @param path string
--- @return string
local function shown(path)
  return vim.fn.fnamemodify(path, ':~:.')
end

--- @param path string absolute
--- @param overwrite? boolean
--- @return string? fault why nothing can be written there
local function refusal(path, overwrite)
  local folder = vim.fs.dirname(path)
  local stat = vim.uv.fs_stat(path)
  if stat and stat.type == 'directory' then
    return ('%s is a folder: name a file in it'):format(shown(path))
  elseif stat and stat.type ~= 'file' then
    return ('%s is no file, but a %s'):format(shown(path), stat.type) -- Neovim would wait for who reads a pipe.
  elseif stat and not overwrite then
    return ('%s exists: :AcpExport! replaces it'):format(shown(path))
  elseif not vim.uv.fs_stat(folder) then
    return ('there is no folder %s: make it first'):format(shown(folder))
  end
end

--- @param lines string[]
--- @return string[]
local function clean(lines)
  return vim.tbl_map(function(line)
    return (line:gsub('[\r\n]', ' '))
  end, lines)
end

--- Asks for the conversation.
--- @param chat acp.Chat
--- @param opts acp.ExportOpts
function M.start(chat, opts)
  if not chat.opened then
    return message.warn('nothing was exported: the session is not open; the next prompt opens it')
  end
  local path = opts.path and vim.fs.normalize(vim.fn.fnamemodify(vim.fs.normalize(opts.path), ':p'))
  local fault = path and refusal(path, opts.overwrite)
  if fault then
    return message.warn('not exported: ' .. fault)
  end
  last = last + 1
  asked[last] = { path = path, overwrite = opts.overwrite }
  rpc.notify('session.export', { session = chat.session, id = last })
end

--- @param path string
--- @param overwrite? boolean
--- @param lines string[]
local function write(path, overwrite, lines)
  local fault = refusal(path, overwrite) -- it was some time ago that this was looked at
  local file
  if not fault then
    file, fault = vim.uv.fs_open(path, overwrite and 'w' or 'wx', MODE)
  end
  local text = table.concat(lines, '\n') .. '\n'
  local written = 0
  if file then
    written, fault = vim.uv.fs_write(file, text)
    vim.uv.fs_close(file)
  end
  if written ~= #text then
    local why = fault or ('no room for more than %d of its %d bytes'):format(written, #text)
    return message.error(('not exported: %s'):format(why))
  end
  message.info(('the conversation is in %s'):format(shown(path)))
end

--- A file's name for a title that no file and no buffer has.
--- @param title string
--- @return string
local function name_for(title)
  local name = title:gsub('[%c/\\:*?"<>|%%#]+', ' '):gsub('%s+', ' ')
  name = vim.trim(vim.fn.strcharpart(name, 0, MAX_NAME)):gsub('^%.+', '')
  name = name == '' and 'Conversation' or name
  local count, path = 1, name .. '.md'
  local function taken()
    local full = vim.fn.fnamemodify(path, ':p')
    return vim.uv.fs_stat(full) or vim.fn.bufnr('^' .. vim.fn.escape(full, '*?[]{},\\') .. '$') > 0
  end
  while taken() do
    count = count + 1
    path = ('%s %d.md'):format(name, count)
  end
  return path
end

--- @param title string
--- @param lines string[]
local function open(title, lines)
  local buf = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  pcall(vim.api.nvim_buf_set_name, buf, name_for(title))
  local win = require('acp.ui.layout').split(buf, {
    split = 'below',
    win = (require('acp.ui.open').code_window()),
  })
  vim.api.nvim_win_set_cursor(win, { 1, 0 })
  message.guard(vim.api.nvim_set_option_value, 'filetype', 'markdown', { buf = buf })
  if vim.api.nvim_get_mode().mode == 'n' and vim.fn.getcmdwintype() == '' then
    message.guard(vim.api.nvim_set_current_win, win)
  end
end

--- The conversation has come.
--- @param params { session: string, id: integer, title: string, lines: string[] }
function M.show(params)
  local opts = asked[params.id]
  asked[params.id] = nil
  if not opts then
    return
  end
  local lines = clean(params.lines)
  if opts.path then
    write(opts.path, opts.overwrite, lines)
  else
    open(params.title, lines)
  end
end

return M
