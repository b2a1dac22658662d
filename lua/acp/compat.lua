--- Differences between the supported Neovim versions (0.10 to 0.12). The only place that knows them.
local M = {}

--- Line diff as hunk indices; see |vim.text.diff()| (0.12) and |vim.diff()| (before).
--- @param a string
--- @param b string
--- @param opts? table
--- @return integer[][]
function M.diff_indices(a, b, opts)
  local diff = vim.text and vim.text.diff or vim.diff
  return diff(
    a,
    b,
    vim.tbl_extend('force', { result_type = 'indices', algorithm = 'histogram' }, opts or {})
  )
end

--- The same for large texts, off the main loop: typing goes on meanwhile.
--- @param a string
--- @param b string
--- @param on_done fun(hunks: integer[][])
function M.diff_later(a, b, on_done)
  local work = vim.uv.new_work(
    function(old, new)
      local diff = vim.text and vim.text.diff or vim.diff
      -- Myers: histogram takes ten times as long where there are many hunks.
      return vim.mpack.encode(diff(old, new, { result_type = 'indices', algorithm = 'myers' }))
    end,
    vim.schedule_wrap(function(hunks)
      on_done(vim.mpack.decode(hunks))
    end)
  )
  work:queue(a, b)
end

--- Position of right-aligned virtual text that yields to the line's text.
--- @return string
function M.right_align()
  return vim.fn.has('nvim-0.11') == 1 and 'eol_right_align' or 'right_align'
end

--- Border of floats: the user's `'winborder'` where there is one.
--- @return string|string[]
function M.border()
  if vim.fn.exists('+winborder') == 1 and vim.o.winborder ~= '' then
    local border = vim.o.winborder
    return border:find(',') and vim.split(border, ',') or border
  end
  return 'rounded'
end

--- Sets 'completeopt' for a buffer. Before Neovim 0.11 the option is global: there it is set while text is
--- inserted in the buffer, and set back afterwards.
--- @param buf integer
--- @param value string
function M.set_completeopt(buf, value)
  if vim.api.nvim_get_option_info2('completeopt', {}).global_local then
    vim.bo[buf].completeopt = value
    return
  end
  local own --- @type string?
  vim.api.nvim_create_autocmd({ 'InsertEnter', 'InsertLeave' }, {
    buffer = buf,
    desc = "acp: 'completeopt' of the prompt",
    callback = function(args)
      if args.event == 'InsertEnter' then
        own, vim.o.completeopt = own or vim.o.completeopt, value
      elseif own then
        vim.o.completeopt, own = own, nil
      end
    end,
  })
end

--- Whether Neovim opens the menu of completion by itself: 'autocomplete' (0.12).
--- @return boolean
function M.autocomplete()
  return vim.fn.exists('+autocomplete') == 1 and vim.o.autocomplete
end

--- Runs a program in a terminal, in the buffer of a window, which is empty.
--- @param win integer
--- @param command string[]
--- @param opts table see |jobstart()|
--- @return integer job
function M.run_in_terminal(win, command, opts)
  return vim.api.nvim_win_call(win, function()
    if vim.fn.has('nvim-0.11') == 0 then
      return vim.fn.termopen(command, opts)
    end
    return vim.fn.jobstart(command, vim.tbl_extend('error', opts, { term = true }))
  end)
end

--- Ends a language server's client at once.
--- @param client vim.lsp.Client
function M.stop_client(client)
  if vim.fn.has('nvim-0.11') == 1 then
    client:stop(true)
  else
    client.stop(true) ---@diagnostic disable-line
  end
end

--- Bytes of code that are parsed without a pause that would be felt: all, where Neovim parses in slices (0.11).
--- @return integer
function M.parse_limit()
  return vim.fn.has('nvim-0.11') == 1 and 256 * 1024 or 32 * 1024
end

--- Bytes of a buffer that a highlighter may be attached to: where Neovim doesn't parse in slices, all of it is parsed
--- before the first line is drawn.
--- @return integer
function M.attach_limit()
  return vim.fn.has('nvim-0.11') == 1 and 4 * 1024 * 1024 or 192 * 1024
end

--- What gives a program of |vim.system()| this environment and no other.
--- @param env table<string, string>
--- @return { env: table, clear_env: true }
function M.only_env(env)
  local only = vim.deepcopy(env) --- @type table
  if vim.fn.has('nvim-0.12') == 0 then
    -- It was a list once, and became a map in a patch release: this is both.
    for name, value in pairs(env) do
      table.insert(only, ('%s=%s'):format(name, value))
    end
  end
  return { env = only, clear_env = true }
end

--- The named kinds of nodes of a tree-sitter language.
--- @param lang string
--- @return string[]
function M.node_types(lang)
  local types = {} --- @type string[]
  for key, value in pairs(vim.treesitter.language.inspect(lang).symbols) do
    local name, named = key, value
    if type(value) == 'table' then
      name, named = value[1], value[2]
    end
    if named then
      types[#types + 1] = name
    end
  end
  return types
end

--- Parses in slices where Neovim can.
--- @param parser vim.treesitter.LanguageTree
--- @param pause fun() is called while there is nothing to do but wait
--- @return TSTree? tree nil when it took too long
function M.parse(parser, pause)
  if vim.fn.has('nvim-0.11') == 0 then
    return parser:parse()[1]
  end
  local done, tree = false, nil
  parser:parse(nil, function(_, trees)
    done, tree = true, trees and trees[1]
  end)
  while not done do
    pause()
  end
  return tree
end

return M
