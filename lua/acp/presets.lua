--- Agents that need no configuration.

--- @class (exact) acp.Preset
--- @field name string
--- @field title string
--- @field command string
--- @field args string[]
--- @field also? string[] other names under which the program is found
--- @field install? string the command line that installs it

--- @param package string
--- @return string
local function npm(package)
  return 'npm install -g ' .. package
end

--- In the order in which they are offered. Listed in `:h acp-agents`.
--- @type acp.Preset[]
return {
  {
    name = 'claude',
    title = 'Claude Code',
    command = 'claude-agent-acp',
    args = {},
    also = { 'claude-code-acp' },
    install = npm('@agentclientprotocol/claude-agent-acp'),
  },
  {
    name = 'codex',
    title = 'Codex',
    command = 'codex-acp',
    args = {},
    install = npm('@agentclientprotocol/codex-acp'),
  },
  {
    name = 'gemini',
    title = 'Gemini CLI',
    command = 'gemini',
    args = { '--acp' },
    install = npm('@google/gemini-cli'),
  },
  {
    name = 'opencode',
    title = 'opencode',
    command = 'opencode',
    args = { 'acp' },
    install = npm('opencode-ai'),
  },
  {
    name = 'nanocoder',
    title = 'Nanocoder',
    command = 'nanocoder',
    args = { '--acp' },
    install = npm('@nanocollective/nanocoder'),
  },
  {
    name = 'qwen',
    title = 'Qwen Code',
    command = 'qwen',
    args = { '--acp' },
    install = npm('@qwen-code/qwen-code'),
  },
  {
    name = 'copilot',
    title = 'GitHub Copilot',
    command = 'copilot',
    args = { '--acp' },
    install = npm('@github/copilot'),
  },
  {
    name = 'goose',
    title = 'goose',
    command = 'goose',
    args = { 'acp' },
    install = 'brew install block-goose-cli',
  },
  {
    name = 'auggie',
    title = 'Auggie',
    command = 'auggie',
    args = { '--acp' },
    install = npm('@augmentcode/auggie'),
  },
  {
    name = 'kimi',
    title = 'Kimi CLI',
    command = 'kimi',
    args = { 'acp' },
    install = 'uv tool install --python 3.13 kimi-cli',
  },
  {
    name = 'cline',
    title = 'Cline',
    command = 'cline',
    args = { '--acp' },
    install = npm('cline'),
  },
  {
    name = 'pi',
    title = 'pi',
    command = 'pi-acp',
    args = {},
    install = npm('pi-acp @earendil-works/pi-coding-agent'),
  },
  {
    name = 'cursor',
    title = 'Cursor',
    command = 'cursor-agent',
    args = { 'acp' },
    install = 'curl https://cursor.com/install -fsS | bash',
  },
  {
    name = 'kilo',
    title = 'Kilo Code',
    command = 'kilo',
    args = { 'acp' },
    install = npm('@kilocode/cli'),
  },
  {
    name = 'claude-pty',
    title = 'Claude Code, in its terminal',
    command = 'claude-pty-acp',
    args = {},
  },
}
