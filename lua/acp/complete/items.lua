--- What is offered at a place, best first.
local mentions = require('acp.complete.mentions')

local M = {}

local Kind = vim.lsp.protocol.CompletionItemKind

--- @class (exact) acp.Item
--- @field text string what is written, sign and all
--- @field kind integer of LSP's
--- @field label? string how it is called, where not as it is written
--- @field hint? string what follows it
--- @field about? string what it is
--- @field goes_on? boolean there is more to choose behind it: a folder

--- Buffers that are offered before anything is typed.
local FEW_BUFFERS = 6

--- @param path string as the sidecar names it: relative to the folder of the chat, or absolute
--- @param about? string
--- @return acp.Item
local function file(path, about)
  local is_folder = vim.endswith(path, '/')
  return {
    text = mentions.write(path),
    label = '@' .. path,
    kind = is_folder and Kind.Folder or Kind.File,
    about = about,
    goes_on = is_folder,
  }
end

--- Loaded files, those that were used last before others.
--- @param chat acp.Chat
--- @param query string
--- @return acp.Item[]
local function buffers(chat, query)
  local infos = vim.tbl_filter(function(info)
    return info.name ~= '' and vim.bo[info.bufnr].buftype == '' and not info.name:find('^%a+://')
  end, vim.fn.getbufinfo({ buflisted = 1, bufloaded = 1 }))
  table.sort(infos, function(a, b)
    return a.lastused > b.lastused
  end)
  local named = vim.tbl_map(function(info)
    local path = vim.fs.normalize(info.name, { expand_env = false })
    if vim.startswith(path, chat.cwd .. '/') then
      path = path:sub(#chat.cwd + 2)
    end
    return { path = path, about = info.changed == 1 and 'buffer, not saved' or 'buffer' }
  end, infos)
  if query == '' then
    named = vim.list_slice(named, 1, FEW_BUFFERS)
  else
    named = vim.fn.matchfuzzy(named, query, { key = 'path' })
  end
  return vim.tbl_map(function(buffer)
    return file(buffer.path, buffer.about)
  end, named)
end

--- @return fun(path: string): boolean whether 'wildignore' leaves a file out
local function ignored()
  local patterns = vim.tbl_map(function(glob)
    return vim.regex(vim.fn.glob2regpat(glob))
  end, vim.opt.wildignore:get())
  return function(path)
    return vim.iter(patterns):any(function(pattern)
      return (pattern:match_str(path) or pattern:match_str(vim.fs.basename(path))) ~= nil
    end)
  end
end

--- @param paths string[]
--- @return acp.Item[]
local function files(paths)
  local is_ignored = ignored()
  return vim
    .iter(paths)
    :filter(function(path)
      return not is_ignored(path)
    end)
    :map(file)
    :totable()
end

--- @param lists acp.Item[][]
--- @return acp.Item[] each once
local function joined(lists)
  local all, seen = {}, {}
  for _, items in ipairs(lists) do
    for _, item in ipairs(items) do
      if not seen[item.text] then
        seen[item.text] = true
        all[#all + 1] = item
      end
    end
  end
  return all
end

--- @param chat acp.Chat
--- @param place acp.Place
--- @param paths string[] files that were found for it
--- @return acp.Item[]
function M.at(chat, place, paths)
  if place.kind == 'command' then
    return require('acp.complete.commands').items(chat, place.typed)
  end
  local query = place.query
  local words = require('acp.complete.words').items(chat, query)
  local loaded = buffers(chat, query)
  if query == '' then
    return joined({ loaded, words, files(paths) })
  end
  return joined({ words, loaded, files(paths) })
end

return M
