--- The jobs of this session, the newest twenty: kept as events arrive, and who wants to know is told.
local job_events = require("ensemble.job_events")

local M = {}

--- Ended jobs that are kept.
M.KEPT = 20

local jobs = {} ---@type table<string, ensemble.Job>
local order = {} ---@type string[] ids, oldest first
local origins = {} ---@type table<string, ensemble.Origin>
local listeners = {} ---@type table<fun(job: ensemble.Job, event: ensemble.Event), true>

local EVENTS = {
  started = "EnsembleStarted",
  phase = "EnsemblePhase",
  finding = "EnsembleFinding",
  finished = "EnsembleFinished",
}

---@param pattern string
---@param data table
function M.announce(pattern, data)
  vim.api.nvim_exec_autocmds("User", { pattern = pattern, modeline = false, data = data })
end

local function forget_old()
  local ended = 0
  for at = #order, 1, -1 do
    if jobs[order[at]].status then
      ended = ended + 1
      if ended > M.KEPT then
        jobs[order[at]] = nil
        table.remove(order, at)
      end
    end
  end
end

--- Take an event of a job.
---@param event ensemble.Event
---@param client integer
function M.take(event, client)
  local job = jobs[event.job]
  if not job then
    job = job_events.new(event.job, client)
    job.origin, origins[event.job] = origins[event.job], nil
    jobs[event.job] = job
    order[#order + 1] = event.job
    forget_old()
  end
  job_events.reduce(job, event)
  for listener in pairs(listeners) do
    listener(job, event)
  end
  local pattern = EVENTS[event.kind]
  if pattern then
    M.announce(
      pattern,
      { job = job.id, action = job.action, phase = job.phase, status = job.status, reason = job.reason }
    )
    vim.cmd.redrawstatus({ bang = true })
  end
  if event.kind == "finished" and job.action == "locate" then
    require("ensemble.places").list(job)
  end
end

--- End the jobs of a client that is gone.
---@param client integer
function M.lost(client)
  for _, job in ipairs(M.running()) do
    if job.client == client then
      M.take({
        job = job.id,
        seq = -1,
        time = os.time(),
        kind = "finished",
        status = "failed",
        reason = "the server ended",
        spend = job.spend,
        seconds = 0,
      }, client)
    end
  end
end

--- Remember where a job was asked from; called with the answer that names it, before its first event.
---@param id string
---@param origin ensemble.Origin
function M.asked_from(id, origin)
  if jobs[id] then
    jobs[id].origin = origin
  else
    origins[id] = origin
  end
end

---@param listener fun(job: ensemble.Job, event: ensemble.Event)
function M.listen(listener)
  listeners[listener] = true
end

---@param listener fun(job: ensemble.Job, event: ensemble.Event)
function M.unlisten(listener)
  listeners[listener] = nil
end

---@param id string
---@return ensemble.Job?
function M.get(id)
  return jobs[id]
end

--- Return all jobs, the newest first.
---@return ensemble.Job[]
function M.list()
  local found = {}
  for at = #order, 1, -1 do
    found[#found + 1] = jobs[order[at]]
  end
  return found
end

--- Return the jobs that run, the newest first.
---@return ensemble.Job[]
function M.running()
  return vim.tbl_filter(function(job)
    return job.status == nil
  end, M.list())
end

--- Return the running jobs for a status line, "" without one.
---@return string
function M.status()
  local running = M.running()
  if #running == 0 then
    return ""
  end
  local more = #running > 1 and (" +%d"):format(#running - 1) or ""
  return "ensemble " .. job_events.summary(running[1]) .. more
end

return M
