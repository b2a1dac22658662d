--- A component of lualine.nvim, `lualine_x = { { require('acp.lualine') } }`: what the current chat is doing; nothing
--- where there is none. It starts nothing, and loads nothing before there is a chat. It is no component by name: plugin
--- managers find a plugin's one module by its being the only one.
local Component = require('lualine.component'):extend()

--- What stands out from the colours of the section.
local LOUD = { 'AcpWinbarWaiting', 'AcpWinbarNear', 'AcpWinbarFull', 'AcpWinbarDead' }

local DEFAULTS = {
  colored = true,
  --- Share of the screen's columns that it takes at most; what matters least gives way.
  width = 0.35,
}

--- @param options table those of lualine, `colored` and `width`
function Component:init(options)
  Component.super.init(self, options)
  self.options = vim.tbl_extend('keep', self.options, DEFAULTS)
  self.loud = {}
  for _, group in ipairs(self.options.colored and LOUD or {}) do
    self.loud[group] = self:create_hl(function()
      local hl = vim.api.nvim_get_hl(0, { name = group, link = false })
      return hl.fg and { fg = ('#%06x'):format(hl.fg) } or {}
    end, group)
  end
end

--- @return string in the format of 'statusline'
function Component:update_status()
  local chat = package.loaded['acp.chat'] and require('acp.chat').current()
  if not chat then
    return ''
  end
  local winbar = require('acp.ui.winbar')
  local columns = math.floor(vim.o.columns * self.options.width)
  local texts = vim.tbl_map(function(piece)
    local text = piece.text:gsub('%%', '%%%%')
    local hl = self.loud[piece.group]
    return hl and self:format_hl(hl) .. text .. self:get_default_hl() or text
  end, winbar.fit(winbar.pieces(chat.session), columns))
  return table.concat(texts, ' · ')
end

return Component
