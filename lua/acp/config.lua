--- Options: what the user set, held to the schema. Read by everyone, written by `setup()` alone.
local M = {}

--- @type acp.config.Option[]
M.schema = require('acp.config.schema')

local given --- @type table? what setup() got
local resolved --- @type acp.Config?
local faults = {} --- @type string[]

--- `vim.g.acp`: a table, or a function that returns one.
--- @return any options
--- @return string? fault
local function from_global()
  local options = vim.g.acp
  if type(options) ~= 'function' then
    return options
  end
  local ok, result = pcall(options)
  if not ok then
    return nil, ('vim.g.acp: %s'):format(result)
  end
  return result
end

local function resolve()
  local options, fault = from_global()
  if given ~= nil then
    local both = type(options) == 'table' and type(given) == 'table'
    options = both and vim.tbl_deep_extend('force', options, given) or given
  end
  resolved, faults = require('acp.config.validate').resolve(M.schema, options)
  if fault then
    table.insert(faults, 1, fault)
  end
  if #faults > 0 then
    local head = #faults > 1 and ('%d options are wrong, see :checkhealth acp\n'):format(#faults)
      or ''
    require('acp.message').warn(head .. table.concat(faults, '\n'))
  end
  return resolved
end

--- Sets options; on top of `vim.g.acp` where there is one. Starts nothing and throws nothing: what is wrong
--- is named in one message and keeps its default.
--- @param opts? acp.Options
function M.setup(opts)
  given = opts or {}
  resolve()
end

--- All options, with their defaults.
--- @return acp.Config
function M.get()
  return resolved or resolve()
end

--- What was wrong with the options, one line each.
--- @return string[]
function M.faults()
  M.get()
  return faults
end

return M
