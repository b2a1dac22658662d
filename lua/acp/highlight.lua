--- Highlight groups: all default links, so that every colour scheme is right.
local M = {}

--- Group → the standard group that it links to. Listed in `:h acp-highlights`.
--- @type table<string, string>
M.links = {
  AcpUser = 'Normal',
  AcpUserBar = 'Title',
  AcpUserLine = 'CursorLine',
  AcpTime = 'Comment',
  AcpAttachment = 'Directory',
  AcpAttachmentSize = 'Comment',
  AcpAttachmentRemove = 'Comment',
  AcpHeading = 'Title',
  AcpBold = '@markup.strong',
  AcpItalic = '@markup.italic',
  AcpStrike = '@markup.strikethrough',
  AcpCode = 'String',
  AcpFence = 'Comment',
  AcpFenceLine = 'ColorColumn',
  AcpQuote = 'Comment',
  AcpListMarker = 'Special',
  AcpLink = 'Underlined',
  AcpRule = 'NonText',
  AcpTableBorder = 'NonText',
  AcpThought = 'Comment',
  AcpSuggestion = 'NonText',
  AcpDraft = 'Comment',
  AcpToolDone = 'DiagnosticOk',
  AcpToolFailed = 'DiagnosticError',
  AcpToolRunning = 'DiagnosticInfo',
  AcpToolPending = 'Comment',
  AcpToolAsks = 'DiagnosticWarn',
  AcpToolCancelled = 'Comment',
  AcpToolKind = 'Function',
  AcpToolTitle = 'Identifier',
  AcpToolPath = 'Directory',
  AcpSubagentBar = 'NonText',
  AcpToolFact = 'Comment',
  AcpToolOutput = 'Comment',
  AcpQuestion = 'WarningMsg',
  AcpOption = 'Question',
  AcpOptionKey = 'Special',
  AcpPlanDone = 'DiagnosticOk',
  AcpPlanActive = 'DiagnosticInfo',
  AcpPlanPending = 'Comment',
  AcpNoticeInfo = 'DiagnosticInfo',
  AcpNoticeWarning = 'DiagnosticWarn',
  AcpNoticeError = 'DiagnosticError',
  AcpUnknown = 'NonText',
  AcpTurn = 'NonText',
  AcpTurnUnasked = 'DiagnosticWarn',
  AcpDiffAdd = 'DiffAdd',
  AcpDiffDelete = 'DiffDelete',
  AcpDiffAddWord = 'DiffText',
  AcpDiffDeleteWord = 'DiffText',
  AcpDiffLineNr = 'LineNr',
  AcpDiffFold = 'Folded',
  AcpFollowLine = 'CursorLine',
  AcpReviewAdd = 'Added',
  AcpReviewChange = 'Changed',
  AcpReviewDelete = 'Removed',
  AcpReviewLine = 'DiffAdd',
  AcpReviewHint = 'Comment',
  AcpReviewKey = 'Special',
  AcpReviewBar = 'WinBar',
  AcpReviewBarDim = 'WinBarNC',
  AcpWinbar = 'WinBar',
  AcpWinbarDim = 'WinBarNC',
  AcpWinbarMode = 'Title',
  AcpWinbarReview = 'Added',
  AcpWinbarBusy = 'DiagnosticInfo',
  AcpWinbarWaiting = 'DiagnosticWarn',
  AcpWinbarDead = 'DiagnosticError',
  AcpWinbarNear = 'DiagnosticWarn',
  AcpWinbarFull = 'DiagnosticError',
}

--- Of what these link to, they have the background alone: they lie under code, whose colours stay.
local backgrounds = { 'AcpReviewLine' }

--- The 16 colours of ANSI output, made from the terminal colours of the colour scheme where it has some.
local ansi = {
  'Black',
  'Red',
  'Green',
  'Yellow',
  'Blue',
  'Magenta',
  'Cyan',
  'White',
}
--- In the same order, for each 'background'.
local fallback = {
  dark = '#5c6370 #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #abb2bf',
  light = '#383a42 #ca1243 #3f7f3e #8f6600 #2f62d6 #a626a4 #00708a #696c77',
}

local made = {} --- @type table<string, integer> the colours that are ours

--- Makes a group, also anew while it is as we made it: not every change of 'background' clears it.
--- @param group string
--- @param colour 'fg'|'bg' by which ours is known again; a link is made anew by each colour scheme
--- @param hl vim.api.keyset.highlight
local function define_own(group, colour, hl)
  local is_ours = made[group] and vim.api.nvim_get_hl(0, { name = group })[colour] == made[group]
  hl.default = not is_ours
  vim.api.nvim_set_hl(0, group, hl)
  local value = hl[colour]
  made[group] = type(value) == 'string' and vim.api.nvim_get_color_by_name(value) or value
end

--- Whether the text of the code can be read on a background: one on the same side as 'background'.
--- @param bg integer
--- @return boolean
local function is_quiet(bg)
  local red, green, blue = bit.rshift(bg, 16), bit.band(bit.rshift(bg, 8), 255), bit.band(bg, 255)
  local light = 0.299 * red + 0.587 * green + 0.114 * blue
  return (light < 128) == (vim.o.background == 'dark')
end

--- @param group string
local function define_background(group)
  local hl = vim.api.nvim_get_hl(0, { name = M.links[group], link = false })
  if hl.bg and is_quiet(hl.bg) and not hl.reverse then
    -- The few colours of a terminal are made for each other.
    define_own(group, 'bg', { bg = hl.bg, ctermfg = hl.ctermfg, ctermbg = hl.ctermbg })
  else
    define_own(group, 'bg', { link = M.links[group] })
  end
end

--- Defines all groups anew; also after a change of the colour scheme.
function M.define()
  for group, target in pairs(M.links) do
    if not vim.list_contains(backgrounds, group) then
      vim.api.nvim_set_hl(0, group, { link = target, default = true })
    end
  end
  vim.iter(backgrounds):each(define_background)
  local own = vim.split(fallback[vim.o.background], ' ')
  for i, name in ipairs(ansi) do
    local fg = vim.g['terminal_color_' .. (i - 1)] or own[i]
    local bright = vim.g['terminal_color_' .. (i + 7)] or fg
    define_own('AcpAnsi' .. name, 'fg', { fg = fg, ctermfg = i - 1 })
    define_own('AcpAnsiBright' .. name, 'fg', { fg = bright, ctermfg = i + 7 })
  end
  vim.api.nvim_set_hl(0, 'AcpAnsiBold', { bold = true, default = true })
  vim.api.nvim_set_hl(0, 'AcpAnsiDim', { link = 'Comment', default = true })
  vim.api.nvim_set_hl(0, 'AcpAnsiItalic', { italic = true, default = true })
  vim.api.nvim_set_hl(0, 'AcpAnsiUnderline', { underline = true, default = true })
end

--- Defines the groups and keeps them defined. Called once, when the first session opens.
function M.setup()
  M.define()
  local group = vim.api.nvim_create_augroup('acp.highlight', {})
  local desc = 'acp: define the highlight groups anew'
  vim.api.nvim_create_autocmd('ColorScheme', { group = group, desc = desc, callback = M.define })
  vim.api.nvim_create_autocmd(
    'OptionSet',
    { group = group, pattern = 'background', desc = desc, callback = M.define }
  )
end

return M
