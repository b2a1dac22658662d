--- Shows the change of files: in a float, or as a proposal in the window of the file. Never modal: chat and code stay
--- reachable, and closing it answers nothing.
local M = {}

local message = require('acp.message')

--- What shows a change; there is one for each session at most.
--- @class acp.DiffView
--- @field kind 'float'|'inline'
--- @field session string
--- @field block string
--- @field question? string
--- @field files table[] `FileDiff` of `src/diff/file-diff.ts`
--- @field index integer the file that is shown
--- @field edits? boolean the proposal is there to be changed by hand
--- @field busy? boolean it is being written, and goes only afterwards
--- @field taken? boolean what was changed by hand goes along with an answer
--- @field buf integer
--- @field win integer
--- @field group integer autocommands that live as long as it does
--- @field render fun(self: acp.DiffView, line?: integer) shows the file `index`, at a line of it as it stands
--- @field go_hunk fun(self: acp.DiffView, by: integer)
--- @field caption fun(self: acp.DiffView) its frame is out of date
--- @field line fun(self: acp.DiffView): integer? line of the file as it stands, at the cursor
--- @field text fun(self: acp.DiffView): string? the whole proposal, where it was changed by hand
--- @field dispose fun(self: acp.DiffView)

--- @class acp.DiffParams
--- @field session string
--- @field block string
--- @field question? string
--- @field files table[] `FileDiff` of `src/diff/file-diff.ts`
--- @field enter? boolean whether the cursor goes there; unless it is false it does, when nobody is typing
--- @field edit? boolean the proposal is to be changed by hand
--- @field line? integer of the file as it stands, at which it is shown

local views = {} --- @type table<string, acp.DiffView>

--- @param view acp.DiffView
--- @return table? question `Question` of `src/nvim/question.ts`, while it is open
function M.question_of(view)
  return view.question and require('acp.ui.permission').find(view.session, view.question)
end

--- Why a change can't stand in the window of its file, in a few words.
--- @param file table
--- @return string?
function M.not_inline(file)
  if file.fragment then
    return 'a piece of it'
  elseif not file.lines then
    return 'too large to be shown whole'
  end
end

--- @param params acp.DiffParams
--- @return 'float'|'inline'
--- @return boolean edits
local function presentation(params)
  local options = require('acp.config').get().diff
  local question = M.question_of(params --[[@as acp.DiffView]])
  if not question or vim.iter(params.files):any(M.not_inline) then
    return 'float', false
  end
  local edits = question.editable == true
    and (params.edit or options.edit)
    and #params.files == 1
    and params.files[1].text ~= nil
  -- No window changes under the fingers of somebody who types.
  local free = vim.api.nvim_get_mode().mode:find('^n') and vim.fn.getcmdwintype() == ''
  return free and (edits or options.view == 'inline') and 'inline' or 'float', edits
end

--- @param view acp.DiffView
--- @param kind string
--- @param params acp.DiffParams
--- @return boolean
local function goes_on(view, kind, params)
  return view.kind == kind
    and view.block == params.block
    and vim.api.nvim_win_is_valid(view.win)
    and vim.api.nvim_win_get_buf(view.win) == view.buf
    and vim.api.nvim_win_get_tabpage(view.win) == vim.api.nvim_get_current_tabpage()
end

--- @param kind string
--- @param params acp.DiffParams
--- @return acp.DiffView
local function open(kind, params)
  local view = kind == 'inline' and require('acp.ui.proposal').open(params)
    or require('acp.ui.diff_float').open(params)
  view.index = 1
  views[params.session] = view
  require('acp.ui.diff_keys').map(view)
  require('acp.ui.diff_write').watch(view)
  return view
end

--- Shows files; anew for the same block where it is shown already.
--- @param params acp.DiffParams
function M.show(params)
  if #params.files == 0 then
    return message.info('there is no diff to show')
  end
  local kind, edits = presentation(params)
  local view = views[params.session]
  if not (view and goes_on(view, kind, params)) then
    M.close(params.session)
    view = open(kind, params)
  end
  view.question = params.question
  -- What was changed by hand is not shown anew as it was proposed.
  if not view:text() then
    view.files = params.files
    view.edits = edits and view.kind == 'inline'
    view.index = math.min(view.index, #params.files)
    view:render(params.line)
  end
  local free = vim.api.nvim_get_mode().mode == 'n' and vim.fn.getcmdwintype() == ''
  if params.enter ~= false and free then
    vim.api.nvim_set_current_win(view.win)
  end
end

--- Closes what shows the change of a session.
--- @param session string
--- @param block? string only when it shows this block
function M.close(session, block)
  local view = views[session]
  if not view or (block and view.block ~= block) then
    return
  end
  views[session] = nil
  local function dispose()
    vim.api.nvim_del_augroup_by_id(view.group)
    view:dispose()
  end
  if view.busy then
    vim.schedule(dispose)
  else
    dispose()
  end
end

--- The user closed it, and answered nothing.
--- @param view acp.DiffView
function M.leave(view)
  if views[view.session] ~= view then
    return
  end
  local open_still = M.question_of(view) ~= nil
  M.close(view.session)
  if open_still then
    message.info('the question stays open · :AcpPermission')
  end
end

--- Lets go what came up by itself: it closes when work goes on in another window, and stays for who enters it.
--- @param session string
--- @param block string only when it shows this block
function M.release(session, block)
  local view = views[session]
  if not view or view.block ~= block or vim.api.nvim_get_current_win() == view.win then
    return
  end
  local function place()
    local win = vim.api.nvim_get_current_win()
    return { win, vim.api.nvim_win_get_cursor(win) }
  end
  local since = place()
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'InsertEnter', 'WinEnter' }, {
    group = view.group,
    callback = function(event)
      if vim.api.nvim_get_current_win() == view.win then
        return true
      end
      if event.event == 'InsertEnter' or not vim.deep_equal(since, place()) then
        vim.schedule(function()
          M.close(session, block)
        end)
        return true
      end
    end,
  })
end

--- The question of the diff in which the cursor is.
--- @return string? session
--- @return string? question
function M.current()
  local buf = vim.api.nvim_get_current_buf()
  for session, view in pairs(views) do
    if view.buf == buf then
      return session, view.question
    end
  end
end

--- Whether the diff of a question is on the screen.
--- @param session string
--- @param question string
--- @return boolean
function M.shows(session, question)
  local view = views[session]
  return view ~= nil
    and view.question == question
    and vim.api.nvim_win_is_valid(view.win)
    and vim.api.nvim_win_get_tabpage(view.win) == vim.api.nvim_get_current_tabpage()
end

--- The proposal of a question as it was changed by hand, to be sent.
--- @param session string
--- @param question string
--- @return string?
function M.take_text(session, question)
  local view = views[session]
  local text = view and view.question == question and view:text() or nil
  if view and text then
    view.taken = true
  end
  return text
end

return M
