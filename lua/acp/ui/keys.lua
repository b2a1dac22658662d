--- Keys of the chat's windows: names from the configuration, what they do from the windows themselves.
local config = require('acp.config')

local M = {}

--- What the descriptions of our maps begin with.
local DESC = 'acp: '

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

--- The map that a buffer itself has for a key.
--- @param buf integer
--- @param mode string
--- @param lhs string
--- @return table map as |maparg()| gives it, empty where there is none
local function mapped(buf, mode, lhs)
  local map = vim.api.nvim_buf_call(buf, function()
    return vim.fn.maparg(lhs, mode, false, true)
  end)
  return map.buffer == 1 and map or {}
end

--- Maps the keys of a group in a buffer.
--- @param group 'prompt'|'transcript'|'diff'|'review'|'terminal'|'question'
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
        desc = DESC .. option.desc,
      })
    end
  end
end

--- Maps the keys of a group in a buffer for a while: in one that is not ours, or over those that it has.
--- @param group 'prompt'|'transcript'|'review'
--- @param buf integer
--- @param actions table<string, acp.Action>
--- @param fixed? table<string, [string, fun(), string]> keys that are no options: mode, what they do, description
--- @return fun() give_back takes the keys away; maps of the buffer that they hid come back
function M.borrow(group, buf, actions, fixed)
  local hidden = {} --- @type { mode: string, lhs: string, map: table }[]
  local function hide(lhs, mode)
    table.insert(hidden, { mode = mode, lhs = lhs, map = mapped(buf, mode, lhs) })
  end
  for name, action in pairs(actions) do
    for _, lhs in ipairs(list(config.get().keymaps[group][name])) do
      vim.iter({ action[1] }):flatten():each(function(mode)
        hide(lhs, mode)
      end)
    end
  end
  M.map(group, buf, actions)
  for lhs, key in pairs(fixed or {}) do
    hide(lhs, key[1])
    vim.keymap.set(key[1], lhs, key[2], { buffer = buf, nowait = true, desc = DESC .. key[3] })
  end
  return function()
    for _, key in ipairs(vim.api.nvim_buf_is_valid(buf) and hidden or {}) do
      local map = mapped(buf, key.mode, key.lhs)
      -- What has been mapped over ours meanwhile stays.
      if map.desc and vim.startswith(map.desc, DESC) then
        vim.keymap.del(key.mode, key.lhs, { buffer = buf })
        if key.map.lhs then
          vim.api.nvim_buf_call(buf, function()
            vim.fn.mapset(key.mode, false, key.map)
          end)
        end
      end
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
