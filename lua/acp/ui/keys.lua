--- Keys of the chat's windows: names from the configuration, what they do from the windows themselves.
local config = require('acp.config')

local M = {}

--- @class acp.Action
--- @field [1] string|string[] modes
--- @field [2] fun(): any
--- @field expr? boolean

--- Options of a group of keys, in the order of the configuration's schema.
--- @param group string
--- @return acp.config.Option[]
local function options(group)
  local function field(fields, name)
    return vim.iter(fields):find(function(option)
      return option[1] == name
    end)
  end
  return field(field(config.schema, 'keymaps').fields, group).fields
end

--- @param lhs string|string[]|false
--- @return string[]
local function list(lhs)
  return type(lhs) == 'table' and lhs or lhs and { lhs } or {}
end

--- Maps the keys of a group in a buffer.
--- @param group 'prompt'|'transcript'|'diff'
--- @param buf integer
--- @param actions table<string, acp.Action>
function M.map(group, buf, actions)
  local maps = config.get().keymaps[group]
  for _, option in ipairs(options(group)) do
    local name, action = option[1], actions[option[1]]
    for _, lhs in ipairs(action and list(maps[name]) or {}) do
      vim.keymap.set(action[1], lhs, action[2], {
        buffer = buf,
        nowait = true,
        silent = true,
        expr = action.expr,
        desc = 'acp: ' .. option.desc,
      })
    end
  end
end

--- The first key of an action, for hints.
--- @param group string
--- @param name string
--- @return string?
function M.of(group, name)
  return list(config.get().keymaps[group][name])[1]
end

--- Shows the keys of a group.
--- @param group string
function M.help(group)
  local lines = {} --- @type string[]
  local maps = config.get().keymaps[group]
  for _, option in ipairs(options(group)) do
    local lhs = table.concat(list(maps[option[1]]), ' ')
    if lhs ~= '' then
      lines[#lines + 1] = ('%-10s %s'):format(lhs, option.desc)
    end
  end
  require('acp.ui.detail').show({ title = 'Keys', lines = lines, filetype = '' })
end

return M
