--- A job as lines for the live view: one lane a member, what happened below. Pure but for `strdisplaywidth`.
local job_events = require("ensemble.job_events")

local M = {}

---@class ensemble.Mark
---@field line integer from 0
---@field from integer byte
---@field to integer byte
---@field group string

local GROUPS = { good = "EnsembleGood", bad = "EnsembleBad", quiet = "EnsembleQuiet" }
local STATES = { speaking = "●", done = "✓", failed = "✗", cancelled = "–", cached = "↺" }
--- Narrower lanes than this are not put side by side.
M.LEAST_WIDTH = 38

---@param text string
---@return boolean
local function is_plain(text)
  return not text:find("[^\32-\126]")
end

--- Return the first cells of a text and the rest of it.
---@param text string
---@param width integer
---@return string
---@return string
local function cut(text, width)
  if is_plain(text) then
    return text:sub(1, width), text:sub(width + 1)
  end
  local used, at = 0, 1
  for _, place in ipairs(vim.str_utf_pos(text)) do
    local stop = place + vim.str_utf_end(text, place)
    local cells = vim.api.nvim_strwidth(text:sub(place, stop))
    if used + cells > width then
      return text:sub(1, place - 1), text:sub(place)
    end
    used, at = used + cells, stop + 1
  end
  return text:sub(1, at - 1), text:sub(at)
end

--- Return a text that fills exactly `width` cells.
---@param text string
---@param width integer
---@return string
function M.padded(text, width)
  local shown = cut(text, width)
  local cells = is_plain(shown) and #shown or vim.api.nvim_strwidth(shown)
  return shown .. (" "):rep(width - cells)
end

--- Return the last `count` lines of a text as it wraps at `width` cells.
---@param text string
---@param width integer
---@param count integer
---@return string[]
function M.tail(text, width, count)
  -- Four bytes a cell at most: earlier ones cannot be seen.
  local ending = text:sub(-width * (count + 1) * 4):gsub("^[\128-\191]+", "")
  local wrapped = {}
  for _, line in ipairs(vim.split(ending, "\n", { plain = true })) do
    line = line:gsub("\t", "  "):gsub("[%z\1-\31\127]", "")
    repeat
      local first, rest = cut(line, width)
      -- One character may be wider than a very narrow lane.
      if first == "" and rest ~= "" then
        first, rest = rest, ""
      end
      wrapped[#wrapped + 1] = first
      line = rest
    until line == ""
  end
  while #wrapped > 0 and wrapped[#wrapped] == "" do
    wrapped[#wrapped] = nil
  end
  return vim.list_slice(wrapped, math.max(1, #wrapped - count + 1))
end

---@param lane ensemble.Lane
---@return string
function M.head(lane)
  local parts = { ("%s %s"):format(STATES[lane.state] or "·", lane.member) }
  if lane.purpose ~= "" then
    parts[#parts + 1] = lane.purpose
  end
  if lane.state == "speaking" and lane.rate then
    parts[#parts + 1] = ("%.0f tok/s"):format(lane.rate)
  elseif lane.seconds then
    parts[#parts + 1] = ("%.1fs"):format(lane.seconds)
    parts[#parts + 1] = job_events.money(lane.usd)
  end
  return table.concat(parts, " · ")
end

---@param total integer
---@param width integer
---@return integer columns
---@return integer cells
local function columns_of(total, width)
  local columns = math.max(1, math.min(total, math.floor((width + 1) / (M.LEAST_WIDTH + 1)), 3))
  return columns, math.floor((width - (columns - 1)) / columns)
end

---@param job ensemble.Job
---@param width integer
---@return string[] lines
---@return ensemble.Mark[] marks
local function head_of(job, width)
  local file = vim.fs.basename(vim.uri_to_fname(job.uri ~= "" and job.uri or "file:///"))
  local estimate = job.estimate
  local bound = estimate
      and ("  (at most %d calls, %s)"):format(estimate.callsBound, job_events.money(estimate.usdBound))
    or ""
  local first =
    M.padded(("%s · %s%s"):format(job_events.summary(job), file, job.status and "" or bound), width)
  local lines = { first }
  local marks = { { line = 0, from = 0, to = #first, group = "EnsembleTitle" } }
  if job.status then
    local group = job.status == "done" and "EnsembleGood"
      or job.status == "failed" and "EnsembleBad"
      or "EnsembleQuiet"
    for _, line in ipairs(M.tail(job.reason, width, 3)) do
      lines[#lines + 1] = line
      marks[#marks + 1] = { line = #lines - 1, from = 0, to = #line, group = group }
    end
  end
  return lines, marks
end

--- Return the live view of a job for a window of some size.
---@param job ensemble.Job
---@param width integer
---@param height integer
---@return string[] lines
---@return ensemble.Mark[] marks
---@return table<integer, string[]> members by line: those whose lanes are on it
function M.compose(job, width, height)
  local lines, marks = head_of(job, width)
  local members = {}
  local columns, cells = columns_of(math.max(#job.lanes, 1), width)
  local rows = math.ceil(#job.lanes / columns)
  local log_height = math.max(3, math.min(#job.log + 1, math.floor(height / 3)))
  local room = math.max(rows * 2, height - #lines - log_height)
  local body = rows > 0 and math.max(1, math.floor(room / rows) - 1) or 0
  for row = 1, rows do
    local heads, bodies = {}, {}
    for column = 1, columns do
      local lane = job.lanes[(row - 1) * columns + column]
      heads[column] = lane and M.head(lane) or ""
      local text = lane and (lane.error or job_events.text_of(lane)) or ""
      bodies[column] = lane and M.tail(text, cells, body) or {}
    end
    local at, line = 0, {}
    members[#lines] = {}
    for column = 1, columns do
      local text = M.padded(heads[column], cells)
      local lane = job.lanes[(row - 1) * columns + column]
      local group = lane
        and (
          lane.state == "speaking" and "EnsembleSpeaking"
          or lane.state == "failed" and "EnsembleBad"
          or "EnsembleLane"
        )
      if lane then
        marks[#marks + 1] = { line = #lines, from = at, to = at + #text, group = group }
        table.insert(members[#lines], lane.member)
      end
      line[column] = text
      at = at + #text + #"│"
    end
    lines[#lines + 1] = table.concat(line, "│")
    for number = 1, body do
      for column = 1, columns do
        line[column] = M.padded(bodies[column][number] or "", cells)
      end
      members[#lines] = members[#lines - 1]
      lines[#lines + 1] = (table.concat(line, "│"):gsub("%s+$", ""))
    end
  end
  return M.with_log(job, width, math.max(2, height - #lines), lines, marks), marks, members
end

---@param job ensemble.Job
---@param width integer
---@param room integer
---@param lines string[]
---@param marks ensemble.Mark[]
---@return string[]
function M.with_log(job, width, room, lines, marks)
  if #job.log == 0 then
    return lines
  end
  lines[#lines + 1] = ("─"):rep(width)
  local from = job.status and 1 or math.max(1, #job.log - (room - 1) + 1)
  for at = from, #job.log do
    local entry = job.log[at]
    -- After the end everything is there to read, wrapped; while it runs, one line each.
    local shown = job.status and M.tail(entry.text, width, 40) or { (cut(entry.text, width)) }
    for _, text in ipairs(shown) do
      lines[#lines + 1] = text
      if GROUPS[entry.tone] then
        marks[#marks + 1] = { line = #lines - 1, from = 0, to = #text, group = GROUPS[entry.tone] }
      end
    end
  end
  return lines
end

return M
