--- The image in the clipboard, read by whichever program can.
local media = require('acp.context.media')
local run = require('acp.run')
local store = require('acp.store')

local M = {}

--- PowerShell takes its time to start; who waits for a mention does not.
local LATER_MS, NOW_MS = 10000, 2000

local DAY_S = 24 * 60 * 60

--- Kinds of images that agents take, the best first.
local WANTED = { 'image/png', 'image/jpeg', 'image/webp', 'image/gif' }

--- @param offered string one a line
--- @return string?
local function best(offered)
  local kinds = vim.split(offered, '%s+')
  return vim.iter(WANTED):find(function(kind)
    return vim.list_contains(kinds, kind)
  end)
end

--- @class (exact) acp.ClipboardProgram
--- @field name string
--- @field there fun(): boolean whether this is where it works
--- @field read fun(run: acp.Run): string?, string? the bytes of the image; nil: there is none, and why, where known

--- A program that lists what the clipboard holds before it gives it.
--- @param list string[]
--- @param get fun(kind: string): string[]
--- @return fun(run: acp.Run): string?, string?
local function by_kind(list, get)
  return function(program)
    local offered = program(list)
    if offered.code == 124 then
      return nil, ('%s took too long'):format(list[1])
    end
    local kind = offered.code == 0 and best(offered.stdout)
    if not kind then
      return nil
    end
    local image = program(get(kind))
    if image.code ~= 0 then
      return nil, ('%s: %s'):format(list[1], vim.trim(image.stderr))
    end
    return image.stdout
  end
end

--- @param cmd string[]
--- @param decode fun(stdout: string): string?
--- @return fun(run: acp.Run): string?, string?
local function at_once(cmd, decode)
  return function(program)
    local image = program(cmd)
    if image.code == 124 then
      return nil, ('%s took too long'):format(cmd[1])
    end
    return image.code == 0 and decode(image.stdout) or nil
  end
end

local POWERSHELL = [[
Add-Type -AssemblyName System.Windows.Forms, System.Drawing
$image = [Windows.Forms.Clipboard]::GetImage()
if ($image) {
  $stream = New-Object IO.MemoryStream
  $image.Save($stream, [Drawing.Imaging.ImageFormat]::Png)
  [Convert]::ToBase64String($stream.ToArray())
}]]

--- @param name string
--- @return string[]
local function powershell(name)
  return { name, '-NoProfile', '-NonInteractive', '-STA', '-Command', POWERSHELL }
end

--- @param text string
--- @return string?
local function from_base64(text)
  local ok, bytes = pcall(vim.base64.decode, (text:gsub('%s', '')))
  return ok and bytes or nil
end

--- AppleScript writes data as `«data PNGf8950…»`.
--- @param text string
--- @return string?
local function from_applescript(text)
  local hex = text:match('PNGf(%x+)')
  return hex and vim.text.hexdecode(hex) or nil
end

--- @param bytes string
--- @return string
local function as_it_is(bytes)
  return bytes
end

--- @param feature string
--- @return fun(): boolean
local function on(feature)
  return function()
    return vim.fn.has(feature) == 1
  end
end

--- @param name string
--- @return fun(): boolean
local function under(name)
  return function()
    return (vim.env[name] or '') ~= ''
  end
end

--- @type acp.ClipboardProgram[]
local programs = {
  {
    name = 'wl-paste',
    there = under('WAYLAND_DISPLAY'),
    read = by_kind({ 'wl-paste', '--list-types' }, function(kind)
      return { 'wl-paste', '--no-newline', '--type', kind }
    end),
  },
  {
    name = 'xclip',
    there = under('DISPLAY'),
    read = by_kind({ 'xclip', '-selection', 'clipboard', '-t', 'TARGETS', '-o' }, function(kind)
      return { 'xclip', '-selection', 'clipboard', '-t', kind, '-o' }
    end),
  },
  { name = 'pngpaste', there = on('mac'), read = at_once({ 'pngpaste', '-' }, as_it_is) },
  {
    name = 'osascript',
    there = on('mac'),
    read = at_once({ 'osascript', '-e', 'get the clipboard as «class PNGf»' }, from_applescript),
  },
  {
    name = 'powershell',
    there = on('win32'),
    read = at_once(powershell('powershell'), from_base64),
  },
  {
    name = 'powershell.exe',
    there = on('wsl'),
    read = at_once(powershell('powershell.exe'), from_base64),
  },
}

--- @return acp.ClipboardProgram?
local function program()
  return vim.iter(programs):find(function(it)
    return it.there() and vim.fn.executable(it.name) == 1
  end)
end

--- What would have to be there.
--- @return string
local function missing()
  if under('WAYLAND_DISPLAY')() then
    return 'to attach images from the clipboard, install wl-clipboard (wl-paste)'
  elseif under('DISPLAY')() then
    return 'to attach images from the clipboard, install xclip'
  elseif vim.fn.has('mac') == 1 or vim.fn.has('win32') == 1 or vim.fn.has('wsl') == 1 then
    return 'to attach images from the clipboard, have pngpaste, osascript or PowerShell on $PATH'
  end
  return 'there is no clipboard here (neither Wayland nor X11): name the file, :AcpAdd image {path}'
end

--- Images of sessions that are not kept any more go.
--- @param folder string
local function sweep(folder)
  local oldest = os.time() - require('acp.config').get().sessions.max_days * DAY_S
  for name, kind in vim.fs.dir(folder) do
    local path = vim.fs.joinpath(folder, name)
    local stat = kind == 'file' and vim.uv.fs_stat(path)
    if stat and stat.mtime.sec < oldest then
      vim.uv.fs_unlink(path)
    end
  end
end

--- @param bytes string
--- @return acp.MediaAttachment?
--- @return string? reason
local function keep(bytes)
  local mime, ext = media.sniff(bytes)
  if not mime or media.kind(mime) ~= 'image' then
    return nil, 'what the clipboard holds is no image that agents know (PNG, JPEG, GIF, WebP)'
  end
  local hash = vim.fn.sha256(vim.base64.encode(bytes)):sub(1, 16)
  local path = store.path('media', ('%s.%s'):format(hash, ext))
  sweep(vim.fs.dirname(path))
  local ok, fault = store.replace(path, bytes)
  if not ok then
    return nil, ('the image could not be kept: %s'):format(fault)
  end
  return media.attachment(path, 'clipboard.' .. ext)
end

--- @return boolean
function M.can()
  return program() ~= nil
end

--- @param reader acp.ClipboardProgram
--- @return fun(run: acp.Run): acp.MediaAttachment?, string?
local function steps(reader)
  return function(start)
    local bytes, reason = reader.read(start)
    if not bytes or bytes == '' then
      return nil, reason or 'there is no image in the clipboard'
    end
    return keep(bytes)
  end
end

--- @return acp.MediaAttachment?
--- @return string? reason
function M.now()
  local reader = program()
  if not reader then
    return nil, missing()
  end
  return run.now(steps(reader), NOW_MS)
end

--- @param done fun(image?: acp.MediaAttachment, reason?: string)
function M.later(done)
  local reader = program()
  if not reader then
    return done(nil, missing())
  end
  run.later(steps(reader), LATER_MS, done)
end

return M
