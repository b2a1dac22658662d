--- |:mksession| writes windows of chats as empty ones with a chat's name: a session file that is read has none of them.
local M = {}

local names = {} --- @type table<integer, string> of chats' buffers, while a session file is read

--- @param buf integer
--- @param name string
local function rename(buf, name)
  local former = vim.api.nvim_buf_get_name(buf)
  if pcall(vim.api.nvim_buf_set_name, buf, name) then
    -- Neovim keeps the former name as a buffer of its own.
    local left = vim.fn.bufnr('^' .. vim.fn.escape(former, '*?[]{},\\') .. '$')
    if left > 0 and left ~= buf then
      vim.api.nvim_buf_delete(left, { force = true })
    end
  end
end

--- Before a script is sourced. Where it is a session file, chats make place: windows that are fixed to a buffer take no
--- other, and no two buffers have one name.
--- @param path string
function M.before(path)
  local file = io.open(path)
  local first = file and file:read('*l')
  if file then
    file:close()
  end
  if first ~= 'let SessionLoad = 1' then
    return
  end
  for _, pane in ipairs(require('acp.ui.panes').all()) do
    require('acp.ui.layout').dissolve(pane)
  end
  for _, chat in ipairs(require('acp.chat').list()) do
    for _, buf in ipairs({ chat.buf, chat.prompt_buf }) do
      names[buf] = names[buf] or vim.api.nvim_buf_get_name(buf)
      rename(buf, names[buf] .. '/hidden')
    end
  end
end

--- After a session file: what only has the name of a chat goes.
function M.after()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf):find('^acp://') and not vim.b[buf].acp_session then
      for _, win in ipairs(vim.fn.win_findbuf(buf)) do
        pcall(vim.api.nvim_win_close, win, true) -- the last one goes on without its buffer
      end
      pcall(vim.api.nvim_buf_delete, buf, { force = true })
    end
  end
  for buf, name in pairs(names) do
    if vim.api.nvim_buf_is_valid(buf) then
      rename(buf, name)
    end
  end
  names = {}
end

return M
