--- Files that the sidecar finds. One question is under way at a time: what is typed meanwhile waits, and only its last
--- state is asked.
local rpc = require('acp.rpc')

local M = {}

--- More than a menu shows at once.
local LIMIT = 60

--- A question that nobody answers in this time is given up, so that the next one is asked.
local LONGEST_MS = 5000

--- @alias acp.FoundFiles fun(paths?: string[]) nil where the question is out of date

--- @class (exact) acp.FileQuestion
--- @field id integer
--- @field query string
--- @field done acp.FoundFiles[]

--- @class (exact) acp.FileSearch  of one session
--- @field asked? acp.FileQuestion
--- @field next? acp.FileQuestion
--- @field known? { query: string, paths: string[] } the last answer

local searches = {} --- @type table<string, acp.FileSearch>
local count = 0

--- @param question acp.FileQuestion
--- @param paths? string[]
local function answer(question, paths)
  for _, done in ipairs(question.done) do
    require('acp.message').guard(done, paths)
  end
end

--- @param session string
--- @param question acp.FileQuestion
local function ask(session, question)
  searches[session].asked = question
  rpc.notify('files.find', {
    session = session,
    id = question.id,
    query = question.query,
    limit = LIMIT,
  })
  vim.defer_fn(function()
    M.found({ session = session, id = question.id })
  end, LONGEST_MS)
end

--- Finds files of a chat by what is typed of their names.
--- @param chat acp.Chat
--- @param query string
--- @param done acp.FoundFiles
function M.find(chat, query, done)
  if not chat.opened then
    return done({})
  end
  local search = searches[chat.session] or {}
  searches[chat.session] = search
  for _, question in pairs({ search.asked, search.next }) do
    if question.query == query then
      table.insert(question.done, done)
      return
    end
  end
  count = count + 1
  local question = { id = count, query = query, done = { done } }
  if not search.asked then
    return ask(chat.session, question)
  end
  local former = search.next
  search.next = question
  if former then
    answer(former)
  end
end

--- Takes an answer of the sidecar's: `files.found`.
--- @param params { session: string, id: integer, paths?: string[] }
function M.found(params)
  local search = searches[params.session]
  local question = search and search.asked
  if not (question and question.id == params.id) then
    return
  end
  search.asked = nil
  if params.paths then
    search.known = { query = question.query, paths = params.paths }
  end
  local following = search.next
  if following then
    search.next = nil
    ask(params.session, following)
  end
  answer(question, params.paths)
end

--- Whether a path holds letters in their order, in any case.
--- @param path string
--- @param letters string
--- @return boolean
local function holds(path, letters)
  local at = 1
  for letter in letters:gmatch('[^%s]') do
    local found = path:find(letter, at, true)
    if not found then
      return false
    end
    at = found + 1
  end
  return true
end

--- What the last answer says of what has been typed on since then.
--- @param chat acp.Chat
--- @param query string
--- @return string[]? paths nil where it says nothing
function M.known(chat, query)
  local search = searches[chat.session]
  local known = search and search.known
  if not known or not vim.startswith(query, known.query) then
    return nil
  end
  local letters = query:lower()
  return vim.tbl_filter(function(path)
    return holds(path:lower(), letters)
  end, known.paths)
end

require('acp.state').on_change(function(session)
  if not require('acp.state').get(session) then
    searches[session] = nil
  end
end)

return M
