--- Text that may hold bytes that are no UTF-8.
local M = {}

local REPLACEMENT = '\239\191\189'

--- The well-formed characters: neither longer than needed nor a surrogate.
local function sequences()
  local P, R = vim.lpeg.P, vim.lpeg.R
  local more = R('\128\191')
  local two = R('\194\223') * more
  local three = P('\224') * R('\160\191') * more
    + R('\225\236', '\238\239') * more * more
    + P('\237') * R('\128\159') * more
  local four = P('\240') * R('\144\191') * more * more
    + R('\241\243') * more * more * more
    + P('\244') * R('\128\143') * more * more
  return R('\0\127') + two + three + four
end

local mended = vim.lpeg.Cs((sequences() ^ 1 + vim.lpeg.P(1) / REPLACEMENT) ^ 0)

--- `text` with U+FFFD for each byte that belongs to no character.
--- @param text string
--- @return string
function M.valid(text)
  return text:find('[\128-\255]') and mended:match(text) or text
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
