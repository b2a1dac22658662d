--- What stands behind `:AcpChat`, `:AcpNew` and `:AcpAsk`.
local M = {}

--- Splits `agent=NAME template=NAME rest`.
--- @param args string
--- @return { agent?: string, template?: string } named
--- @return string? text
local function split(args)
  local named = {}
  while true do
    local name, value, rest = args:match('^%s*(%a+)=(%S+)%s*(.*)$')
    if name ~= 'agent' and name ~= 'template' then
      return named, args ~= '' and args or nil
    end
    named[name], args = value, rest
  end
end

--- Opens a chat as `:AcpChat` does.
--- @param args table
--- @param new boolean
function M.open(args, new)
  local named, text = split(args.args)
  local range = args.range > 0 and { args.line1, args.line2 } or nil
  local attachments = {} --- @type acp.Attachment[]
  if named.template then
    local filled, fault =
      require('acp.templates').fill(named.template, { text = text, range = range })
    if not filled then
      return require('acp.message').warn(fault)
    end
    text, attachments = filled.text, filled.attachments
  elseif range then
    local buf = vim.api.nvim_get_current_buf()
    attachments = { require('acp.context.selection').get(buf, range) }
  end
  require('acp.chat').open({
    agent = named.agent,
    new = new,
    text = text,
    attachments = #attachments > 0 and attachments or nil,
  })
end

--- Completes `agent=` and `template=`.
--- @param lead string
--- @param line string
--- @return string[]
function M.complete(lead, line)
  if not line:match('^%s*%S+%s+[%S]*$') and not line:match('^%s*%S+%s+%a+=%S+%s+%S*$') then
    return {}
  end
  local words = {}
  for _, name in ipairs(require('acp.agents').complete('')) do
    words[#words + 1] = 'agent=' .. name
  end
  for _, name in ipairs(require('acp.templates').names()) do
    words[#words + 1] = 'template=' .. name
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead) or vim.startswith(word, 'agent=' .. lead)
  end, words)
end

--- Asks beside the code, as `:AcpAsk` does.
--- @param args table
function M.ask(args)
  local named, text = split(args.args)
  local range = args.range > 0 and { args.line1, args.line2 } or nil
  require('acp.ui.ask').open({ agent = named.agent, text = text or '', range = range })
end

return M
