--- Text that may hold bytes that are no UTF-8.
local M = {}

local REPLACEMENT = '\239\191\189'

--- Length of the well-formed sequence at `at`, nil where there is none.
local function sequence(text, at)
  local a, b, c, d = text:byte(at, at + 3)
  local function continues(byte)
    return byte and byte >= 0x80 and byte <= 0xBF
  end
  if a < 0x80 then
    return 1
  elseif a >= 0xC2 and a <= 0xDF then
    return continues(b) and 2 or nil
  elseif a >= 0xE0 and a <= 0xEF then
    -- Neither longer than needed nor a surrogate.
    local fits = continues(b) and (a ~= 0xE0 or b >= 0xA0) and (a ~= 0xED or b <= 0x9F)
    return fits and continues(c) and 3 or nil
  elseif a >= 0xF0 and a <= 0xF4 then
    local fits = continues(b) and (a ~= 0xF0 or b >= 0x90) and (a ~= 0xF4 or b <= 0x8F)
    return fits and continues(c) and continues(d) and 4 or nil
  end
  return nil
end

--- `text` with U+FFFD for each byte that belongs to no character.
--- @param text string
--- @return string
function M.valid(text)
  local at = text:find('[\128-\255]')
  if not at then
    return text
  end
  local parts, from = {}, 1
  while at do
    local length = sequence(text, at)
    if not length then
      parts[#parts + 1] = text:sub(from, at - 1)
      parts[#parts + 1] = REPLACEMENT
      from = at + 1
    end
    at = text:find('[\128-\255]', at + (length or 1))
  end
  return from == 1 and text or table.concat(parts) .. text:sub(from)
end

--- The first byte of the character that holds byte `at` (0-based).
--- @param text string
--- @param at integer
--- @return integer
function M.floor(text, at)
  while at > 0 do
    local byte = text:byte(at + 1)
    if not byte or byte < 0x80 or byte > 0xBF then
      break
    end
    at = at - 1
  end
  return at
end

return M
