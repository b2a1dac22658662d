--- What git says was changed. Nothing that a repository or the environment names is run for that.
local compat = require('acp.compat')
local run = require('acp.run')
local utf8 = require('acp.utf8')

local M = {}

--- A mention in a prompt waits for it; whoever asks for it by a command does not.
local NOW_MS, LATER_MS = 2000, 20000

--- Kept of the user's `GIT_*`: where git is and where its settings are. All else would lead it elsewhere.
local KEPT = {
  GIT_EXEC_PATH = true,
  GIT_CONFIG_GLOBAL = true,
  GIT_CONFIG_SYSTEM = true,
  GIT_CONFIG_NOSYSTEM = true,
  GIT_CEILING_DIRECTORIES = true,
  GIT_DISCOVERY_ACROSS_FILESYSTEM = true,
}

--- @return table<string, string>
local function environment()
  local env = {
    LC_ALL = 'C',
    GIT_OPTIONAL_LOCKS = '0',
    GIT_TERMINAL_PROMPT = '0',
    GIT_NO_LAZY_FETCH = '1',
    -- Git before 2.45 fetches what is missing all the same.
    GIT_ALLOW_PROTOCOL = 'none',
  }
  for name, value in pairs(vim.fn.environ()) do
    if (not name:find('^GIT_') or KEPT[name]) and not env[name] then
      env[name] = value
    end
  end
  return env
end

local DIFF = {
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--submodule=short',
  -- Looking into their working trees runs what they name.
  '--ignore-submodules=dirty',
  '--src-prefix=a/',
  '--dst-prefix=b/',
}

--- Lists the filters of the repository itself: git would run them on what has changed. The user's own, such as that of
--- Git LFS, stay.
local FILTERS = { 'config', '--show-scope', '-z', '--name-only', '--get-regexp', '^filter\\.' }

--- Settings in the environment: on the command line a name could not hold a `=`.
--- @param listed string pairs of scope and name
--- @return table<string, string>
local function without_filters(listed)
  local env, count = {}, 0
  for scope, name in listed:gmatch('(%Z*)%z(%Z*)%z') do
    if scope == 'local' or scope == 'worktree' then
      env['GIT_CONFIG_KEY_' .. count] = name
      env['GIT_CONFIG_VALUE_' .. count] = name:find('%.required$') and 'false' or ''
      count = count + 1
    end
  end
  env.GIT_CONFIG_COUNT = tostring(count)
  return env
end

--- @param result acp.Ran
--- @return string
local function fault(result)
  if result.code == 124 then
    return 'git took too long'
  elseif result.stderr:lower():find('not a git repository', 1, true) then
    return 'this folder is in no git repository'
  end
  local line = vim.trim(result.stderr):match('^[^\n]*')
  return line ~= '' and line or ('git ended with %d'):format(result.code)
end

--- @param cwd string
--- @param staged boolean
--- @return fun(run: acp.Run): acp.TextAttachment?, string?
local function steps(cwd, staged)
  return function(program)
    if vim.fn.executable('git') == 0 then
      return nil, 'git is not installed'
    end
    local env = environment()
    local function git(...)
      local opts = vim.tbl_extend('error', compat.only_env(env), { cwd = cwd })
      local safe = { 'git', '--no-pager', '-c', 'core.fsmonitor=false' }
      return program(vim.list_extend(safe, vim.iter({ ... }):flatten():totable()), opts)
    end
    local filters = git(FILTERS)
    if filters.code > 1 then
      return nil, fault(filters)
    end
    env = vim.tbl_extend('error', env, without_filters(filters.stdout))
    local base = staged and '--staged' or 'HEAD'
    local result = git(DIFF, base, '--')
    if result.code == 128 and result.stderr:find("'HEAD'", 1, true) then
      -- There is no commit yet: against nothing.
      local empty =
        git('hash-object', '-t', 'tree', vim.fn.has('win32') == 1 and 'NUL' or '/dev/null')
      result = empty.code == 0 and git(DIFF, vim.trim(empty.stdout), '--') or empty
    end
    if result.code ~= 0 then
      return nil, fault(result)
    elseif result.stdout == '' then
      return nil,
        staged and 'nothing is staged' or 'git sees no changes (of new files it does not know)'
    end
    return {
      type = 'text',
      text = utf8.valid(result.stdout),
      filetype = 'diff',
      name = staged and 'git diff --staged' or 'git diff',
    }
  end
end

--- @param cwd string
--- @param staged? boolean
--- @return acp.TextAttachment?
--- @return string? reason
function M.now(cwd, staged)
  return run.now(steps(cwd, staged == true), NOW_MS)
end

--- @param cwd string
--- @param staged boolean
--- @param done fun(attachment?: acp.TextAttachment, reason?: string)
function M.later(cwd, staged, done)
  run.later(steps(cwd, staged), LATER_MS, done)
end

return M
