--- Where a plan and its answers stand: beside each other where the screen is wide, else one below the other.
local compat = require('acp.compat')
local geometry = require('acp.ui.geometry')
local keys = require('acp.ui.keys')

local api = vim.api

local M = {}

--- Columns of the screen from which on the answers stand beside the plan; else they stand below it.
local BESIDE = 120
--- Columns of the plan that are read well, and those of the answers.
M.MAX_WIDTH = 100
local MIN_MENU, MAX_MENU = 40, 52

--- Where the two stand: as large as what they hold, within the screen.
--- @param shown acp.PlanView
--- @return table text see |nvim_open_win()|
--- @return table menu
local function places(shown)
  local frame = compat.border() == 'none' and 0 or 2
  local columns, rows = vim.o.columns, geometry.screen_rows()
  local widest = 0
  for _, label in ipairs(shown.labels) do
    widest = math.max(widest, api.nvim_strwidth(label) + 6)
  end
  local menu_rows = api.nvim_win_text_height(shown.menu, {}).all
  local text_rows = api.nvim_win_text_height(shown.text, {}).all
  local function place(row, col, width, height)
    return { relative = 'editor', row = row, col = col, width = width, height = math.max(1, height) }
  end
  if columns >= BESIDE then
    local menu_width = math.max(MIN_MENU, math.min(widest, MAX_MENU))
    local width = math.min(M.MAX_WIDTH, columns - menu_width - 2 * frame)
    local height = math.max(menu_rows, math.min(text_rows, rows - frame))
    local row = math.floor((rows - height - frame) / 2)
    local col = math.floor((columns - width - menu_width - 2 * frame) / 2)
    return place(row, col, width, height),
      place(row, col + width + frame, menu_width, math.min(menu_rows, rows - frame))
  end
  local width = math.min(M.MAX_WIDTH, columns - frame)
  local most = math.min(menu_rows, math.max(2, math.floor(rows / 2) - frame))
  local height = math.max(1, math.min(text_rows, rows - most - 2 * frame))
  local row = math.max(0, math.floor((rows - height - most - 2 * frame) / 2))
  local col = math.floor((columns - width - frame) / 2)
  return place(row, col, width, height), place(row + height + frame, col, width, most)
end

--- What the keys do, in the longest words that there is room for.
--- @param room integer
--- @return string
local function hint(room)
  local function words(reject)
    local parts = {} --- @type string[]
    for _, key in ipairs({ { 'choose', 'choose' }, { 'decline', reject }, { 'close', 'later' } }) do
      local lhs = keys.of('question', key[1])
      if lhs then
        parts[#parts + 1] = ('%s %s'):format(lhs, key[2])
      end
    end
    return (' %s '):format(table.concat(parts, ' · '))
  end
  local long = words('reject with words')
  return api.nvim_strwidth(long) <= room and long or words('with words')
end

--- Gives both their place, and says there what the keys do.
--- @param shown acp.PlanView
function M.fit(shown)
  -- What a text needs depends on the width that it is given.
  for _ = 1, 2 do
    local text, menu = places(shown)
    api.nvim_win_set_config(shown.text, text)
    api.nvim_win_set_config(shown.menu, menu)
  end
  local height = api.nvim_win_get_height(shown.text)
  local scrolls = api.nvim_win_text_height(shown.text, {}).all > height
  if compat.border() ~= 'none' then
    api.nvim_win_set_config(shown.menu, {
      footer = hint(api.nvim_win_get_width(shown.menu)),
      footer_pos = 'right',
    })
    api.nvim_win_set_config(shown.text, {
      footer = scrolls and ' <C-d> <C-u> scroll · <Tab> go there ' or '',
      footer_pos = 'right',
    })
  end
end

return M
