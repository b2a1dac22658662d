--- What stands in a chat's prompt, as the sidecar is told of it: it keeps that over crashes of anyone.
---
--- The first change is told at once, what follows in a rhythm, the last one always: >
---   changes   | || | |||||      |
---   told      |   |   |   |     |
---             <--->               INTERVAL_MS, longer where telling takes long
local rpc = require('acp.rpc')

local M = {}

local INTERVAL_MS = 100

--- A large prompt is told less often: the pause is as many times as long as telling took.
local PAUSE = 20

--- For so long the sidecar may not have heard of what it was told, milliseconds.
local LAG_MS = 5000

--- @type acp.Draft
local BLANK = { text = '', attachments = {} }

--- @class acp.draft.Pace
--- @field due boolean something may have changed that was not told
--- @field running boolean it will be looked at again

--- What stands in a chat's prompt.
--- @param chat acp.Chat
--- @return acp.Draft
function M.of(chat)
  return {
    text = require('acp.ui.prompt').text(chat),
    -- A list of its own: that of the chat is changed in place.
    attachments = vim.list_slice(chat.attachments),
    returned = chat.returned,
  }
end

--- Something that the sidecar gave back stands in the prompt now.
--- @param chat acp.Chat
function M.returned(chat)
  chat.returned = (chat.returned or 0) + 1
  M.changed(chat)
end

--- The sidecar is told of a draft. It may end with any of the last ones that it was told.
--- @param chat acp.Chat
--- @param draft acp.Draft
local function tell(chat, draft)
  local now = vim.uv.now()
  chat.draft_told = draft
  chat.draft_texts = vim.tbl_filter(function(last)
    return now - last.till < LAG_MS
  end, chat.draft_texts or {})
  for _, last in ipairs(chat.draft_texts) do
    last.till = math.min(last.till, now)
  end
  table.insert(chat.draft_texts, { text = draft.text, till = math.huge })
end

--- What stands in the prompt now, which the caller tells the sidecar in a message of its own.
--- @param chat acp.Chat
--- @return acp.Draft
function M.told(chat)
  tell(chat, M.of(chat))
  return chat.draft_told
end

--- @param a acp.Draft
--- @param b acp.Draft
--- @return boolean
local function same(a, b)
  return a.text == b.text
    and a.returned == b.returned
    and vim.deep_equal(a.attachments, b.attachments)
end

--- @param chat acp.Chat
local function save(chat)
  if not (chat.opened and vim.api.nvim_buf_is_loaded(chat.prompt_buf)) then
    return
  end
  local draft = M.of(chat)
  if not same(draft, chat.draft_told or BLANK) then
    tell(chat, draft)
    rpc.notify('draft.save', { session = chat.session, draft = draft })
  end
end

--- Tells at once what is not told yet.
--- @param chat acp.Chat
function M.flush(chat)
  local pace = chat.draft_pace
  if pace and pace.due then
    pace.due = false
    save(chat)
  end
end

--- @param chat acp.Chat
local function beat(chat)
  local pace = chat.draft_pace
  if not pace.due then
    pace.running = false
    return
  end
  local began = vim.uv.hrtime()
  M.flush(chat)
  local took = (vim.uv.hrtime() - began) / 1e6
  vim.defer_fn(function()
    beat(chat)
  end, math.max(INTERVAL_MS, math.ceil(took * PAUSE)))
end

--- The prompt's text or attachments may have changed.
--- @param chat acp.Chat
function M.changed(chat)
  local pace = chat.draft_pace or { due = false, running = false }
  chat.draft_pace = pace
  pace.due = true
  if not pace.running then
    pace.running = true
    -- What is being done is done first: a prompt that is sent is told together with what stays.
    vim.schedule(function()
      beat(chat)
    end)
  end
end

--- The session is about to be opened: what is restored is compared with what stands here now, and with what was told of
--- it until now.
--- @param chat acp.Chat
function M.opening(chat)
  local told = chat.draft_told or BLANK
  local text = vim.api.nvim_buf_is_loaded(chat.prompt_buf) and require('acp.ui.prompt').text(chat)
  local attachments = vim.list_extend(vim.list_slice(chat.attachments), told.attachments)
  local texts = vim.tbl_map(function(last)
    return last.text
  end, chat.draft_texts or {})
  chat.draft_base = { text = text or '', told = texts, attachments = attachments }
  chat.draft_told, chat.returned = nil, nil
  M.changed(chat)
end

--- @param text string
--- @param tail string
--- @return string? head what stands on the lines before
local function before(text, tail)
  if tail ~= '' and vim.endswith(text, '\n' .. tail) then
    return text:sub(1, -#tail - 2)
  end
end

--- What the sidecar held and the prompt did not: prompts that went back to it on a way that they never ended.
--- @param stood string what stood in the prompt when the session was opened, whatever has become of it since
--- @param told string[] what the sidecar had been told of it; it need not have heard of the last
--- @param found string what the sidecar held
--- @return string? text
function M.missing(stood, told, found)
  local drafts = vim.list_extend({ stood }, told)
  local known = vim.iter(drafts):any(function(draft)
    return draft == found or vim.startswith(draft, found .. '\n')
  end)
  if found == '' or known then
    return nil
  elseif vim.trim(stood) == '' then
    return found
  end
  local heard = false
  for _, draft in ipairs(drafts) do
    local first = before(found, draft)
    if first then
      return first
    end
    heard = heard or vim.startswith(draft, found)
  end
  -- It may not have heard of the last keys.
  return not heard and found or nil
end

--- @param list acp.Attachment[]
--- @param attachment acp.Attachment
--- @return boolean
local function has(list, attachment)
  return vim.iter(list):any(function(other)
    return vim.deep_equal(other, attachment)
  end)
end

--- Two lists as one, what stands in both once.
--- @param first acp.Attachment[]
--- @param second acp.Attachment[]
--- @return acp.Attachment[]
function M.union(first, second)
  local all = vim.list_slice(first)
  for _, attachment in ipairs(second) do
    if not has(all, attachment) then
      all[#all + 1] = attachment
    end
  end
  return all
end

--- The session was opened again, and this stood in its prompt. Where something else was typed meanwhile, both are kept.
--- @param params { session: string, draft: acp.Draft }
function M.restored(params)
  local chat = require('acp.chat').get(params.session)
  if not (chat and vim.api.nvim_buf_is_loaded(chat.prompt_buf)) then
    return
  end
  local prompt = require('acp.ui.prompt')
  local found = params.draft
  local text = prompt.text(chat)
  local told = chat.draft_told or BLANK
  local base = chat.draft_base
    or { text = text, told = { told.text }, attachments = told.attachments }
  chat.draft_base = nil
  local missing = M.missing(base.text, base.told, found.text)
  if missing and vim.trim(text) == '' then
    prompt.set(chat, missing)
  elseif missing then
    prompt.prepend(chat, missing)
  end
  local others = vim.tbl_filter(function(attachment)
    return not has(base.attachments, attachment)
  end, found.attachments)
  chat.attachments = M.union(others, chat.attachments)
  -- What was told meanwhile is newer.
  chat.draft_told = chat.draft_told
    or { text = found.text, attachments = vim.list_slice(found.attachments) }
  prompt.show_attachments(chat)
  M.returned(chat)
end

--- Tells the sidecar of each change of a chat's prompt from now on.
--- @param chat acp.Chat
function M.watch(chat)
  local function changed()
    M.changed(chat)
  end
  local function attach()
    vim.api.nvim_buf_attach(chat.prompt_buf, false, {
      on_lines = changed,
      on_detach = function()
        -- |:edit| unloads a buffer and loads it again.
        vim.schedule(function()
          if vim.api.nvim_buf_is_loaded(chat.prompt_buf) then
            attach()
            changed()
          end
        end)
      end,
    })
  end
  attach()
  local group = vim.api.nvim_create_augroup('acp.draft.' .. chat.session, {})
  local function flush(events, opts)
    opts.group = group
    opts.desc = 'acp: what is typed is kept'
    opts.callback = function()
      M.flush(chat)
    end
    vim.api.nvim_create_autocmd(events, opts)
  end
  flush({ 'InsertLeave', 'BufLeave', 'BufUnload' }, { buffer = chat.prompt_buf })
  flush({ 'FocusLost', 'VimSuspend', 'VimLeavePre' }, {})
end

return M
