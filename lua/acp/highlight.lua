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
  AcpToolDone = 'DiagnosticOk',
  AcpToolFailed = 'DiagnosticError',
  AcpToolRunning = 'DiagnosticInfo',
  AcpToolPending = 'Comment',
  AcpToolAsks = 'DiagnosticWarn',
  AcpToolCancelled = 'Comment',
  AcpToolKind = 'Function',
  AcpToolTitle = 'Identifier',
  AcpToolPath = 'Directory',
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
  AcpWinbar = 'WinBar',
  AcpWinbarDim = 'WinBarNC',
  AcpWinbarMode = 'Title',
  AcpWinbarBusy = 'DiagnosticInfo',
  AcpWinbarWaiting = 'DiagnosticWarn',
  AcpWinbarDead = 'DiagnosticError',
}

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
--- @param fg string
--- @param ctermfg integer
local function define_colour(group, fg, ctermfg)
  local is_ours = made[group] and vim.api.nvim_get_hl(0, { name = group }).fg == made[group]
  vim.api.nvim_set_hl(0, group, { fg = fg, ctermfg = ctermfg, default = not is_ours })
  made[group] = vim.api.nvim_get_color_by_name(fg)
end

--- Defines all groups anew; also after a change of the colour scheme.
function M.define()
  for group, target in pairs(M.links) do
    vim.api.nvim_set_hl(0, group, { link = target, default = true })
  end
  local own = vim.split(fallback[vim.o.background], ' ')
  for i, name in ipairs(ansi) do
    local fg = vim.g['terminal_color_' .. (i - 1)] or own[i]
    define_colour('AcpAnsi' .. name, fg, i - 1)
    define_colour('AcpAnsiBright' .. name, vim.g['terminal_color_' .. (i + 7)] or fg, i + 7)
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
