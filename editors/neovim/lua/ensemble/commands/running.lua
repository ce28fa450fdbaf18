--- Subcommands about jobs that run or have ended.
local arguments = require("ensemble.arguments")
local client_of = require("ensemble.client")
local starting = require("ensemble.commands.starting")

---@type table<string, ensemble.Subcommand>
local subcommands = {}

local function running_ids()
  return vim.tbl_map(function(each)
    return each.id
  end, require("ensemble.jobs").running())
end

--- Run a command on a running job: the named one, or the only one, or one that is chosen.
---@param call ensemble.Call
local function on_running(call)
  local jobs = require("ensemble.jobs")
  local function run(each)
    local client = each and vim.lsp.get_client_by_id(each.client)
    if client then
      client_of.command(client, call.name, { job = each.id })
    end
  end
  local running = jobs.running()
  if call.rest ~= "" then
    local named = jobs.get(call.rest)
    if not named then
      return client_of.say(("no job %s"):format(call.rest), vim.log.levels.WARN)
    end
    run(named)
  elseif #running <= 1 then
    if #running == 0 then
      return client_of.say("no job is running", vim.log.levels.WARN)
    end
    run(running[1])
  else
    vim.ui.select(
      running,
      { prompt = "Which job?", kind = "ensemble.job", format_item = require("ensemble.job_events").summary },
      run
    )
  end
end

subcommands.cancel = { run = on_running, words = running_ids }
subcommands.decide = { run = on_running, words = running_ids }

subcommands["continue"] = {
  words = function()
    return vim.tbl_map(function(each)
      return each.id
    end, require("ensemble.jobs").list())
  end,
  run = function(call)
    local options, id = arguments.parse(call.rest)
    if not options then
      return client_of.say(id, vim.log.levels.ERROR)
    end
    local jobs = require("ensemble.jobs")
    for _, each in ipairs(id == "" and jobs.list() or {}) do
      if each.status and id == "" then
        id = each.id
      end
    end
    local client = client_of.need(call.bufnr)
    if client and id ~= "" then
      starting.start(call, client, { job = id, mode = options.mode })
    elseif client then
      client_of.say(
        "no job of this session has ended; :Ensemble jobs lists earlier ones",
        vim.log.levels.WARN
      )
    end
  end,
}

return subcommands
