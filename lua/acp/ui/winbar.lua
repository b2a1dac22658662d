--- The line above a transcript: who, how, what is going on, and how full the context is.
local state = require('acp.state')
local ticker = require('acp.ui.ticker')

local M = {}

--- @class acp.winbar.Piece
--- @field text string
--- @field group string
--- @field short? string instead, before it goes
--- @field rank integer the least is shortened or goes first when there's no room
--- @field kept integer the rank once it is short
--- @field right? boolean

--- What the session is doing.
--- @param status acp.Status
--- @return string text
--- @return string group
local function doing(status)
  local name = status.state
  local time = status.since and ' ' .. ticker.elapsed(status.since) or ''
  if name == 'working' or name == 'cancelling' or name == 'starting' then
    return ('%s %s%s'):format(ticker.glyph(), name, time), 'AcpWinbarBusy'
  elseif name == 'waiting' then
    return 'waiting for you', 'AcpWinbarWaiting'
  elseif name == 'dead' then
    return 'ended', 'AcpWinbarDead'
  elseif name == 'saved' then
    return 'read-only', 'AcpWinbarDim'
  end
  return 'idle', 'AcpWinbarDim'
end

--- The name of the mode, as the agent's list has it.
--- @param status acp.Status
--- @return string?
local function mode_name(status)
  for _, option in ipairs(status.config) do
    for _, choice in ipairs(option.category == 'mode' and option.choices or {}) do
      if choice.value == status.mode then
        return choice.name
      end
    end
  end
  return status.mode
end

--- Level of use → highlight group, and rank once it is short.
local USE = {
  ok = { 'AcpWinbarDim', 4 },
  near = { 'AcpWinbarNear', 7 },
  full = { 'AcpWinbarFull', 8 },
}

--- Adds what the session uses up.
--- @param status acp.Status
--- @param add acp.winbar.Add
local function add_use(status, add)
  local usage = require('acp.ui.usage')
  local limit, limit_short, limit_level = usage.limit(status.limits)
  add(limit, USE[limit_level][1], 3, true, limit_short, USE[limit_level][2])
  if status.usage then
    local full, short, level = usage.context(status.usage)
    add(full, USE[level][1], 3, true, short, USE[level][2])
    add(usage.cost(status.usage.cost), 'AcpWinbarDim', 0, true)
  end
end

--- @alias acp.winbar.Add
--- | fun(text?: string|false, group: string, rank: integer, right?: boolean, short?: string, kept?: integer)

--- A list of pieces, and what adds one to it where there is a text.
--- @return acp.winbar.Piece[] pieces
--- @return acp.winbar.Add add
function M.gather()
  local pieces = {} --- @type acp.winbar.Piece[]
  return pieces,
    function(text, group, rank, right, short, kept)
      if text and text ~= '' then
        pieces[#pieces + 1] = {
          text = (text:gsub('%c', ' ')),
          group = group,
          rank = rank,
          right = right,
          short = short,
          kept = kept or rank,
        }
      end
    end
end

--- The pieces of a session's winbar, in the order in which they stand. Also made for status lines.
--- @param session string
--- @return acp.winbar.Piece[]
function M.pieces(session)
  local status = state.get(session)
  if not status then
    return {}
  end
  local pieces, add = M.gather()
  local questions = #status.questions
  local text, group = doing(status)
  -- Who it is can be seen elsewhere; what waits, and that the context is nearly full, only here.
  add(status.agent, 'AcpWinbar', 6)
  add(mode_name(status), 'AcpWinbarMode', 5)
  add(status.model, 'AcpWinbarDim', 2)
  if status.goal then
    local goal = require('acp.ui.usage').goal(status.goal)
    add(goal, 'AcpWinbarDim', 1)
  end
  -- A question says by itself who waits for whom.
  add(text, group, status.state == 'waiting' and questions > 0 and 4 or 9, true)
  if questions > 0 then
    local asked = ('? %d question%s'):format(questions, questions == 1 and '' or 's')
    add(asked, 'AcpWinbarWaiting', 10, true)
  end
  add(#status.queue > 0 and #status.queue .. ' queued' or nil, 'AcpWinbarDim', 7, true)
  local commands = #status.terminals
  if commands > 0 then
    local running = ('%d command%s'):format(commands, commands == 1 and '' or 's')
    add(running .. (commands == 1 and ' runs' or ' run'), 'AcpWinbarDim', 4, true, running, 5)
  end
  local follow = package.loaded['acp.ui.follow_agent']
  add(follow and follow.following(session) and 'following' or nil, 'AcpWinbarDim', 4, true)
  local review = status.review
  if review then
    local files = ('%d file%s'):format(review.files, review.files == 1 and '' or 's')
    local lines = ('+%d −%d'):format(review.added, review.removed)
    add(('%s %s to review'):format(files, lines), 'AcpWinbarReview', 1, true, lines, 2)
  end
  local login = package.loaded['acp.ui.login']
  if login and login.running(session) then
    add(ticker.glyph() .. ' logging in', 'AcpWinbarBusy', 9, true)
  elseif status.account and status.account.state == 'out' then
    add('not logged in', 'AcpWinbarWaiting', 8, true)
  end
  add_use(status, add)
  return pieces
end

local SEPARATOR = ' · '

--- @param pieces acp.winbar.Piece[]
--- @return integer
local function width(pieces)
  local total = 2 - (#SEPARATOR - 1)
  for _, piece in ipairs(pieces) do
    total = total + vim.api.nvim_strwidth(piece.text) + #SEPARATOR - 1
  end
  return total
end

--- Shortens and takes away what matters least until the rest fits; what is left may be cut off.
--- @param pieces acp.winbar.Piece[]
--- @param columns integer
--- @return acp.winbar.Piece[]
function M.fit(pieces, columns)
  while #pieces > 1 and width(pieces) > columns do
    local least = 1
    for i, piece in ipairs(pieces) do
      if piece.rank < pieces[least].rank then
        least = i
      end
    end
    if pieces[least].short then
      pieces[least].text, pieces[least].short = pieces[least].short, nil
      pieces[least].rank = pieces[least].kept
    else
      table.remove(pieces, least)
    end
  end
  return pieces
end

--- @param pieces acp.winbar.Piece[]
--- @return string in the format of 'statusline'
local function format(pieces)
  local sides = { {}, {} }
  for _, piece in ipairs(pieces) do
    local text = ('%%#%s#%s'):format(piece.group, (piece.text:gsub('%%', '%%%%')))
    table.insert(sides[piece.right and 2 or 1], text)
  end
  local separator = '%#AcpWinbarDim#' .. SEPARATOR
  return '%#AcpWinbar# %<'
    .. table.concat(sides[1], separator)
    .. '%#AcpWinbar#%='
    .. table.concat(sides[2], separator)
    .. '%#AcpWinbar# '
end

--- Draws the winbar of the window that Neovim is about to draw.
--- @return string
function M.draw()
  local win = vim.g.statusline_winid
  local session = vim.b[vim.api.nvim_win_get_buf(win)].acp_session
  if not session then
    return ''
  end
  return format(M.fit(M.pieces(session), vim.api.nvim_win_get_width(win)))
end

--- A session in one line of plain text, for |statusline|s.
--- @param session string
--- @return string empty when there is no such session
function M.status(session)
  local texts = vim.tbl_map(function(piece)
    return piece.text
  end, M.pieces(session))
  local status = state.get(session)
  local account = status and status.account
  if account and account.state == 'in' and account.label then
    table.insert(texts, account.label)
  end
  return table.concat(texts, SEPARATOR)
end

--- Windows of the current tab that show the winbar of a session.
--- @param session string
--- @return integer[]
local function shown(session)
  return vim.tbl_filter(function(win)
    return vim.b[vim.api.nvim_win_get_buf(win)].acp_session == session and vim.wo[win].winbar ~= ''
  end, vim.api.nvim_tabpage_list_wins(0))
end

local moving = { starting = true, working = true, cancelling = true }

--- Draws a session's winbars anew, and goes on while something in them moves.
--- @param session string
--- @return boolean go_on
function M.redraw(session)
  local wins = shown(session)
  for _, win in ipairs(wins) do
    vim.api.nvim__redraw({ win = win, winbar = true })
  end
  local status = state.get(session)
  local login = package.loaded['acp.ui.login']
  local moves = status and moving[status.state] or login and login.running(session)
  local goes_on = #wins > 0 and moves == true
  if goes_on then
    ticker.start('winbar ' .. session, function()
      return M.redraw(session)
    end)
  end
  return goes_on
end

state.on_change(M.redraw)

return M
