--- The file of a buffer, read as Neovim would read it into the buffer.
local compat = require('acp.compat')
local disk = require('acp.disk')
local events = require('acp.events')
local hunks = require('acp.hunks')
local utf8 = require('acp.utf8')

local M = {}

local api = vim.api

--- @class (exact) acp.Reading
--- @field lines string[] none: an empty file
--- @field endofline boolean
--- @field bomb boolean
--- @field fileformat string
--- @field fileencoding string

local LINE_END = { unix = '\n', dos = '\r\n', mac = '\r' }

--- Lines as they stand on disk, in UTF-8 and without a byte order mark.
--- @param reading acp.Reading
--- @return string
function M.text(reading)
  if #reading.lines == 0 then
    return ''
  end
  local line_end = LINE_END[reading.fileformat]
  local text = table.concat(reading.lines, line_end)
  return utf8.valid(reading.endofline and text .. line_end or text)
end

--- Neovim itself decodes: in a buffer that nobody sees.
--- @param path string
--- @param args string `++opt` of |:read|
--- @return acp.Reading? reading nil when the file cannot be read
local function read(path, args)
  return events.muted(function()
    local buf = api.nvim_create_buf(false, true)
    vim.bo[buf].undolevels = -1
    local ok, reading = pcall(api.nvim_buf_call, buf, function()
      disk.ex('silent keepalt noswapfile', '0read ++edit ' .. args, path)
      local bo = vim.bo[buf]
      return {
        -- Without the line that the buffer had.
        lines = api.nvim_buf_get_lines(buf, 0, -2, true),
        endofline = bo.endofline,
        bomb = bo.bomb,
        fileformat = bo.fileformat,
        fileencoding = bo.fileencoding,
      }
    end)
    api.nvim_buf_delete(buf, { force = true })
    return ok and reading or nil
  end)
end

--- @param encoding string value of 'fileencoding'
--- @return string
local function effective(encoding)
  return encoding == '' and 'utf-8' or encoding
end

--- A text in the characters that the sidecar has for it: where a file is neither in UTF-8 nor in UTF-16, it decodes
--- each byte for itself, and knows nothing of other encodings.
--- @param text string
--- @param fileencoding string
--- @return string
function M.by_bytes(text, fileencoding)
  local encoding = effective(fileencoding)
  if encoding == 'utf-8' or encoding == 'latin1' or encoding:find('^u[ct][sf]') then
    return text
  end
  local bytes = vim.iconv(text, 'utf-8', encoding)
  if not bytes or utf8.valid(bytes) == bytes then
    return bytes or text
  end
  return vim.iconv(bytes, 'latin1', 'utf-8') or text
end

--- How many lines differ.
--- @param old string[]
--- @param new string[]
--- @return integer
local function distance(old, new)
  local sum = 0
  for _, hunk in ipairs(compat.diff_indices(hunks.joined(old), hunks.joined(new))) do
    sum = sum + hunk[2] + hunk[4]
  end
  return sum
end

--- What the file holds. Where its encoding or its line ends seem to be others than those of the buffer, this may be
--- so, or the user has opened it with `++enc` or `++ff`: it is read in each way, and the one that leaves most lines
--- of the buffer as they are is right.
--- @param buf integer
--- @param path? string another file than its own
--- @return acp.Reading? reading nil when the file cannot be read
function M.of(buf, path)
  local bo = vim.bo[buf]
  path = path or api.nvim_buf_get_name(buf)
  local found = read(path, bo.binary and '++bin' or '')
  if not found or bo.binary then
    return found
  end
  local encoding = effective(bo.fileencoding)
  if #found.lines == 0 or (#found.lines == 1 and not found.endofline) then
    found.fileformat = bo.fileformat
  end
  local same_encoding = effective(found.fileencoding) == encoding
  local same_format = found.fileformat == bo.fileformat
  if same_encoding and same_format then
    return found
  end
  local enc = '++bad=keep ++enc=' .. encoding
  local ways = {
    not same_encoding and read(path, enc) or found,
    found,
    not same_format and read(path, enc .. ' ++ff=' .. bo.fileformat) or nil,
  }
  local old = api.nvim_buf_get_lines(buf, 0, -1, true)
  local best, least = found, math.huge
  for _, way in ipairs(ways) do
    local lines = distance(old, way.lines)
    if lines < least then
      best, least = way, lines
    end
  end
  return best
end

return M
