--- Diagnostics and lists of places, as lines that compilers would write.
local disk = require('acp.disk')
local names = require('acp.context.name')
local utf8 = require('acp.utf8')

local api = vim.api

local M = {}

local SEVERITY = { 'error', 'warning', 'info', 'hint' }
local QF_TYPE = { E = 'error', W = 'warning', I = 'info', N = 'note' }

--- @param buf integer
--- @param cwd string
--- @return string
local function path_of(buf, cwd)
  local name = api.nvim_buf_is_valid(buf) and api.nvim_buf_get_name(buf) or ''
  return name == '' and '[No Name]' or names.path(name, cwd)
end

--- @param place string `path:line:col`
--- @param kind? string
--- @param text string its further lines are indented, so that each place begins a line
--- @return string
local function entry(place, kind, text)
  text = vim.trim(text):gsub('\n', '\n    ')
  return ('%s: %s%s\n'):format(place, kind and kind .. ': ' or '', text)
end

--- @param diagnostic vim.Diagnostic
--- @return string `[source code]`, or nothing
local function origin(diagnostic)
  local words = {} --- @type string[]
  words[#words + 1] = diagnostic.source
  words[#words + 1] = diagnostic.code and tostring(diagnostic.code)
  return #words > 0 and (' [%s]'):format(table.concat(words, ' ')) or ''
end

--- @param lines string[]
--- @param name string
--- @return acp.TextAttachment
local function attachment(lines, name)
  local text = utf8.valid(table.concat(lines))
  return { type = 'text', text = text, name = ('%s (%d)'):format(name, #lines) }
end

--- @param diagnostics vim.Diagnostic[]
--- @param name string
--- @param cwd string
--- @return acp.TextAttachment?
local function of_diagnostics(diagnostics, name, cwd)
  if #diagnostics == 0 then
    return nil
  end
  local paths = setmetatable({}, {
    __index = function(known, buf)
      known[buf] = path_of(buf, cwd)
      return known[buf]
    end,
  })
  table.sort(diagnostics, function(a, b)
    if a.bufnr ~= b.bufnr then
      return paths[a.bufnr] < paths[b.bufnr]
    elseif a.lnum ~= b.lnum then
      return a.lnum < b.lnum
    end
    return a.col < b.col
  end)
  local lines = vim.tbl_map(function(diagnostic)
    local place = ('%s:%d:%d'):format(
      paths[diagnostic.bufnr],
      diagnostic.lnum + 1,
      diagnostic.col + 1
    )
    local text = (diagnostic.message or '') .. origin(diagnostic)
    return entry(place, SEVERITY[diagnostic.severity], text)
  end, diagnostics)
  return attachment(lines, name)
end

--- @param buf integer
--- @param cwd string
--- @return acp.TextAttachment? attachment nil where there are none
function M.diagnostics(buf, cwd)
  return of_diagnostics(vim.diagnostic.get(buf), 'diagnostics', cwd)
end

--- Of all buffers of files below a folder.
--- @param cwd string
--- @return acp.TextAttachment? attachment nil where there are none
function M.all_diagnostics(cwd)
  local roots = { disk.real_path(cwd) }
  local inside = setmetatable({}, {
    __index = function(known, buf)
      local name = api.nvim_buf_is_valid(buf) and disk.is_file(buf) and api.nvim_buf_get_name(buf)
      known[buf] = name and disk.is_below(disk.real_path(name), roots) or false
      return known[buf]
    end,
  })
  local diagnostics = vim.tbl_filter(function(diagnostic)
    return inside[diagnostic.bufnr]
  end, vim.diagnostic.get())
  return of_diagnostics(diagnostics, 'project diagnostics', cwd)
end

--- @param item table see |getqflist()|
--- @param cwd string
--- @return string
local function place(item, cwd)
  local parts = { path_of(item.bufnr, cwd) }
  parts[#parts + 1] = item.lnum > 0 and item.lnum or nil
  parts[#parts + 1] = item.lnum > 0 and item.col > 0 and item.col or nil
  return table.concat(parts, ':')
end

--- @param items table[] see |getqflist()|
--- @param name string
--- @param cwd string
--- @return acp.TextAttachment?
local function of_list(items, name, cwd)
  if #items == 0 then
    return nil
  end
  local lines = vim.tbl_map(function(item)
    -- Lines of a compiler's output that name no place stand between those that do.
    if item.bufnr == 0 then
      return item.text .. '\n'
    end
    return entry(place(item, cwd), QF_TYPE[item.type:upper()], item.text)
  end, items)
  return attachment(lines, name)
end

--- @param cwd string
--- @return acp.TextAttachment? attachment nil where the list is empty
function M.quickfix(cwd)
  return of_list(vim.fn.getqflist(), 'quickfix', cwd)
end

--- @param win integer
--- @param cwd string
--- @return acp.TextAttachment? attachment nil where the list is empty
function M.loclist(win, cwd)
  return of_list(vim.fn.getloclist(win), 'location list', cwd)
end

return M
