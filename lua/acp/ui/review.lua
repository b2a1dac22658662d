--- The review: what the agent changed, in the code itself, to be kept or rejected. What there is to review is known by
--- the sidecar alone; here is what is on the screen.
local api = vim.api
local buffers = require('acp.ui.review_buffers')
local go = require('acp.ui.review_go')
local list = require('acp.ui.review_list')
local message = require('acp.message')
local send = require('acp.ui.review_send')

local M = {}

--- Milliseconds without a change of the text after which hunks are computed anew.
local DELAY = 400

local view --- @type acp.ReviewView? on the screen
local wanted = false -- the user has asked for it: what comes takes the cursor
local waiting = false -- something was sent that will be answered by a review
local deciding = false -- all was decided at once, and the answer says what is left
local dismissed = false -- that answer is about a review that was ended meanwhile
local told = {} --- @type table<string, true> limits
local timer --- @type uv.uv_timer_t? lives as long as Neovim
local outdated = false -- a file was read anew

--- @param of acp.ReviewOf
--- @param scope acp.ReviewScope
--- @return boolean sent
local function request(of, scope)
  waiting = send.send('review.open', of, { scope = scope })
  return waiting
end

--- Asks for the hunks as they are now, once nobody types.
local function refresh()
  local changed = outdated or buffers.changed()
  -- Who is inserting leaves insert mode some time, and then it is asked again.
  if view and changed and not api.nvim_get_mode().mode:find('^[iR]') then
    outdated = false
    request(view, view.scope)
  end
end

--- @param certain? boolean there is something new, whatever the buffers say
local function refresh_soon(certain)
  outdated = outdated or certain == true
  timer = timer or assert(vim.uv.new_timer())
  timer:start(DELAY, 0, vim.schedule_wrap(refresh))
end

--- What could not be recorded is told once.
--- @param limits string[]
local function tell(limits)
  local new = vim.tbl_filter(function(limit)
    return not told[limit]
  end, limits)
  for _, limit in ipairs(new) do
    told[limit] = true
  end
  if #new > 0 then
    message.warn('not in the review: ' .. table.concat(new, '\n'))
  end
end

--- Takes the review from the screen.
local function clear()
  view, outdated, told = nil, false, {}
  buffers.clear()
  list.close()
end

--- @param last acp.ReviewView
local function finish(last)
  local is_done = view ~= nil or deciding
  deciding = false
  clear()
  local parts = {} --- @type string[]
  for _, decided in ipairs({ { last.kept, 'kept' }, { last.rejected, 'rejected' } }) do
    if decided[1] > 0 then
      table.insert(parts, ('%d %s'):format(decided[1], decided[2]))
    end
  end
  local words = #parts > 0 and ': ' .. table.concat(parts, ', ') or ''
  message.info((is_done and 'review done' or 'there is nothing to review') .. words)
end

--- Gives the cursor to what is to be reviewed, unless something else goes on.
--- @param first boolean wherever it is; else only from elsewhere
local function enter(first)
  if api.nvim_get_mode().mode ~= 'n' or vim.fn.getcmdwintype() ~= '' then
    return
  end
  list.open()
  local there = not first and buffers.file(api.nvim_get_current_buf())
  if view and not there and not go.first(view) then
    list.focus()
  end
end

local function setup()
  require('acp.highlight').setup()
  local keys = require('acp.ui.review_keys')
  local function current()
    return view
  end
  list.watch(function(buf)
    return keys.list(buf, current, M.close)
  end)
  buffers.setup({
    borrow = function(buf)
      return keys.code(buf, current, M.close)
    end,
    on_change = refresh_soon,
    on_load = function(anew)
      if anew then
        refresh_soon(true)
      end
      vim.schedule(function() -- the list may be what loads it
        if view then
          list.update(view)
        end
      end)
    end,
  })
  api.nvim_create_autocmd('User', {
    group = api.nvim_create_augroup('acp.review', {}),
    pattern = { 'AcpFileChanged', 'AcpTurnEnd' },
    desc = 'acp: what is changed meanwhile comes into the review',
    callback = function()
      if view then
        refresh_soon(true)
      end
    end,
  })
end

--- Shows what is to be reviewed, anew where it is on the screen.
--- @param new acp.ReviewView
function M.show(new)
  local asked, first = wanted, view == nil
  wanted, waiting = false, false
  if dismissed then
    dismissed = false
    return
  end
  require('acp.ui.review_decide').answered()
  if #new.files == 0 then
    return finish(new)
  end
  if first then
    setup()
  end
  view, deciding = new, false
  buffers.show(view)
  list.update(view, first or asked)
  tell(view.limits)
  if first or asked then
    enter(first)
  end
end

--- Asks for the review; with one on the screen, for what is new.
--- @param scope? acp.ReviewScope 'session' by default
function M.open(scope)
  dismissed, deciding = false, false
  wanted = request(send.of(), scope or 'session')
end

--- Keeps or rejects all that is to be reviewed: of the review on the screen, else of the session.
--- @param action 'keep'|'reject'
function M.decide_all(action)
  dismissed = false
  local scope = view and view.scope or 'session'
  deciding = send.send('review.decide', view or send.of(), { scope = scope, action = action })
end

--- Has the record forgotten: nothing is left to review or to undo.
function M.drop()
  local of = view or send.of()
  dismissed = view ~= nil and waiting
  clear()
  send.send('review.drop', of, {})
end

--- Ends it. What is not decided stays to be reviewed.
function M.close()
  if not view then
    return
  end
  local hunks = 0
  for _, file in ipairs(view.files) do
    hunks = hunks + math.max(1, #file.hunks)
  end
  dismissed = waiting
  clear()
  local words = hunks == 1 and '%d change stays' or '%d changes stay'
  message.info((words .. ' to be reviewed'):format(hunks))
end

--- Sends what was rejected to the agent, as the next prompt.
--- @param why? string asked for where it is empty
function M.resend(why)
  local chat = require('acp.chat').current()
  if not chat then
    return message.warn('there is no chat to send it to: open one with :AcpChat')
  end
  local function tell_agent(words)
    if words then -- nil: cancelled
      require('acp.rpc').notify('review.resend', { session = chat.session, why = vim.trim(words) })
    end
  end
  if why and vim.trim(why) ~= '' then
    return tell_agent(why)
  end
  vim.ui.input({ prompt = 'Why was it rejected? (may be empty) ' }, tell_agent)
end

return M
