--- The words of permission questions, each on one line: pickers show them as titles and rows.
local M = {}

--- Characters of a label.
local MAX_LABEL = 200

--- @param text string
--- @return string
local function one_line(text)
  return vim.trim((text:gsub('%s*[\r\n]+%s*', ' ⏎ '):gsub('%c', ' ')))
end

--- Leaves out the middle of what is too long to be read in a prompt; the card has it all. The end stays: something may
--- be hidden there.
--- @param text string
--- @param room integer characters
--- @return string
local function without_middle(text, room)
  local length = vim.fn.strchars(text)
  if length <= room then
    return text
  end
  local tail = math.floor(room / 3)
  return ('%s … %d more characters … %s'):format(
    vim.fn.strcharpart(text, 0, room - tail),
    length - room,
    vim.fn.strcharpart(text, length - tail)
  )
end

--- @param question table `Question` of `src/nvim/question.ts`
--- @return string
function M.title(question)
  local title = one_line(question.title)
  return title ~= '' and title or 'a permission'
end

--- The name of a session's agent.
--- @param session string
--- @return string empty where it isn't known
function M.agent(session)
  local status = require('acp.state').get(session)
  return status and status.agent or ''
end

--- Whether no agent asks this, but the plugin: what becomes of unsaved changes, whether a file is trusted.
--- @param question table
--- @return boolean
function M.is_ours(question)
  return vim.iter(question.options):any(function(option)
    return option.kind == 'keep_mine' or option.kind == 'show_file'
  end)
end

--- @param agent string
--- @param question table
--- @return string
function M.asks(agent, question)
  if M.is_ours(question) then
    return M.title(question)
  end
  return ('%s asks: %s'):format(agent ~= '' and one_line(agent) or 'the agent', M.title(question))
end

--- Everything that is asked for.
--- @param agent string
--- @param question table
--- @param number integer of this question among those that are asked one after the other
--- @param total integer
--- @return string
function M.prompt(agent, question, number, total)
  local parts = { M.asks(agent, question) }
  for _, line in ipairs(question.detail or {}) do
    line = one_line(line)
    if line ~= '' and not parts[1]:find(line, 1, true) then
      table.insert(parts, line)
    end
  end
  local count = total > 1 and (' (%d of %d)'):format(number, total) or ''
  -- A prompt that fills the screen would hide the answers.
  local room = vim.o.columns * math.max(1, math.floor(vim.o.lines / 3))
  return without_middle(table.concat(parts, ' · '), room) .. count
end

--- Who asks, for a window that shows the question itself.
--- @param agent string
--- @param number integer
--- @param total integer
--- @return string
function M.short(agent, number, total)
  local count = total > 1 and (' (%d of %d)'):format(number, total) or ''
  return ('%s asks%s'):format(agent ~= '' and one_line(agent) or 'the agent', count)
end

--- How often each label occurs.
--- @param options table[]
--- @param label fun(option: table): string
--- @return table<string, integer>
local function tally(options, label)
  local counts = {}
  for _, option in ipairs(options) do
    counts[label(option)] = (counts[label(option)] or 0) + 1
  end
  return counts
end

--- The agent's own labels; those that occur twice say in brackets what tells them apart.
--- @param options { id: string, name: string, kind: string }[]
--- @return fun(option: table): string
function M.labels(options)
  local function name(option)
    return without_middle(one_line(option.name), MAX_LABEL)
  end
  local function with_kind(option)
    return ('%s (%s)'):format(name(option), without_middle(one_line(option.kind), MAX_LABEL))
  end
  local names, kinds = tally(options, name), tally(options, with_kind)
  return function(option)
    if names[name(option)] == 1 and name(option) ~= '' then
      return name(option)
    elseif kinds[with_kind(option)] == 1 then
      return with_kind(option)
    end
    return ('%s (%s)'):format(name(option), without_middle(one_line(option.id), MAX_LABEL))
  end
end

--- Shortens a message so that it fits on the message line: one that doesn't would wait for a key.
--- @param text string
--- @param rest string what always stays, behind `text`
--- @return string
function M.fit(text, rest)
  local room = vim.v.echospace - #'acp: ' - vim.fn.strdisplaywidth(rest)
  if vim.fn.strdisplaywidth(text) > room then
    text = vim.fn.strcharpart(text, 0, math.max(room - 1, 0)) .. '…'
  end
  return text .. rest
end

return M
