--- A proposal as the lines of its file and what changes among them. Plain data: touches no buffer and no window.
local M = {}

--- Unchanged lines that may stand within a hunk: as many as are shown around one, on both sides.
local MAX_BETWEEN = 6

--- Lines that are deleted and added at one place.
--- @class acp.ProposalRun
--- @field row integer 1-based line of the new text: the first added one, or the one before which others were deleted
--- @field count integer lines that are added
--- @field old integer 1-based line of the file as it stands: the first deleted one, or the one before which others come
--- @field deleted { text: string, words?: [integer, integer][] }[]
--- @field words [integer, integer, integer][] row and byte columns of what changed within added lines
--- @field gone? boolean its lines are shown, though they are deleted: nothing of the file is left

--- @class acp.ProposalLines
--- @field lines string[]
--- @field runs acp.ProposalRun[]
--- @field hunks integer[] row of each hunk's first run

--- @param hunk table `DiffHunk` of `src/diff/file-diff.ts`
--- @param runs acp.ProposalRun[]
local function add_runs(hunk, runs)
  local old, new = hunk.oldStart, hunk.newStart
  local run --- @type acp.ProposalRun?
  for _, row in ipairs(hunk.rows) do
    if row.type == 'same' then
      run, old, new = nil, old + 1, new + 1
    else
      if not run then
        run = { row = new, count = 0, old = old, deleted = {}, words = {} }
        runs[#runs + 1] = run
      end
      if row.type == 'del' then
        run.deleted[#run.deleted + 1] = row
        old = old + 1
      else
        for _, word in ipairs(row.words or {}) do
          run.words[#run.words + 1] = { new, word[1], word[2] }
        end
        run.count = run.count + 1
        new = new + 1
      end
    end
  end
end

--- What is left of a file that goes, or is emptied: the lines that go.
--- @param runs acp.ProposalRun[]
--- @return acp.ProposalLines
local function gone(runs)
  local lines = {}
  for _, run in ipairs(runs) do
    for _, row in ipairs(run.deleted) do
      lines[#lines + 1] = row.text
    end
  end
  local run = { row = 1, count = #lines, old = 1, deleted = {}, words = {}, gone = true }
  return { lines = lines, runs = { run }, hunks = { 1 } }
end

--- @param file table `FileDiff` of `src/diff/file-diff.ts`, with `lines`
--- @param exact? string[] the new text as it is, where it will be changed by hand
--- @return acp.ProposalLines
function M.build(file, exact)
  local runs, hunks = {}, {} --- @type acp.ProposalRun[], integer[]
  for _, hunk in ipairs(file.hunks) do
    local before = #runs
    add_runs(hunk, runs)
    if #runs > before then
      hunks[#hunks + 1] = runs[before + 1].row
    end
  end
  local lines = exact or file.lines
  if not exact and file.status == 'deleted' and #lines == 0 and #runs > 0 then
    return gone(runs)
  end
  return { lines = lines, runs = runs, hunks = hunks }
end

--- The lines of the file as it stands.
--- @param proposal acp.ProposalLines
--- @return string[]
function M.old(proposal)
  local old, row = {}, 1
  local function same(stop)
    for i = row, stop - 1 do
      old[#old + 1] = proposal.lines[i]
    end
  end
  for _, run in ipairs(proposal.runs) do
    same(run.row)
    for _, line in ipairs(run.deleted) do
      old[#old + 1] = line.text
    end
    row = run.row + run.count
  end
  same(#proposal.lines + 1)
  return old
end

--- Where two lines differ: what both begin and end with is left out.
--- @param a string
--- @param b string
--- @return [integer, integer]? of_a nil where they have nothing in common
--- @return [integer, integer]? of_b
local function words(a, b)
  local utf8 = require('acp.utf8')
  local shorter = math.min(#a, #b)
  local head = 0
  while head < shorter and a:byte(head + 1) == b:byte(head + 1) do
    head = head + 1
  end
  head = utf8.floor(a, head)
  local tail = 0
  while tail < shorter - head and a:byte(#a - tail) == b:byte(#b - tail) do
    tail = tail + 1
  end
  while tail > 0 and utf8.floor(a, #a - tail) ~= #a - tail do
    tail = tail - 1
  end
  if not a:sub(1, head):find('%S') and not a:sub(#a - tail + 1):find('%S') then
    return nil
  end
  return { head, #a - tail }, { head, #b - tail }
end

--- What a proposal changes after it was changed by hand.
--- @param old string[] the file as it stands
--- @param lines string[]
--- @param indices integer[][] as |vim.diff()| gives them
--- @return acp.ProposalLines
function M.from_diff(old, lines, indices)
  local runs, hunks = {}, {} --- @type acp.ProposalRun[], integer[]
  local reached = -math.huge
  for _, index in ipairs(indices) do
    local old_start, old_count, new_start, new_count = unpack(index)
    -- Without lines, the start is the line before.
    local run = {
      row = new_count == 0 and new_start + 1 or new_start,
      count = new_count,
      old = old_count == 0 and old_start + 1 or old_start,
      deleted = {},
      words = {},
    }
    for i = 0, old_count - 1 do
      run.deleted[i + 1] = { text = old[run.old + i] }
    end
    for i = 1, old_count == new_count and old_count or 0 do
      local of_old, of_new = words(run.deleted[i].text, lines[run.row + i - 1])
      if of_old and of_new then
        run.deleted[i].words = { of_old }
        table.insert(run.words, { run.row + i - 1, of_new[1], of_new[2] })
      end
    end
    if run.row - reached > MAX_BETWEEN then
      hunks[#hunks + 1] = run.row
    end
    reached = run.row + run.count
    runs[#runs + 1] = run
  end
  return { lines = lines, runs = runs, hunks = hunks }
end

--- The line of the new text where a line of the file as it stands is, or was.
--- @param proposal acp.ProposalLines
--- @param line integer
--- @return integer
function M.to_new(proposal, line)
  local shift = 0
  for _, run in ipairs(proposal.runs) do
    if run.old > line or run.gone then
      break
    elseif line < run.old + #run.deleted then
      return run.row
    end
    shift = shift + run.count - #run.deleted
  end
  return math.max(line + shift, 1)
end

--- The line of the file as it stands for one of the new text.
--- @param proposal acp.ProposalLines
--- @param row integer
--- @return integer
function M.to_old(proposal, row)
  local shift = 0
  for _, run in ipairs(proposal.runs) do
    if run.row > row or run.gone then
      break
    elseif row < run.row + run.count then
      return run.old
    end
    shift = shift + #run.deleted - run.count
  end
  return math.max(row + shift, 1)
end

return M
