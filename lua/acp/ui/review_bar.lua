--- The winbar of windows that show a reviewed file. Each gets its own back.
local api = vim.api

local M = {}

local BAR = "%!v:lua.require'acp.ui.review_bar'.draw()"

local texts = {} --- @type table<integer, string> of reviewed buffers
--- Local values that ours hides, also after the review: Neovim keeps the options of a window for each buffer that
--- it has shown, and brings ours back with the buffer.
--- @type table<integer, table<integer, string>> buffer → window → value
local hidden = {}
--- Windows that have been given ours: who sets another since wants that.
--- @type table<integer, table<integer, true>> buffer → window
local given = {}

--- @param win integer
--- @return string
local function local_winbar(win)
  return api.nvim_get_option_value('winbar', { scope = 'local', win = win })
end

--- What a window had before; one that was split from another has taken ours over from that.
--- @param win integer
--- @param buf integer
--- @return string
local function own(win, buf)
  local values = hidden[buf] or {}
  return values[win] or select(2, next(values)) or ''
end

--- Gives the winbar to windows that show a reviewed buffer, and takes it from those that don't.
function M.sync()
  for _, win in ipairs(api.nvim_list_wins()) do
    local buf = api.nvim_win_get_buf(win)
    local value = local_winbar(win)
    local tiled = api.nvim_win_get_config(win).relative == ''
    if not texts[buf] then
      if value == BAR then
        require('acp.ui.layout').winbar(win, own(win, buf))
      end
    elseif tiled and value ~= BAR and not (given[buf] and given[buf][win]) then
      hidden[buf], given[buf] = hidden[buf] or {}, given[buf] or {}
      hidden[buf][win], given[buf][win] = value, true
      require('acp.ui.layout').winbar(win, BAR)
    end
  end
end

--- @param text string
--- @return string
local function escape(text)
  return (text:gsub('%c', ' '):gsub('%%', '%%%%'))
end

--- Says something above a buffer.
--- @param buf integer
--- @param left string
--- @param right string
function M.set(buf, left, right)
  local text = ('%%#AcpReviewBar# %%<%s%%=%%#AcpReviewBarDim#%s '):format(
    escape(left),
    escape(right)
  )
  if texts[buf] == text then
    return
  end
  texts[buf] = text
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    api.nvim__redraw({ win = win, winbar = true })
  end
end

--- @param buf integer
function M.remove(buf)
  texts[buf], given[buf] = nil, nil
end

--- Draws the winbar of the window that Neovim is about to draw.
--- @return string
function M.draw()
  return texts[api.nvim_win_get_buf(vim.g.statusline_winid)] or ''
end

local group = api.nvim_create_augroup('acp.review.bar', {})

api.nvim_create_autocmd({ 'BufWinEnter', 'WinNew' }, {
  group = group,
  desc = 'acp: the winbar of the review stays with its files',
  callback = function()
    if next(hidden) or next(texts) then
      -- Neither is the window of a new split known yet, nor are the options of one whose buffer comes back.
      vim.schedule(M.sync)
    end
  end,
})

api.nvim_create_autocmd('BufWipeout', {
  group = group,
  desc = 'acp: forget what a buffer had',
  callback = function(args)
    texts[args.buf], hidden[args.buf], given[args.buf] = nil, nil, nil
  end,
})

return M
