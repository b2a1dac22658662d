--- What `:AcpAdd` is given, found: by its word at once or when it is there, and what there is to choose from.
local context = require('acp.context')
local media = require('acp.context.media')
local names = require('acp.context.name')
local paths = require('acp.context.paths')

local M = {}

--- @alias acp.Found fun(attachment?: acp.Attachment, reason?: string)

--- @alias acp.Takes fun(kind: 'image'|'audio'): boolean whether the agent would take such things, as far as is known

--- @class (exact) acp.Wanted
--- @field here acp.Context
--- @field takes acp.Takes
--- @field found acp.Found

--- What agents know, for those who name something else.
local KNOWN = {
  image = 'is no image that agents know (PNG, JPEG, GIF, WebP)',
  audio = 'is no sound that agents know (WAV, MP3, Ogg, FLAC, M4A)',
}

--- The words of `:AcpAdd`, in the order in which they are offered.
local WORDS = {
  'selection',
  'buffer',
  'file',
  'symbol',
  'diagnostics',
  'quickfix',
  'loclist',
  'diff',
  'terminal',
  'conversation',
  'image',
  'audio',
}

--- What can stand behind them.
local MORE = { diagnostics = { 'all' }, diff = { 'staged' } }

--- @param text string
--- @param kind? 'image'|'audio'
--- @param wanted acp.Wanted
local function file(text, kind, wanted)
  local path, fault = paths.existing(text)
  if not path then
    return wanted.found(nil, fault)
  end
  local known = media.attachment(path)
  if kind and not (known and media.kind(known.mime) == kind) then
    return wanted.found(nil, ('%s %s'):format(text, KNOWN[kind]))
  end
  -- What the agent does not take as an image is a file to it like others.
  local as_media = known and (kind or wanted.takes(media.kind(known.mime)))
  wanted.found(as_media and known or { type = 'file', path = path })
end

--- A file whose path is given, or asked for.
--- @param kind? 'image'|'audio'
--- @return fun(path: string, wanted: acp.Wanted)
local function named(kind)
  return function(path, wanted)
    if path ~= '' then
      return file(path, kind, wanted)
    end
    local prompt = ('Attach the %s: '):format(kind or 'file')
    vim.ui.input({ prompt = prompt, completion = 'file' }, function(answer)
      if answer and answer ~= '' then
        file(answer, kind, wanted)
      end
    end)
  end
end

--- What has to be waited for, or is asked for. All else is had from the context at once.
--- @type table<string, fun(rest: string, wanted: acp.Wanted)>
local sources = {
  file = named(),
  audio = named('audio'),
  image = function(path, wanted)
    if path == '' then
      return require('acp.clipboard').later(wanted.found)
    end
    file(path, 'image', wanted)
  end,
  diff = function(rest, wanted)
    require('acp.context.diff').later(wanted.here.cwd, rest == 'staged', wanted.found)
  end,
  symbol = function(name, wanted)
    local here = wanted.here
    if not here.source then
      return wanted.found(nil, 'there is no buffer with code')
    end
    require('acp.context.symbols').later(here.source.buf, function(symbols)
      wanted.found(context.symbol(symbols, here, name ~= '' and name or nil))
    end)
  end,
}

--- Finds what is asked for.
--- @param what string a word and what belongs to it
--- @param wanted acp.Wanted
function M.find(what, wanted)
  local word, rest = what:match('^(%S+)%s*(.*)$')
  local more = MORE[word] or {}
  if not vim.list_contains(WORDS, word) then
    local known = table.concat(WORDS, ', ')
    wanted.found(nil, ('%q is none of %s'):format(word, known))
  elseif #more > 0 and rest ~= '' and not vim.list_contains(more, rest) then
    wanted.found(nil, ('%q is not %s'):format(rest, table.concat(more, ' or ')))
  elseif sources[word] then
    sources[word](rest, wanted)
  elseif word == 'terminal' and rest ~= '' and not rest:find('^[1-9]%d*$') then
    wanted.found(nil, ('%q is no number of lines'):format(rest))
  elseif word == 'terminal' then
    wanted.found(context.get(word, wanted.here, rest))
  else
    wanted.found(context.get(rest == '' and word or word .. ' ' .. rest, wanted.here))
  end
end

--- Made to be looked at: small, or of no cost.
local SHOWN = { 'selection', 'symbol', 'diagnostics', 'diagnostics all', 'quickfix', 'loclist' }

--- @class (exact) acp.Offer
--- @field word string
--- @field text string
--- @field get fun(wanted: acp.Wanted)

--- What there is to attach now.
--- @param here acp.Context
--- @param takes acp.Takes
--- @return acp.Offer[]
function M.offers(here, takes)
  local all = {} --- @type acp.Offer[]
  local function offer(word, text, attachment)
    local function get(wanted)
      if attachment then
        wanted.found(attachment)
      else
        M.find(word, wanted)
      end
    end
    all[#all + 1] = { word = word:match('^%S+'), text = text, get = get }
  end
  local name = here.source and vim.api.nvim_buf_get_name(here.source.buf) or ''
  if name ~= '' then
    offer('buffer', names.one_line(names.path(name, here.cwd)))
  end
  for _, word in ipairs(SHOWN) do
    local attachment = context.get(word, here)
    if attachment then
      offer(word, names.whole(attachment, here.cwd), attachment)
    end
  end
  if vim.fs.root(here.cwd, '.git') then
    offer('diff', 'what git says was changed')
  end
  if require('acp.context.terminal').find() then
    offer('terminal', 'the end of its output')
  end
  if takes('image') and require('acp.clipboard').can() then
    offer('image', 'the one in the clipboard')
  end
  offer('file', 'a path')
  return all
end

--- Completes `:AcpAdd`.
--- @param lead string
--- @param line string
--- @param takes acp.Takes
--- @return string[]
function M.complete(lead, line, takes)
  local word, rest = line:match('AcpAdd%s+(%S+)%s+(.*)$')
  if word == 'file' or word == 'image' or word == 'audio' then
    -- Of a path with blanks, Neovim replaces what stands behind the last.
    return vim.tbl_map(function(path)
      return path:sub(#rest - #lead + 1)
    end, paths.complete(rest))
  end
  local words = not word and WORDS or word == 'symbol' and context.symbols() or MORE[word] or {}
  return vim.tbl_filter(function(it)
    local is_media = not word and (it == 'image' or it == 'audio')
    return vim.startswith(it, lead) and not (is_media and not takes(it))
  end, words)
end

return M
