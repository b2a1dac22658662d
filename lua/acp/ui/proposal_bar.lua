--- The winbar of a proposal that stands in the window of its file: what it is, and how it is answered.
local M = {}

local frame = require('acp.ui.diff_frame')
local hunks = require('acp.ui.diff_hunks')
local keys = require('acp.ui.keys')
local text = require('acp.ui.permission_text')

local WINBAR = "%!v:lua.require'acp.ui.proposal_bar'.draw()"

local proposals = {} --- @type table<integer, acp.Proposal> by buffer

--- @param name string
--- @param columns integer
--- @return string
local function shortened(name, columns)
  local over = vim.fn.strdisplaywidth(name) - math.max(columns, 10)
  return over > 0 and '…' .. vim.fn.strcharpart(name, over + 1) or name
end

--- @param proposal acp.Proposal
--- @param win integer
--- @return acp.winbar.Piece[]
local function pieces(proposal, win)
  local file, view = proposal.files[proposal.index], proposal.lines
  local found, add = require('acp.ui.winbar').gather()
  local changed = proposal.changed
  add(shortened(file.name, vim.api.nvim_win_get_width(win) / 2), 'AcpToolPath', 12)
  add(file.status ~= 'modified' and file.status or nil, 'AcpQuestion', 8)
  if #view.hunks > 0 then
    local hunk = hunks.at(view.hunks, vim.api.nvim_win_get_cursor(win)[1])
    local short = ('%d/%d'):format(hunk, #view.hunks)
    add(('hunk %d of %d'):format(hunk, #view.hunks), 'AcpToolFact', 9, false, short)
  end
  add(('+%d −%d'):format(proposal.added, proposal.removed), 'AcpToolFact', 7)
  if #proposal.files > 1 then
    add(('file %d of %d'):format(proposal.index, #proposal.files), 'AcpToolFact', 8)
  end
  add(changed and 'changed by you' or nil, 'AcpQuestion', 9)
  add(frame.locked(proposal), 'AcpQuestion', 5.5, false, frame.LOCKED)
  local question = frame.question_of(proposal)
  if not question then
    return found
  end
  local function key(lhs, label, rank)
    add(lhs and lhs .. ' ' .. label, 'AcpOptionKey', rank, true)
  end
  add('? ' .. text.asks(text.agent(proposal.session), question), 'AcpQuestion', 5, true, '? asks')
  key(frame.writes(question) and ':w', changed and 'allow it so' or 'allow', 11)
  key('<CR>', 'answer', frame.writes(question) and 6 or 11)
  key(keys.of('diff', 'close'), 'later', 4)
  key(question.editable == true and not proposal.edits and keys.of('diff', 'edit'), 'edit', 3)
  key(#view.hunks > 1 and keys.of('diff', 'next_hunk'), 'next', 1)
  key(#proposal.files > 1 and keys.of('diff', 'next_file'), 'next file', 4)
  return found
end

--- @param piece acp.winbar.Piece
--- @return string
local function format(piece)
  local escaped = piece.text:gsub('%%', '%%%%')
  local key, label = escaped:match('^(%S+)( .*)$')
  if piece.group == 'AcpOptionKey' and key then
    return ('%%#AcpOptionKey#%s%%#AcpToolFact#%s'):format(key, label)
  end
  return ('%%#%s#%s'):format(piece.group, escaped)
end

--- What there's room for, the most important first; the rest in their order.
--- @param all acp.winbar.Piece[]
--- @param columns integer
--- @return acp.winbar.Piece[]
local function fit(all, columns)
  local by_rank, fits = vim.list_slice(all), {}
  table.sort(by_rank, function(a, b)
    return a.rank > b.rank
  end)
  local room = columns - 2
  for _, piece in ipairs(by_rank) do
    for _, words in ipairs({ piece.text, piece.short }) do
      local cells = vim.api.nvim_strwidth(words) + 3
      if not fits[piece] and cells <= room then
        piece.text, fits[piece], room = words, true, room - cells
      end
    end
  end
  return vim.tbl_filter(function(piece)
    return fits[piece]
  end, all)
end

--- Draws the winbar of the window that Neovim is about to draw.
--- @return string
function M.draw()
  local win = vim.g.statusline_winid
  local proposal = proposals[vim.api.nvim_win_get_buf(win)]
  if not proposal then
    return ''
  end
  local sides = { {}, {} }
  for _, piece in ipairs(fit(pieces(proposal, win), vim.api.nvim_win_get_width(win))) do
    table.insert(sides[piece.right and 2 or 1], format(piece))
  end
  return '%#AcpWinbar# %<'
    .. table.concat(sides[1], '%#AcpWinbarDim# · ')
    .. '%#AcpWinbar#%='
    .. table.concat(sides[2], '%#AcpWinbarDim# · ')
    .. '%#AcpWinbar# '
end

--- @param proposal acp.Proposal
function M.attach(proposal)
  proposals[proposal.buf] = proposal
  require('acp.ui.layout').winbar(proposal.win, WINBAR)
end

--- @param proposal acp.Proposal
function M.detach(proposal)
  proposals[proposal.buf] = nil
end

--- @param proposal acp.Proposal
function M.redraw(proposal)
  if vim.api.nvim_win_is_valid(proposal.win) then
    vim.api.nvim__redraw({ win = proposal.win, winbar = true })
  end
end

return M
