--- Loaded buffers for agents: their text with unsaved changes, and writing as an edit that is saved.
local disk = require('acp.disk')
local events = require('acp.events')
local hunks = require('acp.hunks')
local message = require('acp.message')
local reading = require('acp.reading')
local sync = require('acp.sync')
local undo_step = require('acp.undo_step')

local M = {}

local api = vim.api
local BOM = '\239\187\191'

--- The loaded buffer of a file, by whatever name it was opened.
--- @param path string real
--- @return integer|nil
function M.find(path)
  local others = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and disk.is_file(buf) then
      local name = api.nvim_buf_get_name(buf)
      if name == path then
        return buf
      end
      others[#others + 1] = { buf = buf, name = name }
    end
  end
  for _, other in ipairs(others) do
    if disk.real_path(other.name) == path then
      return other.buf
    end
  end
end

--- Whether the file ends, or will end, with a line end. What it has counts, not what 'fixendofline' would give it:
--- an agent that sends back what it has read changes nothing.
local function has_final_newline(buf)
  return vim.bo[buf].endofline or disk.ends_with_newline(api.nvim_buf_get_name(buf))
end

local function is_empty(buf)
  return api.nvim_buf_line_count(buf) == 1
    and api.nvim_buf_call(buf, function()
      return vim.fn.wordcount().bytes == 0
    end)
end

--- Lines of a loaded buffer as they stand on disk once it is saved, in UTF-8 and without a byte order mark.
--- @param buf integer
--- @param from? integer 1-based
--- @param limit? integer
--- @return string
function M.text(buf, from, limit)
  local count = api.nvim_buf_line_count(buf)
  local first = math.min((from or 1) - 1, count)
  local last = math.min(first + (limit or count), count)
  if first >= last or is_empty(buf) then
    return ''
  end
  return reading.text({
    lines = api.nvim_buf_get_lines(buf, first, last, true),
    endofline = last < count or has_final_newline(buf),
    fileformat = vim.bo[buf].fileformat,
  })
end

--- The text of a loaded buffer, as `text()` gives it.
--- @param params { path: string, line?: integer, limit?: integer } `path` real, `line` 1-based
--- @return { text: string }|nil result nil when no buffer of that file is loaded
function M.read(params)
  local buf = M.find(params.path)
  if not buf then
    return nil
  end
  sync.sync(buf)
  return { text = M.text(buf, params.line, params.limit) }
end

--- @class (exact) acp.BufferText
--- @field lines string[] empty for an empty file
--- @field final_newline boolean
--- @field bom boolean

--- What an agent sent, as the lines of a buffer: they have the line ends of the buffer, whichever came.
--- @param text string
--- @param fileformat string
--- @return acp.BufferText
local function parse(text, fileformat)
  local bom = vim.startswith(text, BOM)
  if bom then
    text = text:sub(#BOM + 1)
  end
  if fileformat == 'dos' then
    text = text:gsub('\r\n', '\n')
  elseif fileformat == 'mac' then
    text = text:gsub('\r\n?', '\n')
  end
  if text == '' then
    return { lines = {}, final_newline = true, bom = bom }
  end
  local final_newline = text:sub(-1) == '\n'
  local lines = vim.split(final_newline and text:sub(1, -2) or text, '\n', { plain = true })
  return { lines = lines, final_newline = final_newline, bom = bom }
end

local function is_encodable(lines, fileencoding)
  if fileencoding == '' or fileencoding == 'utf-8' or fileencoding:find('^u[ct][sf]') then
    return true
  end
  local text = table.concat(lines, '\n')
  local encoded = vim.iconv(text, 'utf-8', fileencoding)
  return encoded ~= nil and vim.iconv(encoded, fileencoding, 'utf-8') == text
end

--- Why the buffer can't be written, nil when it can. `:write!` would override all of it, `:write` would ask.
--- @param buf integer
--- @param new acp.BufferText
--- @param outdated boolean
--- @return string|nil
local function refusal(buf, new, outdated)
  local name = api.nvim_buf_get_name(buf)
  local bo = vim.bo[buf]
  if not bo.modifiable then
    return "the buffer is not modifiable in Neovim ('nomodifiable')"
  elseif bo.readonly then
    return "the buffer is read-only in Neovim ('readonly')"
  elseif disk.is_locked(name) then
    return 'the file is read-only'
  elseif not is_encodable(new.lines, bo.fileencoding) then
    return ("the text has characters that the file's encoding (%s) lacks"):format(bo.fileencoding)
  elseif outdated then
    -- What the file holds may be the very text: some agents write it themselves, and then through us.
    local text = disk.read(name)
    if text and text ~= '' and not vim.deep_equal(parse(text, bo.fileformat).lines, new.lines) then
      return 'the file was changed on disk, and the buffer in Neovim does not have the change:'
        .. ' the user must reload or save it first'
    end
  end
end

--- `:write!` without a question or a message. `!` asks nothing; what it would override, `refusal` has looked for.
--- @return string|nil error
local function save(buf)
  local bo = vim.bo[buf]
  local fixendofline = bo.fixendofline
  bo.fixendofline = fixendofline and bo.endofline
  bo.modified = true
  local ok, err = pcall(api.nvim_buf_call, buf, function()
    vim.fn.mkdir(vim.fs.dirname(api.nvim_buf_get_name(buf)), 'p')
    vim.cmd('silent write!')
  end)
  if not api.nvim_buf_is_valid(buf) then
    return 'an autocommand deleted the buffer'
  end
  bo.fixendofline = fixendofline
  if bo.modified then
    return ok and 'Neovim could not save the buffer' or message.reason(err)
  end
  if not ok then
    message.warn(message.reason(err))
  end
end

--- Changes the buffer to `new` and saves it; takes all back when that fails.
--- @return string|nil error
local function edit(buf, old, new)
  local bo = vim.bo[buf]
  local endofline, bomb, modified = bo.endofline, bo.bomb, bo.modified
  undo_step.begin(buf)
  local ok, err = pcall(hunks.apply, buf, old, new.lines)
  if ok then
    bo.endofline = new.final_newline
    bo.bomb = bo.bomb or new.bom
    err = require('acp.saved').not_by_user(function()
      return save(buf)
    end)
  else
    err = message.reason(err)
  end
  if err and api.nvim_buf_is_valid(buf) then
    pcall(hunks.apply, buf, api.nvim_buf_get_lines(buf, 0, -1, true), old)
    bo.endofline, bo.bomb = endofline, bomb
    bo.modified = modified
  end
  undo_step.finish(buf)
  return err
end

--- Apart from what a write keeps by itself.
--- @param text string
--- @return string
local function plain(text)
  text = vim.startswith(text, BOM) and text:sub(#BOM + 1) or text
  return (text:gsub('\r\n', '\n'):gsub('\n$', ''))
end

--- Whether the buffer holds something else than what a text was made from: the user may go on typing meanwhile.
--- @param buf integer
--- @param was? string
--- @return boolean
function M.is_stale(buf, was)
  if not was or plain(M.text(buf)) == plain(was) then
    return false
  end
  -- Of a file that is not in UTF-8, the sidecar may have another notion than Neovim.
  local raw = not vim.bo[buf].modified and disk.read(api.nvim_buf_get_name(buf))
  return not raw or plain(raw) ~= plain(was)
end

--- Writes the text through the loaded buffer as one undo step, and saves it.
--- @param params { path: string, text: string, was?: string } `path` real
--- @return { ok: true }|{ error: string }|{ stale: true }|nil result nil when no buffer of that file is loaded
function M.write(params)
  local buf = M.find(params.path)
  if not buf then
    return nil
  end
  -- First: the buffer may be read anew.
  local outdated = sync.sync(buf)
  if M.is_stale(buf, params.was) then
    return { stale = true }
  end
  local new = parse(params.text, vim.bo[buf].fileformat)
  local why = refusal(buf, new, outdated)
  if why then
    return { error = why }
  end
  local old = api.nvim_buf_get_lines(buf, 0, -1, true)
  local same = not vim.bo[buf].modified
    and sync.is_known(buf)
    and vim.deep_equal(is_empty(buf) and {} or old, new.lines)
    and has_final_newline(buf) == new.final_newline
    and vim.uv.fs_stat(params.path) ~= nil
  if same then
    return { ok = true }
  end
  local err = edit(buf, old, new)
  if err then
    return { error = err }
  end
  local changed = hunks.between(old, api.nvim_buf_get_lines(buf, 0, -1, true))
  events.changed({ path = params.path, buf = buf, hunks = changed })
  return { ok = true }
end

--- Gives the buffer another text, without saving it.
--- @param buf integer
--- @param text string
function M.replace(buf, text)
  local new = parse(text, vim.bo[buf].fileformat)
  local old = api.nvim_buf_get_lines(buf, 0, -1, true)
  hunks.apply(buf, old, new.lines)
  vim.bo[buf].endofline = new.final_newline
end

return M
