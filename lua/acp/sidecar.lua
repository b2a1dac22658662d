--- The Node process: started at the first need, once for each Neovim.
---
--- Its life hangs on its stdin: when Neovim ends, however it ends, the sidecar reads the end of its input and ends its
--- agents. It is detached so that this may take the time it takes without holding Neovim up.
local message = require('acp.message')

local M = {}

local channel --- @type integer?

--- The root of the plugin.
--- @return string
function M.root()
  return vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h'))
end

--- The built sidecar, whether it is there or not.
--- @return string
function M.bundle()
  return M.root() .. '/rplugin/node/acp/index.js'
end

--- Told once of each end: by the job, or by a channel that is found closed before the job has told it.
--- @param code? integer how it ended, where that is known
local function lose(code)
  channel = nil
  if vim.v.exiting == vim.NIL then
    local how = code and ('ended with code %d'):format(code) or 'closed its channel'
    require('acp.log').write('error', 'sidecar ' .. how)
    require('acp.incoming').sidecar_lost(code)
  end
end

--- @param id integer
--- @param code integer
local function on_exit(id, code)
  if id == channel then
    lose(code)
  end
end

--- @return table config `SidecarConfig` in `src/nvim/config.ts`
local function sidecar_config()
  local options = require('acp.config').get()
  return {
    version = require('acp.version'),
    stateDir = require('acp.store').path(),
    wire = {
      enabled = options.log.wire,
      maxBytes = options.log.max_bytes,
      maxFiles = options.log.max_files,
    },
    cancelTimeoutMs = options.cancel_timeout,
    toolRows = options.transcript.tool_rows,
    writes = options.permission.writes,
    icons = options.transcript.icons,
    idleTimeoutMs = options.idle_timeout * 60 * 1000,
    sessions = {
      maxAgeMs = options.sessions.max_days * 24 * 3600 * 1000,
      maxBytes = options.sessions.max_bytes,
    },
    embedBytes = options.attachments.embed_bytes,
  }
end

--- Why it can't start, in words that say what to do.
--- @return string? problem
local function problem()
  local node = require('acp.config').get().node
  if vim.fn.executable(node) == 0 then
    return ('there is no program ‘%s’: install Node.js 20 or later, or set the option `node`'):format(
      node
    )
  elseif not vim.uv.fs_stat(M.bundle()) then
    return ('the sidecar is not built: run `make` in %s'):format(M.root())
  end
end

--- Takes the channel to a sidecar and sends it the configuration.
--- @param id integer
local function adopt(id)
  channel = id
  vim.rpcnotify(id, 'start', { config = sidecar_config() })
end

--- Takes the sidecar that Neovim's own node host runs as a remote plugin, in place of a process of its own; see
--- |acp-remote-plugin|. Throws where the host does not know it.
function M.connect_remote()
  adopt(vim.fn.AcpSidecarConnect(vim.v.servername))
end

--- The channel; starts Node when it doesn't run.
--- @return integer? channel nil, with a message, where it can't be started
function M.channel()
  if M.running() then
    return channel
  end
  local why = problem()
  if why then
    message.error(why)
    return nil
  end
  local ok, id = pcall(vim.fn.jobstart, { require('acp.config').get().node, M.bundle() }, {
    rpc = true,
    detach = true,
    on_exit = on_exit,
    on_stderr = function(_, lines)
      local text = vim.trim(table.concat(lines, '\n'))
      if text ~= '' then
        require('acp.log').write('warn', 'sidecar: ' .. text)
      end
    end,
  })
  if not ok or id <= 0 then
    message.error(('the sidecar could not be started: %s'):format(id))
    return nil
  end
  adopt(id)
  return channel
end

--- Whether it runs. The end of a job is told, that of the host's channel is not: it is gone from the list.
--- @return boolean
function M.running()
  -- What Neovim 0.10 says of a channel that is gone counts as no empty table.
  if channel and not vim.api.nvim_get_chan_info(channel).id then
    lose()
  end
  return channel ~= nil
end

--- The process id of Node.
--- @return integer?
function M.pid()
  local ok, pid = pcall(vim.fn.jobpid, channel or 0)
  return ok and pid or nil
end

return M
