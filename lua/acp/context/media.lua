--- Images and sounds, known by how they begin: a name may say anything.
local M = {}

--- How many of the first bytes tell what a file is.
local HEAD_BYTES = 32

--- JPEG keeps its dimensions behind any number of other segments.
local MAX_SEGMENTS = 200

--- Markers of JPEG that stand among those that begin a frame, and do not.
local NO_FRAME = { [0xC4] = true, [0xC8] = true, [0xCC] = true }

--- @param text string big-endian
--- @return integer
local function big(text)
  local value = 0
  for i = 1, #text do
    value = value * 256 + text:byte(i)
  end
  return value
end

--- @param text string little-endian
--- @return integer
local function little(text)
  return big(text:reverse())
end

--- The brands of MPEG-4 files that hold sound alone.
local M4A = { ['M4A '] = true, ['M4B '] = true, ['M4P '] = true }

--- @param head string
--- @param kind string
--- @return boolean
local function is_riff(head, kind)
  return head:sub(1, 4) == 'RIFF' and head:sub(9, 12) == kind
end

--- @type { mime: string, ext: string, test: fun(head: string): boolean }[]
local types = {
  {
    mime = 'image/png',
    ext = 'png',
    test = function(head)
      return vim.startswith(head, '\137PNG\r\n\26\n')
    end,
  },
  {
    mime = 'image/jpeg',
    ext = 'jpg',
    test = function(head)
      return vim.startswith(head, '\255\216\255')
    end,
  },
  {
    mime = 'image/gif',
    ext = 'gif',
    test = function(head)
      return head:find('^GIF8[79]a') ~= nil
    end,
  },
  {
    mime = 'image/webp',
    ext = 'webp',
    test = function(head)
      return is_riff(head, 'WEBP')
    end,
  },
  {
    mime = 'audio/wav',
    ext = 'wav',
    test = function(head)
      return is_riff(head, 'WAVE')
    end,
  },
  {
    mime = 'audio/mpeg',
    ext = 'mp3',
    test = function(head)
      local first, second = head:byte(1, 2)
      -- A frame of layer III, where no tag stands before it.
      local frame = first == 0xFF and second and bit.band(second, 0xE6) == 0xE2
      return vim.startswith(head, 'ID3') or frame == true
    end,
  },
  {
    mime = 'audio/ogg',
    ext = 'ogg',
    test = function(head)
      return vim.startswith(head, 'OggS')
    end,
  },
  {
    mime = 'audio/flac',
    ext = 'flac',
    test = function(head)
      return vim.startswith(head, 'fLaC')
    end,
  },
  {
    mime = 'audio/mp4',
    ext = 'm4a',
    test = function(head)
      return head:sub(5, 8) == 'ftyp' and M4A[head:sub(9, 12)] == true
    end,
  },
}

--- What bytes are.
--- @param bytes string
--- @return string? mime
--- @return string? ext
function M.sniff(bytes)
  local head = bytes:sub(1, HEAD_BYTES)
  for _, type in ipairs(types) do
    if type.test(head) then
      return type.mime, type.ext
    end
  end
end

--- @param path string
--- @param use fun(file: file*): any
--- @return any result of `use`; nil where there is no regular file that can be read
local function with_file(path, use)
  local stat = vim.uv.fs_stat(path)
  local file = stat and stat.type == 'file' and io.open(path, 'rb')
  if not file then
    return nil
  end
  local result = use(file)
  file:close()
  return result
end

--- @param path string
--- @return string? mime nil for what is neither image nor sound
function M.type(path)
  return with_file(path, function(file)
    return (M.sniff(file:read(HEAD_BYTES) or ''))
  end)
end

--- @param mime string
--- @return 'image'|'audio'
function M.kind(mime)
  return vim.startswith(mime, 'image/') and 'image' or 'audio'
end

--- @param path string absolute
--- @param name? string what it is called
--- @return acp.MediaAttachment? attachment nil for what is neither image nor sound
function M.attachment(path, name)
  local mime = M.type(path)
  return mime and { type = 'media', path = path, mime = mime, name = name or vim.fs.basename(path) }
    or nil
end

--- @param head string
--- @return integer? width
--- @return integer? height
local function webp(head)
  local kind = head:sub(13, 16)
  if kind == 'VP8X' then
    return little(head:sub(25, 27)) + 1, little(head:sub(28, 30)) + 1
  elseif kind == 'VP8L' then
    local bits = little(head:sub(22, 25))
    return bit.band(bits, 0x3FFF) + 1, bit.band(bit.rshift(bits, 14), 0x3FFF) + 1
  elseif kind == 'VP8 ' then
    return little(head:sub(27, 28)) % 0x4000, little(head:sub(29, 30)) % 0x4000
  end
end

--- @param file file*
--- @return integer? width
--- @return integer? height
local function jpeg(file)
  file:seek('set', 2)
  for _ = 1, MAX_SEGMENTS do
    local header = file:read(4)
    if not header or #header < 4 or header:byte(1) ~= 0xFF then
      return nil
    end
    local marker, length = header:byte(2), big(header:sub(3, 4))
    if marker >= 0xC0 and marker <= 0xCF and not NO_FRAME[marker] then
      local frame = file:read(5) or ''
      return big(frame:sub(4, 5)), big(frame:sub(2, 3))
    end
    file:seek('cur', length - 2)
  end
end

--- @param file file*
--- @return integer? width
--- @return integer? height
local function dimensions(file)
  local head = file:read(HEAD_BYTES) or ''
  local mime = M.sniff(head)
  if mime == 'image/png' then
    return big(head:sub(17, 20)), big(head:sub(21, 24))
  elseif mime == 'image/gif' then
    return little(head:sub(7, 8)), little(head:sub(9, 10))
  elseif mime == 'image/webp' then
    return webp(head)
  elseif mime == 'image/jpeg' then
    return jpeg(file)
  end
end

--- The size of an image in pixels, as `640×480`.
--- @param path string
--- @return string?
function M.dimensions(path)
  return with_file(path, function(file)
    local width, height = dimensions(file)
    if width and height and width > 0 and height > 0 then
      return ('%d×%d'):format(width, height)
    end
  end)
end

return M
