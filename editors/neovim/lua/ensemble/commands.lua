--- `:Ensemble` and the <Plug> mappings.
local arguments = require("ensemble.arguments")
local client_of = require("ensemble.client")

local M = {}

---@class ensemble.Call
---@field name string
---@field rest string
---@field bang boolean
---@field bufnr integer
---@field first integer? from 1; nil without a range
---@field last integer?

---@class ensemble.Subcommand
---@field run fun(call: ensemble.Call)
---@field words? fun(): string[] what may follow

---@type table<string, ensemble.Subcommand>
local subcommands = {}

---@param call ensemble.Call
---@param client vim.lsp.Client
---@return lsp.Range
local function range_of(call, client)
  if call.first then
    return {
      start = { line = call.first - 1, character = 0 },
      ["end"] = { line = call.last, character = 0 },
    }
  end
  return vim.lsp.util.make_range_params(0, client.offset_encoding).range
end

---@param call ensemble.Call
---@param client vim.lsp.Client
---@param argument table
local function start(call, client, argument)
  local origin = {
    bufnr = call.bufnr,
    win = vim.api.nvim_get_current_win(),
    changedtick = vim.api.nvim_buf_get_changedtick(call.bufnr),
    inline = call.bang,
  }
  -- With the buffer, so that what was typed just now reaches the server before the command does.
  client:request("workspace/executeCommand", {
    command = "ensemble." .. call.name,
    arguments = { argument },
  }, function(problem, answer)
    if problem then
      return client_of.say(client_of.words(problem), vim.log.levels.ERROR)
    elseif type(answer) == "table" and answer.job then
      require("ensemble.jobs").asked_from(answer.job, origin)
    end
  end, call.bufnr)
end

--- What a fix is about beside its lines: what other tools say there, and the finding at the cursor.
---@param call ensemble.Call
---@param client vim.lsp.Client
---@param argument table
local function add_problems(call, client, argument)
  local encoding = client.offset_encoding
  argument.diagnostics = vim.tbl_filter(function(item)
    return item.source ~= "ensemble"
  end, require("ensemble.attach").diagnostics(call.bufnr, argument.range, encoding))
  local lnum = argument.range.start.line
  local found = require("ensemble.findings").at(call.bufnr, lnum)
  if #found == 1 and #argument.diagnostics == 0 then
    argument.finding = found[1].id
  end
end

local SCOPES = { "file", "changes", "staged", "workspace" }

---@param call ensemble.Call
---@param argument table
---@param instruction string
---@return string instruction
local function review_scope(call, argument, instruction)
  local word, behind = instruction:match("^(%S+)%s*(.*)$")
  if word and vim.list_contains(SCOPES, word) then
    argument.scope, instruction = word, behind
    if word == "changes" then
      -- `:Ensemble review changes main`: what they are counted from.
      local base, rest = instruction:match("^(%S+)%s*(.*)$")
      argument.base, instruction = base, rest or ""
    end
  else
    argument.scope = call.first and "range" or "file"
  end
  if argument.scope ~= "range" then
    argument.range = nil
  end
  return instruction
end

local NEEDS_INSTRUCTION = {
  refactor = "What is to be refactored, and how",
  rewrite = "How is it to be rewritten",
  debate = "What is the question",
}

---@param call ensemble.Call
local function job(call)
  local client = client_of.need(call.bufnr)
  if not client then
    return
  end
  local options, instruction = arguments.parse(call.rest)
  if not options then
    return client_of.say(instruction, vim.log.levels.ERROR)
  end
  local argument = arguments.fields(options)
  argument.uri = vim.uri_from_bufnr(call.bufnr)
  argument.range = range_of(call, client)
  if call.name == "review" then
    instruction = review_scope(call, argument, instruction)
  elseif call.name == "fix" then
    add_problems(call, client, argument)
  end
  if instruction ~= "" then
    argument.instruction = instruction
  elseif NEEDS_INSTRUCTION[call.name] then
    vim.ui.input({ prompt = NEEDS_INSTRUCTION[call.name] .. "? " }, function(text)
      if text and vim.trim(text) ~= "" then
        argument.instruction = text
        start(call, client, argument)
      end
    end)
    return
  end
  start(call, client, argument)
end

for _, name in ipairs({
  "fix",
  "review",
  "explain",
  "debate",
  "test",
  "secure",
  "locate",
  "refactor",
  "rewrite",
}) do
  subcommands[name] = { run = job }
end
subcommands.review.words = function()
  return SCOPES
end

--- Return the proposal that a subcommand speaks of, and the hunks where it speaks of some.
---@param call ensemble.Call
---@return ensemble.Kept?
---@return string[]? ids
local function chosen(call)
  local proposals = require("ensemble.proposals")
  local kept = call.rest ~= "" and proposals.get(call.rest) or nil
  local review = require("ensemble.review").here()
  kept = kept or (review and review.kept)
  if kept then
    return kept, nil
  end
  if call.first then
    local inline, ids = require("ensemble.inline").at(call.bufnr, call.first - 1, call.last - 1)
    if inline then
      return inline, ids
    end
    kept = proposals.latest(call.bufnr)
    local file = kept and proposals.file(kept, vim.uri_from_bufnr(call.bufnr))
    local found = file and require("ensemble.hunks").touching(file, call.first - 1, call.last - 1) or {}
    if #found == 0 then
      client_of.say("no hunk of a proposal on these lines", vim.log.levels.WARN)
      return nil
    end
    return kept, found
  end
  kept = proposals.latest(call.bufnr)
  if not kept then
    client_of.say("no proposal waits", vim.log.levels.WARN)
  end
  return kept
end

local function proposal_ids()
  return vim.tbl_map(function(kept)
    return kept.id
  end, require("ensemble.proposals").list())
end

subcommands.apply = {
  words = proposal_ids,
  run = function(call)
    local kept, ids = chosen(call)
    if kept then
      require("ensemble.proposals").accept(kept, ids)
    end
  end,
}

subcommands.reject = {
  words = proposal_ids,
  run = function(call)
    local kept, ids = chosen(call)
    if kept then
      require("ensemble.proposals").reject(kept, ids)
    end
  end,
}

subcommands.show = {
  words = proposal_ids,
  run = function(call)
    local kept = chosen(vim.tbl_extend("force", call, { first = false, last = false }))
    if kept and call.bang then
      require("ensemble.inline").show(kept)
    elseif kept then
      require("ensemble.review").open(kept)
    end
  end,
}

subcommands.quickfix = {
  words = proposal_ids,
  run = function(call)
    local kept = chosen(vim.tbl_extend("force", call, { first = false, last = false }))
    if kept then
      require("ensemble.review").quickfix(kept)
      vim.cmd("botright copen")
    end
  end,
}

---@param step 1|-1
local function go(step)
  local review = require("ensemble.review").here()
  if review then
    require("ensemble.review").go(review, step)
  elseif not require("ensemble.inline").go(step) then
    client_of.say("no hunk to go to; :Ensemble show opens a proposal", vim.log.levels.WARN)
  end
end

subcommands.next = {
  run = function()
    go(1)
  end,
}

subcommands.previous = {
  run = function()
    go(-1)
  end,
}

subcommands.why = {
  run = function(call)
    local review = require("ensemble.review")
    local here = review.here()
    if here then
      return review.why(here)
    end
    local line = vim.api.nvim_win_get_cursor(0)[1] - 1
    local kept, ids = require("ensemble.inline").at(call.bufnr, line, line)
    local why = require("ensemble.why")
    for _, each in ipairs(kept and require("ensemble.hunks").all(kept.view) or {}) do
      if kept and each.hunk.id == ids[1] then
        return why.float(why.of_hunk(kept.view, each.hunk), "hunk")
      end
    end
    if not require("ensemble.findings").why(call.bufnr) then
      client_of.say("neither a hunk nor a finding on this line", vim.log.levels.WARN)
    end
  end,
}

subcommands.dismiss = {
  words = function()
    return { "wrong", "wontfix", "style" }
  end,
  run = function(call)
    require("ensemble.findings").dismiss(call.bufnr, call.rest)
  end,
}

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
    vim.ui.select(running, { prompt = "Which job?", kind = "ensemble.job", format_item = jobs.summary }, run)
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
      start(call, client, { job = id, mode = options.mode })
    elseif client then
      client_of.say(
        "no job of this session has ended; :Ensemble jobs lists earlier ones",
        vim.log.levels.WARN
      )
    end
  end,
}

subcommands.watch = {
  words = function()
    return vim.tbl_map(function(each)
      return each.id
    end, require("ensemble.jobs").list())
  end,
  run = function(call)
    require("ensemble.watch").open(call.rest ~= "" and call.rest or nil)
  end,
}

subcommands.panel = {
  run = function(call)
    local client = client_of.get(call.bufnr)
    if client then
      require("ensemble.lists").panel(client)
    else
      client_of.need(call.bufnr)
    end
  end,
}

subcommands.jobs = {
  run = function(call)
    local client = client_of.get(call.bufnr)
    if client then
      require("ensemble.lists").jobs(client)
    else
      client_of.need(call.bufnr)
    end
  end,
}

subcommands["local"] = {
  words = function()
    return { "on", "off" }
  end,
  run = function(call)
    local client = client_of.need(call.bufnr)
    if not client then
      return
    end
    local settings = vim.deepcopy(client.settings or {})
    local ours = settings.ensemble or {}
    local on = not ours["local"]
    if call.rest ~= "" then
      on = call.rest == "on"
    end
    ours["local"] = on
    settings.ensemble = ours
    client.settings = settings
    client:notify("workspace/didChangeConfiguration", { settings = settings })
    client_of.say(
      on and "only models on this machine from now on" or "models elsewhere may sit on the panel again"
    )
  end,
}

subcommands.trust = {
  words = function()
    return { "allow", "deny", "remove" }
  end,
  run = function(call)
    local client = client_of.need(call.bufnr)
    local root = client and client.root_dir
    if not client then
      return
    elseif not root then
      return client_of.say(
        "this file belongs to no folder with an ensemble.toml or a .git",
        vim.log.levels.WARN
      )
    end
    local trust = require("ensemble.trust")
    if call.rest == "" then
      trust.ask(client, root)
    elseif vim.list_contains({ "allow", "deny", "remove" }, call.rest) then
      trust.report(trust.decide(client, root, call.rest))
    else
      client_of.say("allow, deny or remove", vim.log.levels.ERROR)
    end
  end,
}

--- The subcommands, sorted.
---@return string[]
function M.names()
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  return names
end

--- Run a subcommand.
---@param name string
---@param rest string
---@param how { bang?: boolean, first?: integer, last?: integer }
function M.start(name, rest, how)
  local subcommand = subcommands[name]
  if not subcommand then
    return client_of.say(("there is no :Ensemble %s"):format(name), vim.log.levels.ERROR)
  end
  subcommand.run({
    name = name,
    rest = vim.trim(rest),
    bang = how.bang == true,
    bufnr = vim.api.nvim_get_current_buf(),
    first = how.first,
    last = how.last,
  })
end

--- Run `:Ensemble`. `:Ensemble fix!` and `:Ensemble! fix` are the same: Vim knows a bang behind the command only.
---@param command vim.api.keyset.create_user_command.command_args
function M.run(command)
  local name, rest = command.args:match("^(%S+)%s*(.*)$")
  if not name then
    return M.start("watch", "", {})
  end
  local bare = name:gsub("!$", "")
  M.start(bare, rest, {
    bang = command.bang or bare ~= name,
    first = command.range > 0 and command.line1 or nil,
    last = command.range > 0 and command.line2 or nil,
  })
end

--- Complete a command line.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local behind = line:match("Ensemble!?%s+(.*)$") or ""
  local name = behind:match("^(%S+)%s")
  local words
  if not name then
    words = M.names()
  else
    local subcommand = subcommands[(name:gsub("!$", ""))]
    if not subcommand then
      return {}
    end
    words = subcommand.words and subcommand.words() or {}
    if subcommand.run == job then
      words = vim.list_extend(vim.deepcopy(words), arguments.complete(lead))
    end
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

--- Run what a <Plug> mapping stands for; in Visual mode with the selected lines.
---@param name string
function M.plug(name)
  local how = {}
  if vim.api.nvim_get_mode().mode:match("^[vV\22]") then
    how.first, how.last = vim.fn.line("v"), vim.fn.line(".")
    if how.last < how.first then
      how.first, how.last = how.last, how.first
    end
    vim.api.nvim_feedkeys(vim.keycode("<Esc>"), "nx", false)
  elseif name == "apply" or name == "reject" then
    local line = vim.api.nvim_win_get_cursor(0)[1]
    if require("ensemble.inline").at(vim.api.nvim_get_current_buf(), line - 1, line - 1) then
      how.first, how.last = line, line
    end
  end
  M.start(name, "", how)
end

return M
