--- Jobs as their events tell: `reduce` changes a job as one event says. Pure functions.
local M = {}

---@class ensemble.Lane
---@field member string
---@field family string
---@field purpose string
---@field state "waiting"|"speaking"|"done"|"failed"|"cancelled"|"cached"
---@field text string the end of what was said, at most `LANE_BYTES` twice over
---@field fresh string[] said since, not joined to `text` yet
---@field fresh_bytes integer
---@field rate number? tokens a second
---@field seconds number?
---@field usd number
---@field tokens integer
---@field error string?

---@class ensemble.Job
---@field id string
---@field action string
---@field uri string
---@field mode string
---@field estimate ensemble.protocol.Estimate?
---@field notes string[]
---@field phase string?
---@field round integer
---@field lanes ensemble.Lane[] in the order of the panel
---@field log ensemble.LogLine[] what happened, in order, at most `LOG_LINES`
---@field dissent ensemble.protocol.Dissent[]
---@field findings integer
---@field places ensemble.protocol.Finding[] of `locate`, the most likely first
---@field proposal string? its id
---@field spend ensemble.protocol.Spend
---@field status string? nil while it runs
---@field reason string
---@field seconds number
---@field started number seconds since the epoch
---@field client integer id of the LSP client
---@field origin ensemble.Origin? where it was asked from
---@field drawn integer raised with every change: who draws compares it

---@class ensemble.Origin
---@field bufnr integer
---@field win integer
---@field changedtick integer
---@field inline boolean show the proposal as virtual lines

---@class ensemble.LogLine
---@field kind string the event's kind
---@field text string
---@field tone "good"|"bad"|"quiet"|"plain"

--- Of one lane's text, what is kept: a person reads the end, the whole is in the transcript.
M.LANE_BYTES = 16384
M.LOG_LINES = 400

local GOOD = { passed = true }
local BAD = { failed = true, timedOut = true, error = true }

---@param id string
---@param client integer
---@return ensemble.Job
function M.new(id, client)
  return {
    id = id,
    action = "",
    uri = "",
    mode = "",
    notes = {},
    round = 0,
    lanes = {},
    log = {},
    dissent = {},
    findings = 0,
    places = {},
    spend = { calls = 0, tokensIn = 0, tokensOut = 0, usd = 0 },
    reason = "",
    seconds = 0,
    started = 0,
    client = client,
    drawn = 0,
  }
end

---@param job ensemble.Job
---@param member string
---@param family string?
---@return ensemble.Lane
local function lane_of(job, member, family)
  for _, lane in ipairs(job.lanes) do
    if lane.member == member then
      return lane
    end
  end
  local lane = {
    member = member,
    family = family or "",
    purpose = "",
    state = "waiting",
    text = "",
    fresh = {},
    fresh_bytes = 0,
    usd = 0,
    tokens = 0,
  }
  job.lanes[#job.lanes + 1] = lane
  return lane
end

--- Return the end of what a member said. Joins what came since the last call.
---@param lane ensemble.Lane
---@return string
function M.text_of(lane)
  if #lane.fresh > 0 then
    local text = lane.text .. table.concat(lane.fresh)
    if #text > M.LANE_BYTES then
      -- From the start of a character on.
      text = text:sub(-M.LANE_BYTES):gsub("^[\128-\191]+", "")
    end
    lane.text, lane.fresh, lane.fresh_bytes = text, {}, 0
  end
  return lane.text
end

---@param job ensemble.Job
---@param kind string
---@param tone "good"|"bad"|"quiet"|"plain"
---@param text string
local function note(job, kind, tone, text)
  if text == "" then
    return
  end
  job.log[#job.log + 1] = { kind = kind, tone = tone, text = (text:gsub("%s+", " ")) }
  if #job.log > M.LOG_LINES then
    table.remove(job.log, 1)
  end
end

--- What each kind of event does to a job.
---@type table<string, fun(job: ensemble.Job, event: ensemble.Event)>
local REDUCE = {
  started = function(job, event)
    job.action, job.uri, job.mode = event.action, event.uri, event.mode
    job.estimate, job.notes, job.started = event.estimate, event.notes or {}, event.time
    for _, seat in ipairs(event.panel) do
      lane_of(job, seat.member, seat.family)
    end
    for _, text in ipairs(job.notes) do
      note(job, "started", "quiet", text)
    end
  end,
  phase = function(job, event)
    job.phase, job.round = event.phase, event.round or 0
    local round = job.round > 0 and (" " .. job.round) or ""
    note(job, "phase", "plain", ("— %s%s %s"):format(event.phase, round, event.note or ""))
  end,
  memberStarted = function(job, event)
    local lane = lane_of(job, event.member, event.family)
    M.text_of(lane)
    if lane.text ~= "" then
      lane.fresh = { "\n\n" }
    end
    lane.purpose, lane.state, lane.error, lane.seconds = event.purpose, "speaking", nil, nil
  end,
  memberDelta = function(job, event)
    local lane = lane_of(job, event.member)
    lane.fresh[#lane.fresh + 1] = event.text
    lane.fresh_bytes = lane.fresh_bytes + #event.text
    lane.rate = event.tokensPerSecond
    if lane.fresh_bytes > M.LANE_BYTES then
      M.text_of(lane)
    end
  end,
  memberFinished = function(job, event)
    local lane = lane_of(job, event.member)
    lane.purpose, lane.seconds, lane.error = event.purpose, event.seconds, event.error
    lane.state = event.error and "failed"
      or event.cancelled and "cancelled"
      or event.cached and "cached"
      or "done"
    lane.usd = lane.usd + event.spend.usd
    lane.tokens = lane.tokens + event.spend.tokensOut
    if event.error then
      note(job, "memberFinished", "bad", ("%s: %s"):format(event.member, event.error))
    end
  end,
  check = function(job, event)
    local tone = GOOD[event.outcome] and "good" or BAD[event.outcome] and "bad" or "quiet"
    local about = event.about == "" and "as it is" or table.concat(event.members or {}, ", ")
    if about == "" then
      about = event.about
    end
    note(job, "check", tone, ("%s on %s: %s"):format(event.witness, about, event.summary))
  end,
  finding = function(job, event)
    job.findings = job.findings + 1
    local finding = event.finding
    if job.action == "locate" then
      job.places[#job.places + 1] = finding
    end
    note(
      job,
      "finding",
      "plain",
      ("%s:%d %s (%s)"):format(finding.path, finding.line + 1, finding.title, finding.reason)
    )
  end,
  dissent = function(job, event)
    job.dissent[#job.dissent + 1] = event.dissent
    note(job, "dissent", "quiet", ("%s objects: %s"):format(event.dissent.member, event.dissent.text))
  end,
  proposal = function(job, event)
    job.proposal = event.proposal
    note(job, "proposal", "good", ("proposal: %s"):format(event.title))
  end,
  critique = function(job, event)
    local against = table.concat(event.against or {}, ", ")
    local target = against ~= "" and against or event.about
    local outcome = event.broke and "broke it" or "did not break it"
    local evidence = event.evidence ~= "" and (" — " .. event.evidence) or ""
    note(
      job,
      "critique",
      event.broke and "bad" or "plain",
      ("%s → %s: %s (%s)%s"):format(event.from, target, event.claim, outcome, evidence)
    )
  end,
  revision = function(job, event)
    local how = event.conformity and ", without new evidence" or ""
    note(
      job,
      "revision",
      "plain",
      ("%s %s its answer%s %s"):format(event.member, event.outcome, how, event.note or "")
    )
  end,
  position = function(job, event)
    local moved = event.moved
        and (event.because ~= "" and (" moved by " .. event.because) or " moved without evidence")
      or ""
    note(
      job,
      "position",
      event.moved and "good" or "plain",
      ("%s:%s %s"):format(event.member, moved, event.stance)
    )
  end,
  spend = function(job, event)
    job.spend = event.spend
  end,
  finished = function(job, event)
    job.status, job.reason, job.spend = event.status, event.reason, event.spend
    job.seconds = event.seconds or 0
    for _, lane in ipairs(job.lanes) do
      if lane.state == "speaking" then
        lane.state = "cancelled"
      end
    end
    local tone = event.status == "done" and "good" or event.status == "failed" and "bad" or "plain"
    note(job, "finished", tone, ("%s: %s"):format(event.status, event.reason))
  end,
}

--- The kinds of events that are understood; others are passed over.
---@return string[]
function M.kinds()
  local kinds = vim.tbl_keys(REDUCE)
  table.sort(kinds)
  return kinds
end

--- Change a job as an event says.
---@param job ensemble.Job
---@param event ensemble.Event
function M.reduce(job, event)
  local change = REDUCE[event.kind]
  if change then
    change(job, event)
    job.drawn = job.drawn + 1
  end
end

---@param usd number
---@return string
function M.money(usd)
  return usd == 0 and "free" or usd < 0.0005 and "<$0.001" or ("$%.3f"):format(usd)
end

---@param tokens integer
---@return string
function M.count(tokens)
  return tokens < 1000 and tostring(tokens) or ("%.1fk"):format(tokens / 1000)
end

--- Return a job in a few words: "fix draft 2/3 · 4.1k tokens · $0.003".
---@param job ensemble.Job
---@return string
function M.summary(job)
  local words = { job.action ~= "" and job.action or "job" }
  if job.status then
    words[#words + 1] = job.status
  elseif job.phase then
    words[#words + 1] = job.phase
    local done, speaking = 0, 0
    for _, lane in ipairs(job.lanes) do
      speaking = speaking + (lane.state == "speaking" and 1 or 0)
      done = done + ((lane.state ~= "speaking" and lane.seconds) and 1 or 0)
    end
    if speaking > 0 then
      words[#words + 1] = ("%d/%d"):format(done, done + speaking)
    end
  end
  local parts = { table.concat(words, " ") }
  local tokens = job.spend.tokensIn + job.spend.tokensOut
  if tokens > 0 then
    parts[#parts + 1] = M.count(tokens) .. " tokens"
    parts[#parts + 1] = M.money(job.spend.usd)
  end
  return table.concat(parts, " · ")
end

return M
