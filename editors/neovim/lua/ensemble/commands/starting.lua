--- How a subcommand starts a job: its argument from the buffer, the range, the options and the instruction.
local arguments = require("ensemble.arguments")
local client_of = require("ensemble.client")

local M = {}

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
function M.start(call, client, argument)
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

M.SCOPES = { "file", "changes", "staged", "workspace" }

---@param call ensemble.Call
---@param argument table
---@param instruction string
---@return string instruction
local function review_scope(call, argument, instruction)
  local word, behind = instruction:match("^(%S+)%s*(.*)$")
  if word and vim.list_contains(M.SCOPES, word) then
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

--- Whether an action cannot start without the person's words. How a commit message should read is known.
---@param call ensemble.Call
---@return boolean
local function needs_instruction(call)
  local is_message = call.name == "rewrite" and vim.bo[call.bufnr].filetype == "gitcommit"
  return NEEDS_INSTRUCTION[call.name] ~= nil and not is_message
end

--- Start a fix of what the entry at the cursor of the quickfix (or location) window says.
---@param call ensemble.Call
---@param options table
---@param instruction string
local function fix_entry(call, options, instruction)
  local win = vim.api.nvim_get_current_win()
  local argument, bufnr = require("ensemble.places").at_cursor(win)
  if not argument or not bufnr then
    return client_of.say("no file stands on this line", vim.log.levels.WARN)
  end
  -- In the file's own window: the server hears of the file when it is read, and the review opens before the eyes.
  vim.cmd(vim.fn.getwininfo(win)[1].loclist == 1 and ".ll" or ".cc")
  local client = client_of.need(bufnr)
  if client then
    argument = vim.tbl_extend("error", argument, arguments.fields(options))
    argument.instruction = instruction ~= "" and instruction or nil
    call.bufnr = bufnr
    M.start(call, client, argument)
  end
end

---@param call ensemble.Call
function M.job(call)
  if call.name == "fix" and vim.bo[call.bufnr].buftype == "quickfix" then
    local options, instruction = arguments.parse(call.rest)
    if not options then
      return client_of.say(instruction, vim.log.levels.ERROR)
    end
    return fix_entry(call, options, instruction)
  end
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
  elseif needs_instruction(call) then
    vim.ui.input({ prompt = NEEDS_INSTRUCTION[call.name] .. "? " }, function(text)
      if text and vim.trim(text) ~= "" then
        argument.instruction = text
        M.start(call, client, argument)
      end
    end)
    return
  end
  M.start(call, client, argument)
end

return M
