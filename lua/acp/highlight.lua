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
  AcpBold = 'Bold',
  AcpItalic = 'Italic',
  AcpStrike = 'Comment',
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
local fallback = {
  '#5c6370',
  '#e06c75',
  '#98c379',
  '#e5c07b',
  '#61afef',
  '#c678dd',
  '#56b6c2',
  '#abb2bf',
}

--- Defines all groups anew; also after a change of the colour scheme.
function M.define()
  for group, target in pairs(M.links) do
    vim.api.nvim_set_hl(0, group, { link = target, default = true })
  end
  for i, name in ipairs(ansi) do
    local fg = vim.g['terminal_color_' .. (i - 1)] or fallback[i]
    local bright = vim.g['terminal_color_' .. (i + 7)] or fg
    vim.api.nvim_set_hl(0, 'AcpAnsi' .. name, { fg = fg, ctermfg = i - 1, default = true })
    vim.api.nvim_set_hl(
      0,
      'AcpAnsiBright' .. name,
      { fg = bright, ctermfg = i + 7, default = true }
    )
  end
  vim.api.nvim_set_hl(0, 'AcpAnsiBold', { bold = true, default = true })
  vim.api.nvim_set_hl(0, 'AcpAnsiDim', { link = 'Comment', default = true })
  vim.api.nvim_set_hl(0, 'AcpAnsiItalic', { italic = true, default = true })
  vim.api.nvim_set_hl(0, 'AcpAnsiUnderline', { underline = true, default = true })
end

--- Defines the groups and keeps them defined. Called once, when the first session opens.
function M.setup()
  M.define()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('acp.highlight', {}),
    desc = 'acp: define the highlight groups anew',
    callback = M.define,
  })
end

return M
