--- How full the context is, what the session has cost, and which limits of the service are near: in the few words of a
--- line of status.
local M = {}

--- Shares of the context from which it is shown as nearly full and as full. Agents make room themselves beyond them.
local NEAR, FULL = 0.8, 0.95

local levels = { '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█' }

--- Beside the colour: none says anything by itself.
local signs = { ok = '', near = '! ', full = '!! ' }

--- @param tokens integer
--- @return string
local function amount(tokens)
  if tokens >= 999500 then
    return (('%.1fM'):format(tokens / 1e6):gsub('%.0M', 'M'))
  end
  return tokens >= 1000 and ('%dk'):format(tokens / 1000 + 0.5) or ('%d'):format(tokens)
end

--- @param usage { used: integer, size: integer }
--- @return string? text nil where the size is not known
--- @return string? short
--- @return 'ok'|'near'|'full' level
function M.context(usage)
  if usage.size <= 0 then
    return nil, nil, 'ok'
  end
  local share = math.max(0, math.min(1, usage.used / usage.size))
  local level = share >= FULL and 'full' or share >= NEAR and 'near' or 'ok'
  local text = ('%d%%'):format(share * 100 + 0.5)
  if require('acp.config').get().transcript.icons ~= 'ascii' then
    text = levels[math.min(#levels, math.floor(share * #levels) + 1)] .. ' ' .. text
  end
  text = signs[level] .. text
  return ('%s of %s'):format(text, amount(usage.size)), text, level
end

local symbols = { USD = '$', EUR = '€', GBP = '£' }

--- @param cost? { amount: number, currency: string }
--- @return string? text nil where it is not known or nothing
function M.cost(cost)
  if not cost or cost.amount <= 0 then
    return nil
  end
  local number = cost.amount < 0.01 and '<0.01' or ('%.2f'):format(cost.amount)
  local symbol = symbols[cost.currency]
  return symbol and symbol .. number or vim.trim(number .. ' ' .. cost.currency)
end

--- Cells of a goal: the transcript says the whole of it.
local GOAL = 30

--- @param goal { objective: string, status: string }
--- @return string
function M.goal(goal)
  local text = goal.objective
  if vim.fn.strchars(text) > GOAL then
    text = vim.fn.strcharpart(text, 0, GOAL - 1) .. '…'
  end
  return goal.status == 'active' and 'goal: ' .. text or ('goal %s: %s'):format(goal.status, text)
end

local DAY = 24 * 60 * 60

--- @param ms integer
--- @param now integer seconds
--- @return string
local function moment(ms, now)
  local time = math.floor(ms / 1000)
  if os.date('%x', time) == os.date('%x', now) then
    return os.date('%H:%M', time) --[[@as string]]
  end
  return os.date(time - now < 6 * DAY and '%a %H:%M' or '%d %b', time) --[[@as string]]
end

--- The limit that matters most: one that is reached, else one that is near; not one that has begun anew.
--- @param limits acp.RateLimit[]
--- @param now integer seconds
--- @return acp.RateLimit?
local function pressing(limits, now)
  local found --- @type acp.RateLimit?
  for _, limit in ipairs(limits) do
    local counts = limit.state ~= 'ok' and (not limit.resets or limit.resets / 1000 > now)
    local worse = not found or limit.state == 'reached' and found.state == 'near'
    if counts and worse then
      found = limit
    end
  end
  return found
end

--- @param limits acp.RateLimit[]
--- @return string? text nil where none is near
--- @return string? short
--- @return 'near'|'full' level
function M.limit(limits)
  local now = os.time()
  local limit = pressing(limits, now)
  if not limit then
    return nil, nil, 'near'
  end
  local at = limit.resets and moment(limit.resets, now)
  if limit.state == 'reached' then
    local text = ('!! limit of %s reached'):format(limit.name)
    return at and ('%s until %s'):format(text, at) or text,
      at and ('!! limit until %s'):format(at) or '!! limit reached',
      'full'
  end
  local share = limit.used and ('%d%%'):format(limit.used * 100 + 0.5) or 'near'
  local text = ('! limit of %s %s'):format(limit.name, share)
  return at and ('%s, resets %s'):format(text, at) or text, ('! limit %s'):format(share), 'near'
end

return M
