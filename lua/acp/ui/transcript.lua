--- The conversation in a buffer: applies the sidecar's operations (`src/render/ops.ts`).
---
--- Only this module knows where a block stands. An anchor extmark at its first row moves along with what
--- happens above, so that an operation costs what it brings and never what is there already.
local decorate = require('acp.ui.decorate')
local follow = require('acp.ui.follow')

local M = {}

local anchors = vim.api.nvim_create_namespace('acp.transcript.anchor')

--- @class acp.Fence
--- @field first integer rows of its content, relative to the block
--- @field last integer
--- @field lang string
--- @field indent integer

--- @class acp.Block
--- @field id string
--- @field kind string
--- @field count integer number of lines
--- @field tail integer bytes in its last line
--- @field anchor? integer extmark at its first row; none while it has no line
--- @field prev? acp.Block
--- @field next? acp.Block
--- @field foldable? boolean
--- @field question? string id of the open question that it holds
--- @field actions? { id: string, name: string }[] what can be done about it
--- @field fences acp.Fence[]
--- @field links table<integer, { path: string, line?: integer }> by row relative to the block
--- @field facts table[] see `Fact` in `ops.ts`
--- @field spins table<integer, integer> extmark of a spinning glyph → row when it was put
--- @field generation integer grows when its lines are replaced
--- @field sealed? boolean of a former sidecar, which nobody can change any more

--- @class acp.Transcript
--- @field session string
--- @field buf integer
--- @field blocks table<string, acp.Block>
--- @field first? acp.Block
--- @field last? acp.Block
--- @field total integer lines of all blocks; an empty buffer has one line none the less
--- @field spinning table<acp.Block, true> blocks with a glyph that turns
--- @field private floor? acp.Block the last sealed block: what comes "at the top" comes behind it
--- @field private by_anchor table<integer, acp.Block>
--- @field private seals integer
local Transcript = {}
Transcript.__index = Transcript

local buffer_options = {
  bufhidden = 'hide',
  -- Wrapped lines of lists, cards, the user's words and what subagents say are indented like their first row.
  formatlistpat = [[^\%(│ \)*\s*\%([▌✓✗?·▸▾●○⠀-⣿*+•-]\|\d\+[.)]\)\s\+\|^\%(│ \)\+\s*]],
  modifiable = false,
  swapfile = false,
  undolevels = -1,
}

--- @param session string
--- @return acp.Transcript
function M.new(session)
  local buf = vim.api.nvim_create_buf(false, true)
  for name, value in pairs(buffer_options) do
    vim.bo[buf][name] = value
  end
  return setmetatable({
    session = session,
    buf = buf,
    blocks = {},
    by_anchor = {},
    spinning = {},
    total = 0,
    seals = 0,
  }, Transcript)
end

--- Splits at newlines.
--- @param text string
--- @return string[]
local function split(text)
  local lines, from = {}, 1
  while true do
    local at = text:find('\n', from, true)
    if not at then
      lines[#lines + 1] = text:sub(from)
      return lines
    end
    lines[#lines + 1] = text:sub(from, at - 1)
    from = at + 1
  end
end

--- The first row of a block; where it would stand when it has no line.
--- @param block? acp.Block
--- @return integer row 0-based
function Transcript:row(block)
  while block and block.count == 0 do
    block = block.next
  end
  if not block then
    return self.total
  end
  return vim.api.nvim_buf_get_extmark_by_id(self.buf, anchors, block.anchor, {})[1]
end

--- Rows of a block: 0-based, the last one exclusive.
--- @param id string
--- @return integer? first
--- @return integer? last
function Transcript:range(id)
  local block = self.blocks[id]
  if not block then
    return nil
  end
  local row = self:row(block)
  return row, row + block.count
end

--- The block that holds a row.
--- @param row integer 0-based
--- @return acp.Block?
function Transcript:block_at(row)
  local opts = { limit = 1 }
  local found = vim.api.nvim_buf_get_extmarks(self.buf, anchors, { row, -1 }, 0, opts)[1]
  return found and self.by_anchor[found[1]]
end

--- Replaces rows. The only way in which lines change, but for text that is appended to a line.
--- @param row integer
--- @param removed integer
--- @param lines string[]
function Transcript:splice(row, removed, lines)
  local last = self.total == 0 and -1 or row + removed
  vim.api.nvim_buf_set_lines(self.buf, row, last, true, lines)
  self.total = self.total + #lines - removed
end

--- Sets the number of lines of a block and its anchor, which stands at `row`.
--- @param block acp.Block
--- @param row integer
--- @param count integer
--- @param tail integer bytes in its last line
function Transcript:settle(block, row, count, tail)
  block.count = count
  block.tail = tail
  if count > 0 then
    local opts = { id = block.anchor }
    block.anchor = vim.api.nvim_buf_set_extmark(self.buf, anchors, row, 0, opts)
    self.by_anchor[block.anchor] = block
  elseif block.anchor then
    vim.api.nvim_buf_del_extmark(self.buf, anchors, block.anchor)
    self.by_anchor[block.anchor] = nil
    block.anchor = nil
  end
end

--- Gives a block other lines and touches only those that differ.
--- @param block acp.Block
--- @param lines string[]
--- @return integer row of the block
function Transcript:replace(block, lines)
  local row = self:row(block)
  decorate.clear(self, block, row, row + block.count)
  local old = vim.api.nvim_buf_get_lines(self.buf, row, row + block.count, true)
  local same, common = 0, math.min(#old, #lines)
  while same < common and old[same + 1] == lines[same + 1] do
    same = same + 1
  end
  local rest = 0
  while rest < common - same and old[#old - rest] == lines[#lines - rest] do
    rest = rest + 1
  end
  if #old ~= #lines or same < #lines then
    self:splice(row + same, #old - same - rest, vim.list_slice(lines, same + 1, #lines - rest))
  end
  self:settle(block, row, #lines, #(lines[#lines] or ''))
  return row
end

--- @param block acp.Block
--- @param after? acp.Block
function Transcript:link(block, after)
  local next = self.first
  if after then
    next, after.next = after.next, block
  else
    self.first = block
  end
  block.prev, block.next = after, next
  if next then
    next.prev = block
  else
    self.last = block
  end
end

--- @param block acp.Block
function Transcript:unlink(block)
  if block.prev then
    block.prev.next = block.next
  else
    self.first = block.next
  end
  if block.next then
    block.next.prev = block.prev
  else
    self.last = block.prev
  end
end

local handlers = {}

--- @param op table `PutOp`
function handlers.put(self, op)
  local block = self.blocks[op.id]
  if not block then
    block = { id = op.id, count = 0, tail = 0, generation = 0 }
    -- Text is never lost: what should stand behind an unknown block stands at the end.
    local after = op.after and (self.blocks[op.after] or self.last) or not op.after and self.floor
    self:link(block, after or nil)
    self.blocks[op.id] = block
  end
  block.kind = op.kind
  block.foldable = op.foldable
  block.question = op.question
  block.actions = op.actions
  block.generation = block.generation + 1
  block.links, block.facts, block.fences, block.spins = {}, {}, {}, {}
  local row = self:replace(block, op.lines)
  decorate.add(self, block, row, op)
end

--- @param op table `AppendOp`
function handlers.append(self, op)
  local block = self.blocks[op.id] or error('no block ' .. op.id, 0)
  local lines = split(op.text)
  local row = self:row(block)
  if block.count == 0 then
    self:replace(block, lines)
  else
    local last = row + block.count - 1
    decorate.clear(self, block, last, last + 1)
    vim.api.nvim_buf_set_text(self.buf, last, block.tail, last, block.tail, lines)
    self.total = self.total + #lines - 1
    -- The anchor too, which text at its very place has pushed on.
    local tail = (#lines == 1 and block.tail or 0) + #lines[#lines]
    self:settle(block, row, block.count + #lines - 1, tail)
  end
  decorate.add(self, block, row, op)
end

--- @param op table `DelOp`
function handlers.del(self, op)
  local block = self.blocks[op.id] or error('no block ' .. op.id, 0)
  self:replace(block, {})
  self:unlink(block)
  block.generation = block.generation + 1
  self.blocks[op.id] = nil
end

--- Applies operations in order. One that fails does not keep the others from being applied.
--- @param ops table[]
--- @return string[] faults one for each operation that failed
function Transcript:apply(ops)
  local faults = {} --- @type string[]
  if not vim.api.nvim_buf_is_loaded(self.buf) then
    return faults
  end
  local views = follow.save(self)
  vim.bo[self.buf].modifiable = true
  for _, op in ipairs(ops) do
    local ok, fault = xpcall(handlers[op.op] or error, debug.traceback, self, op)
    if not ok then
      faults[#faults + 1] = ('%s of block %s: %s'):format(op.op, op.id, fault)
    end
  end
  vim.bo[self.buf].modifiable = false
  follow.restore(self, views)
  decorate.animate(self)
  return faults
end

--- It came into view: what stands still while nobody looks turns again.
function Transcript:wake()
  decorate.animate(self)
end

--- Its windows have another width.
function Transcript:realign()
  decorate.realign(self)
end

--- What is shown comes anew: nothing of it is left.
function Transcript:reset()
  for _, block in pairs(self.blocks) do
    decorate.stop(self, block)
  end
  if vim.api.nvim_buf_is_loaded(self.buf) then
    vim.bo[self.buf].modifiable = true
    vim.api.nvim_buf_set_lines(self.buf, 0, -1, false, {})
    vim.bo[self.buf].modifiable = false
    vim.api.nvim_buf_clear_namespace(self.buf, -1, 0, -1)
  end
  self.blocks, self.by_anchor, self.total = {}, {}, 0
  self.first, self.last, self.floor = nil, nil, nil
end

--- The sidecar that wrote this is gone: the text stays, and the ids are free for the next one.
function Transcript:seal()
  self.seals = self.seals + 1
  local blocks = self.blocks
  self.blocks = {}
  for id, block in pairs(blocks) do
    decorate.stop(self, block)
    block.id = ('%d/%s'):format(self.seals, id)
    block.sealed, block.question, block.foldable, block.actions = true, nil, nil, nil
    self.blocks[block.id] = block
  end
  self.floor = self.last
end

return M
