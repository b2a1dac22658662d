--- Sessions in words: the rows of the list, and what is read of one before it is opened.
local M = {}

--- Columns of a row's parts; what is longer is cut. Pickers are narrower than the screen.
local MIN_TITLE, MAX_TITLE, MAX_AGENT = 12, 56, 16

--- The part of the screen that the folder may have.
local FOLDER = 0.2

--- Columns that stay free: what pickers put before a row, and around it.
local MARGIN = 8

local GAP = '  '

--- @param text string
--- @return string
local function one_line(text)
  return vim.trim((text:gsub('%c+', ' ')))
end

--- @param text string
--- @param columns integer
--- @param from_start? boolean the end stays
--- @return string
local function cut(text, columns, from_start)
  local width = vim.api.nvim_strwidth
  if width(text) <= columns then
    return text
  end
  local length = vim.fn.strcharlen(text)
  local kept = math.min(length, columns)
  local function part()
    return vim.fn.strcharpart(text, from_start and length - kept or 0, kept)
  end
  while kept > 0 and width(part()) >= columns do
    kept = kept - 1
  end
  return from_start and '…' .. part() or part() .. '…'
end

--- @param text string
--- @param columns integer
--- @return string
local function pad(text, columns)
  return text .. (' '):rep(columns - vim.api.nvim_strwidth(text))
end

--- The title of a session in one line.
--- @param title? string
--- @return string
function M.title(title)
  local line = one_line(title or '')
  return line ~= '' and line or 'untitled'
end

--- The same in quotes and short, for messages.
--- @param title? string
--- @return string
function M.quoted(title)
  return ('“%s”'):format(cut(M.title(title), 40))
end

--- @param path string
--- @param columns? integer
--- @return string
function M.folder(path, columns)
  local folder = one_line(vim.fn.fnamemodify(path, ':~'))
  return columns and cut(folder, columns, true) or folder
end

--- How long ago something was.
--- @param time integer milliseconds since the epoch
--- @return string
function M.age(time)
  local now, micros = vim.uv.gettimeofday()
  local seconds = now + micros / 1e6 - time / 1000
  local units = { { 60, 3600, 'min' }, { 3600, 86400, 'h' }, { 86400, 30 * 86400, 'd' } }
  for _, unit in ipairs(units) do
    if seconds >= unit[1] and seconds < unit[2] then
      return ('%d %s ago'):format(seconds / unit[1], unit[3])
    end
  end
  return seconds < 60 and 'just now' or os.date('%Y-%m-%d', math.floor(time / 1000)) --[[@as string]]
end

local doing = { working = 'working', cancelling = 'working', waiting = 'asks you', dead = 'ended' }

--- @param row acp.SessionRow
--- @return string
function M.state(row)
  local status = row.session and require('acp.state').get(row.session)
  local words = {
    open = 'open here',
    busy = 'in another Neovim',
    saved = 'saved',
    gone = 'gone',
  }
  local now = status and doing[status.state]
  return words[row.state]
    .. (now and ', ' .. now or '')
    .. (row.interrupted and ' · interrupted' or '')
    .. (row.draft and ' · draft' or '')
end

--- The rows of the list, in columns.
--- @param rows acp.SessionRow[]
--- @param opts { all?: boolean, current?: string } all: of every folder; current: the session of the current chat
--- @return table<acp.SessionRow, string>
function M.labels(rows, opts)
  local parts, widths = {}, { 0, 0, 0, 0, 0 }
  for _, row in ipairs(rows) do
    parts[row] = {
      M.title(row.title),
      row.updated and M.age(row.updated) or '',
      cut(one_line(row.agent), MAX_AGENT),
      M.state(row),
      opts.all and M.folder(row.cwd, math.floor(FOLDER * vim.o.columns)) or '',
    }
    for i, part in ipairs(parts[row]) do
      widths[i] = math.max(widths[i], vim.api.nvim_strwidth(part))
    end
  end
  local others = 2 + #tostring(#rows) + MARGIN
  for i = 2, #widths do
    others = others + (widths[i] > 0 and widths[i] + #GAP or 0)
  end
  widths[1] = math.min(widths[1], MAX_TITLE, math.max(MIN_TITLE, vim.o.columns - others))
  local labels = {}
  for row, texts in pairs(parts) do
    local cells = { pad(cut(texts[1], widths[1]), widths[1]) }
    for i = 2, #widths do
      if widths[i] > 0 then
        table.insert(cells, pad(texts[i], widths[i]))
      end
    end
    local mark = opts.current and row.session == opts.current and '● ' or '  '
    labels[row] = (mark .. table.concat(cells, GAP)):gsub('%s+$', '')
  end
  return labels
end

--- What is read of a session before it is opened, as Markdown.
--- @param row acp.SessionRow
--- @return string[]
function M.preview(row)
  local facts = { one_line(row.agent), M.folder(row.cwd), M.state(row) }
  if row.updated then
    table.insert(facts, M.age(row.updated))
  end
  local lines = { '# ' .. M.title(row.title), table.concat(facts, ' · '), '' }
  if #row.preview == 0 then
    table.insert(
      lines,
      row.stored and 'Nothing was said yet.' or 'Only its agent knows what was said.'
    )
  end
  for _, line in ipairs(row.preview) do
    vim.list_extend(lines, vim.split(line, '\n', { plain = true }))
  end
  return lines
end

return M
