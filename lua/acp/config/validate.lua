--- Holds what the user wrote to the schema: resolved options, and every fault by its full path.
local M = {}

--- @param value any
--- @return string
local function show(value)
  if type(value) == 'string' then
    return ('"%s"'):format(value)
  end
  local text = vim.inspect(value, { newline = ' ', indent = '' })
  return #text > 60 and type(value) .. ' ' .. text:sub(1, 60) .. '…' or text
end

--- @param value any
--- @param is fun(item: any): boolean
local function is_list_of(value, is)
  return type(value) == 'table' and vim.islist(value) and vim.iter(value):all(is)
end

local function is_string(value)
  return type(value) == 'string'
end

local function is_text(value)
  return type(value) == 'string' and value ~= ''
end

local function is_integer(value)
  return type(value) == 'number' and value % 1 == 0
end

--- @param value any
--- @return boolean
local function is_switches(value)
  return type(value) == 'table'
    and vim.iter(value):all(function(key, item)
      return is_text(key) and (type(item) == 'boolean' or is_switches(item))
    end)
end

--- @param value any
--- @return boolean
local function is_plain(value)
  if type(value) == 'table' then
    return vim.iter(pairs(value)):all(function(_, item)
      return is_plain(item)
    end)
  end
  return value == vim.NIL or vim.list_contains({ 'string', 'number', 'boolean' }, type(value))
end

--- Type → what is expected, in words, and the test.
--- @type table<string, { expected: string, is: fun(value: any): boolean }>
local types = {
  string = { expected = 'a string', is = is_text },
  boolean = {
    expected = 'true or false',
    is = function(v)
      return type(v) == 'boolean'
    end,
  },
  number = {
    expected = 'a number',
    is = function(v)
      return type(v) == 'number'
    end,
  },
  integer = { expected = 'a whole number', is = is_integer },
  size = {
    expected = 'a fraction of the screen (0.1 to 1) or a number of cells',
    is = function(v)
      return type(v) == 'number' and (v >= 0.1 and v <= 1 or v > 1 and v % 1 == 0)
    end,
  },
  strings = {
    expected = 'a list of strings',
    is = function(v)
      return is_list_of(v, is_string)
    end,
  },
  dict = {
    expected = 'a table of names and strings',
    is = function(v)
      return type(v) == 'table'
        and vim.iter(v):all(function(key, item)
          return is_text(key) and is_string(item)
        end)
    end,
  },
  settings = {
    expected = 'a table of names and strings, or true or false',
    is = function(v)
      return type(v) == 'table'
        and vim.iter(v):all(function(key, item)
          return is_text(key) and (is_string(item) or type(item) == 'boolean')
        end)
    end,
  },
  selection = {
    expected = 'true or false, or a table of names and true or false',
    is = function(v)
      return type(v) == 'boolean'
        or type(v) == 'table'
          and vim.iter(v):all(function(key, item)
            return is_text(key) and type(item) == 'boolean'
          end)
    end,
  },
  command = {
    expected = 'a program, or a list of a program and its arguments',
    is = function(v)
      return is_text(v) or is_list_of(v, is_string) and is_text(v[1])
    end,
  },
  switches = {
    expected = 'a table of names and true or false, or tables of such',
    is = is_switches,
  },
  plain = {
    expected = 'a table of what can be said in JSON',
    is = function(v)
      return type(v) == 'table' and is_plain(v)
    end,
  },
  keys = {
    expected = 'a key, a list of keys, or false',
    is = function(v)
      return v == false or is_text(v) or is_list_of(v, is_text)
    end,
  },
}

--- @param option acp.config.Option
--- @return string
local function expected(option)
  if option.type == 'enum' then
    return 'one of ' .. table.concat(vim.tbl_map(show, option.values), ', ')
  end
  local known = types[option.type]
  if not known then
    return 'a table'
  end
  return option.min and ('%s, at least %d'):format(known.expected, option.min) or known.expected
end

--- What is expected of an option, in words.
--- @param option acp.config.Option
--- @return string
function M.expected(option)
  return expected(option) .. (option.callable and ', or a function that gives it' or '')
end

--- @param option acp.config.Option
--- @param value any
--- @return boolean
local function fits(option, value)
  if option.callable and type(value) == 'function' then
    return true
  elseif option.type == 'enum' then
    return vim.list_contains(option.values, value)
  end
  return types[option.type].is(value) and (option.min == nil or value >= option.min)
end

--- What is wrong with the value of an option; nil: nothing is.
--- @param option acp.config.Option
--- @param path string
--- @param value any
--- @param given? boolean by a function
--- @return string?
function M.fault(option, path, value, given)
  if type(value) ~= 'function' and fits(option, value) then
    return nil
  end
  local words = 'option %s: expected %s, got %s'
  return words:format(path, given and expected(option) or M.expected(option), show(value))
end

--- Number of edits between two words: a letter more, less, other, or swapped with its neighbour.
local function distance(a, b)
  local rows = { [0] = {} }
  for j = 0, #b do
    rows[0][j] = j
  end
  for i = 1, #a do
    rows[i] = { [0] = i }
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      local best =
        math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        best = math.min(best, rows[i - 2][j - 2] + 1)
      end
      rows[i][j] = best
    end
  end
  return rows[#a][#b]
end

--- Calls `visit(path, option)` for every option and group. Below a name of the user's choice the path says `NAME`.
--- @param fields acp.config.Option[]
--- @param visit fun(path: string, option: acp.config.Option)
--- @param prefix? string
function M.walk(fields, visit, prefix)
  for _, option in ipairs(fields) do
    local path = (prefix or '') .. option[1]
    visit(path, option)
    if option.fields then
      M.walk(option.fields, visit, path .. (option.type == 'named' and '.NAME.' or '.'))
    end
  end
end

--- The option that was probably meant by `name`: a neighbour with a similar name, else one elsewhere.
--- @param schema acp.config.Option[]
--- @param fields acp.config.Option[]
--- @param prefix string
--- @param name string
--- @return string?
local function meant(schema, fields, prefix, name)
  local best, least = nil, math.max(1, math.min(3, math.floor(#name / 3))) + 1
  local function consider(path, option)
    local edits = distance(name:lower(), option[1])
    if edits < least then
      best, least = path, edits
    end
  end
  for _, option in ipairs(fields) do
    consider(prefix .. option[1], option)
  end
  if not best then
    M.walk(schema, consider)
  end
  return best
end

--- @class (exact) acp.config.Run
--- @field schema acp.config.Option[]
--- @field faults string[]

local check_fields

--- @param run acp.config.Run
--- @param option acp.config.Option
--- @param path string
--- @param value any nil: not given
--- @return any resolved
local function check(run, option, path, value)
  local nested = option.fields ~= nil
  local bad = value ~= nil
    and not (nested and type(value) == 'table' or not nested and fits(option, value))
  if bad then
    table.insert(
      run.faults,
      ('option %s: expected %s, got %s'):format(path, M.expected(option), show(value))
    )
    value = nil
  end
  if value == nil and option.optional then
    return nil
  elseif option.type == 'group' then
    return check_fields(run, option.fields, path .. '.', value or {})
  elseif option.type == 'named' then
    local entries = {}
    for name, entry in pairs(value or {}) do
      local place = path .. '.' .. tostring(name)
      if type(name) ~= 'string' or type(entry) ~= 'table' then
        table.insert(
          run.faults,
          ('option %s: expected a name with a table such as { %s = "…" }, got %s'):format(
            place,
            option.fields[1][1],
            show(entry)
          )
        )
      else
        entries[name] = check_fields(run, option.fields, place .. '.', entry)
      end
    end
    return entries
  end
  if value == nil then
    value = option.default
  end
  return vim.deepcopy(value)
end

--- @param run acp.config.Run
--- @param fields acp.config.Option[]
--- @param prefix string
--- @param values table
--- @return table resolved
function check_fields(run, fields, prefix, values)
  local resolved, known = {}, {}
  for _, option in ipairs(fields) do
    known[option[1]] = true
    resolved[option[1]] = check(run, option, prefix .. option[1], values[option[1]])
  end
  for name in pairs(values) do
    if not known[name] then
      local hint = meant(run.schema, fields, prefix, tostring(name))
      table.insert(
        run.faults,
        ('option %s%s: unknown%s'):format(
          prefix,
          name,
          hint and (', did you mean %s?'):format(hint) or ''
        )
      )
    end
  end
  return resolved
end

--- Resolves options. A bad value is named and falls back to its default; nothing is thrown.
--- @param schema acp.config.Option[]
--- @param values any
--- @return acp.Config resolved
--- @return string[] faults sorted by path
function M.resolve(schema, values)
  local run = { schema = schema, faults = {} } --- @type acp.config.Run
  if values ~= nil and type(values) ~= 'table' then
    table.insert(run.faults, ('options: expected a table, got %s'):format(show(values)))
    values = {}
  end
  local resolved = check_fields(run, schema, '', values or {})
  table.sort(run.faults)
  return resolved, --[[@as acp.Config]]
    run.faults
end

return M
