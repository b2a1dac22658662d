--- The output of terminal buffers.
local api = vim.api

local M = {}

--- Lines that are attached when nobody says how many: what a build or a test run prints at its end.
local LINES = 500

--- Lines that are looked at in one go for the last that is not blank.
local STEP = 200

--- The terminal that the user is in, or was in last.
--- @return integer? buf
function M.find()
  local current = api.nvim_get_current_buf()
  if vim.bo[current].buftype == 'terminal' then
    return current
  end
  local infos = vim.tbl_filter(function(info)
    return info.loaded == 1 and vim.bo[info.bufnr].buftype == 'terminal'
  end, vim.fn.getbufinfo())
  table.sort(infos, function(a, b)
    return a.lastused == b.lastused and a.bufnr > b.bufnr or a.lastused > b.lastused
  end)
  return infos[1] and infos[1].bufnr
end

--- @param buf integer
--- @return integer line the last that is not blank, 0 where all are
local function last_line(buf)
  local to = api.nvim_buf_line_count(buf)
  while to > 0 do
    local from = math.max(0, to - STEP)
    local lines = api.nvim_buf_get_lines(buf, from, to, false)
    for i = #lines, 1, -1 do
      if lines[i]:find('%S') then
        return from + i
      end
    end
    to = from
  end
  return 0
end

--- What runs in it: `npm test`.
--- @param buf integer
--- @return string
local function command(buf)
  local name = api.nvim_buf_get_name(buf)
  local program, rest = (name:match('^term://.-//%d+:(.*)$') or name):match('^(%S*)(.*)$')
  return vim.fs.basename(program) .. rest
end

--- @param buf integer
--- @param count? integer how many lines at most
--- @return acp.TextAttachment? attachment nil where nothing was put out
function M.get(buf, count)
  local last = last_line(buf)
  if last == 0 then
    return nil
  end
  local first = math.max(0, last - (count or LINES))
  local lines = vim.tbl_map(function(line)
    return (line:gsub('%s+$', ''))
  end, api.nvim_buf_get_lines(buf, first, last, false))
  return {
    type = 'text',
    text = table.concat(lines, '\n') .. '\n',
    name = 'terminal: ' .. command(buf),
  }
end

return M
