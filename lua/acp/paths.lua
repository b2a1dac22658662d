--- Paths in the texts of an agent that knows folders by other names. What stands in fields, the sidecar puts into our
--- words; texts are left as they are, and read here.
local M = {}

--- What a path there is called here; nil where it is in none of those folders.
--- @param path string absolute
--- @param pairs? { here: string, there: string }[]
--- @return string?
function M.here(path, pairs)
  local best, length = nil, -1
  for _, pair in ipairs(pairs or {}) do
    local there = pair.there:gsub('/+$', '')
    local inside = path == there or vim.startswith(path, there .. '/')
    if inside and #there > length then
      best, length = pair.here:gsub('/+$', '') .. path:sub(#there + 1), #there
    end
  end
  return best
end

return M
