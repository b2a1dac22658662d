--- Which of many things with an id and a name is meant by what is typed. Both may hold blanks.
local M = {}

--- @class acp.Named
--- @field id string
--- @field name string

--- So many are listed in a message.
local LISTED = 12

--- @param items acp.Named[]
--- @param field 'id'|'name'
--- @return string
local function list(items, field)
  local shown = vim.tbl_map(function(item)
    return item[field]
  end, vim.list_slice(items, 1, LISTED))
  local more = #items - #shown
  return table.concat(shown, ', ') .. (more > 0 and (' and %d more'):format(more) or '')
end

--- The items whose id or name is so, in any of some ways; the first way that has some counts.
--- @generic T: acp.Named
--- @param items T[]
--- @param ways (fun(word: string): boolean)[]
--- @return T[]
local function find(items, ways)
  for _, is in ipairs(ways) do
    for _, field in ipairs({ 'id', 'name' }) do
      local found = vim.tbl_filter(function(item)
        return is(item[field])
      end, items)
      if #found > 0 then
        return found
      end
    end
  end
  return {}
end

--- The one that a text means: that is called so, else begins so, else holds it.
--- @generic T: acp.Named
--- @param items T[]
--- @param text string
--- @return T? item
--- @return string? fault what there is instead
function M.one(items, text)
  local lower = text:lower()
  local found = find(items, {
    function(word)
      return word == text
    end,
    function(word)
      return word:lower() == lower
    end,
    function(word)
      return vim.startswith(word:lower(), lower)
    end,
    function(word)
      return word:lower():find(lower, 1, true) ~= nil
    end,
  })
  if #found == 1 or found[1] and (found[1].id == text or found[1].name == text) then
    return found[1]
  elseif #found > 1 then
    return nil, ('that may be %s'):format(list(found, 'id'))
  end
  return nil, ('it has: %s'):format(list(items, 'id'))
end

--- The one that a text begins with, and what follows.
--- @generic T: acp.Named
--- @param items T[]
--- @param text string
--- @return T? item
--- @return string rest why there is none, where there is none
function M.first(items, text)
  local best, length = nil, 0
  for _, item in ipairs(items) do
    for _, word in ipairs({ item.id, item.name }) do
      local whole = (text .. ' '):sub(1, #word + 1):lower() == word:lower() .. ' '
      if whole and #word > length then
        best, length = item, #word
      end
    end
  end
  if best then
    return best, (text:sub(length + 1):gsub('^%s+', ''))
  end
  local word, rest = text:match('^(%S+)%s*(.*)$')
  local item, fault = M.one(items, word or text)
  return item, item and rest or fault --[[@as string]]
end

--- Completions of what is typed: those that begin so come before those that hold it.
--- @param items acp.Named[]
--- @param typed string the text from its beginning
--- @param lead string the last word of it, which is what is completed
--- @return string[]
function M.complete(items, typed, lead)
  local lower = typed:lower()
  local before = #typed - #lead
  local begin, hold = {}, {}
  for _, item in ipairs(items) do
    local id, name = item.id:lower():find(lower, 1, true), item.name:lower():find(lower, 1, true)
    local word = (id == 1 or before == 0) and item.id or item.name
    if word:find('%c') then -- It could not be typed.
      word = item.name
    end
    if id == 1 or name == 1 then
      begin[#begin + 1] = word:sub(before + 1)
    elseif before == 0 and #lower > 1 and (id or name) then -- One letter is in most.
      hold[#hold + 1] = word
    end
  end
  return vim.list_extend(begin, hold)
end

return M
