--- Whether another plugin, or Neovim itself, opens the menu with what our server offers. Each is asked at the time: it
--- is loaded when text is inserted first, and can be switched off for a buffer.
local M = {}

--- blink.cmp: on for the buffer, with the source that asks language servers.
--- @param loaded table
--- @return boolean
local function blink(loaded)
  if not package.loaded['blink.cmp.config'] or type(loaded.setup) ~= 'function' then
    return false
  end
  local sources = package.loaded['blink.cmp.sources.lib']
  return require('blink.cmp.config').enabled()
    and sources ~= nil
    and vim.list_contains(sources.get_enabled_provider_ids('default'), 'lsp')
end

--- nvim-cmp: on for the buffer, with the source that asks language servers.
--- @param cmp table
--- @return boolean
local function nvim_cmp(cmp)
  local config = cmp.get_config()
  local enabled = config.enabled
  if type(enabled) == 'function' then
    enabled = enabled()
  end
  return enabled
    and vim.iter(config.sources or {}):any(function(source)
      return source.name == 'nvim_lsp'
    end)
end

--- mini.completion: it is there for all buffers that don't say no.
--- @return boolean
local function mini()
  return _G.MiniCompletion ~= nil
    and vim.g.minicompletion_disable ~= true
    and vim.b.minicompletion_disable ~= true
end

--- Neovim's own: |vim.lsp.completion.enable()| with `autotrigger`, from Neovim 0.11 on.
--- @param buf integer
--- @return boolean
local function builtin(buf)
  local found, autocmds = pcall(vim.api.nvim_get_autocmds, {
    group = ('nvim.lsp.completion_%d'):format(buf),
    event = 'InsertCharPre',
    buffer = buf,
  })
  return found and #autocmds > 0
end

--- @param check fun(loaded: table): boolean
--- @param module string
--- @return boolean
local function asked(check, module)
  local loaded = package.loaded[module]
  if type(loaded) ~= 'table' then
    return false
  end
  -- What is inside of other plugins may change: then both menus are better than an error at each key.
  local ok, is_there = pcall(check, loaded)
  return ok and is_there == true
end

--- @param buf integer the current one
--- @return boolean
function M.opens(buf)
  return asked(blink, 'blink.cmp') or asked(nvim_cmp, 'cmp') or mini() or builtin(buf)
end

return M
