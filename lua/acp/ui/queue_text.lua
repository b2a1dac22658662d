--- The prompts that wait, as a text that can be edited: a rule above each, `--- 2`, which is drawn as one. The number
--- says which prompt it is, wherever it is moved; a rule without a number begins a new one.
local M = {}

--- @class acp.QueueEntry
--- @field number? integer which of the known prompts it is
--- @field text string
--- @field row integer of its rule, 0-based; -1 where it has none

--- A rule that no line of these texts looks like.
--- @param texts string[]
--- @return string
function M.rule(texts)
  local longest = 2
  for _, text in ipairs(texts) do
    for dashes in ('\n' .. text .. '\n'):gmatch('\n(%-+) *%d*%f[\n]') do
      longest = math.max(longest, #dashes)
    end
  end
  return ('-'):rep(longest + 1)
end

--- @param line string
--- @param rule string
--- @return boolean is_rule
--- @return integer? number
function M.is_rule(line, rule)
  local dashes, number = line:match('^(%-+) *(%d*)$')
  return dashes == rule, tonumber(number)
end

--- @param entries { number: integer, text: string }[]
--- @param rule string
--- @return string[]
function M.lines(entries, rule)
  local lines = {} --- @type string[]
  for _, entry in ipairs(entries) do
    lines[#lines + 1] = ('%s %d'):format(rule, entry.number)
    vim.list_extend(lines, vim.split(entry.text, '\n', { plain = true }))
    lines[#lines + 1] = ''
  end
  return lines
end

--- @param lines string[]
--- @return string text without the blank lines around it
local function inner(lines)
  local first, last = 1, #lines
  while first <= last and not lines[first]:find('%S') do
    first = first + 1
  end
  while last >= first and not lines[last]:find('%S') do
    last = last - 1
  end
  return table.concat(lines, '\n', first, last)
end

--- What stands in the text. A number that comes again is that of a copy, which is a prompt of its own.
--- @param lines string[]
--- @param rule string
--- @return acp.QueueEntry[]
function M.parse(lines, rule)
  local entries, taken = {}, {} --- @type acp.QueueEntry[], table<integer, true>
  local number, row, body = nil, -1, {}
  local function finish()
    local text = inner(body)
    if text ~= '' or number then
      entries[#entries + 1] = { number = number, text = text, row = row }
    end
  end
  for i, line in ipairs(lines) do
    local is_rule, named = M.is_rule(line, rule)
    if is_rule then
      finish()
      number = named and not taken[named] and named or nil
      row, body = i - 1, {}
      if number then
        taken[number] = true
      end
    else
      body[#body + 1] = line
    end
  end
  finish()
  return entries
end

--- The rows of the entry whose rule stands at a row.
--- @param lines string[]
--- @param rule string
--- @param row integer 0-based
--- @return integer? count nil where no rule stands there
function M.extent(lines, rule, row)
  if not M.is_rule(lines[row + 1] or '', rule) then
    return nil
  end
  local count = 1
  while lines[row + count + 1] and not M.is_rule(lines[row + count + 1], rule) do
    count = count + 1
  end
  return count
end

return M
