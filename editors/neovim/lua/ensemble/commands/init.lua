--- `:Ensemble` and the <Plug> mappings: names, ranges, completion; each group of subcommands is a module.
local arguments = require("ensemble.arguments")
local client_of = require("ensemble.client")
local starting = require("ensemble.commands.starting")

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

local JOBS = { "fix", "review", "explain", "debate", "test", "secure", "locate", "refactor", "rewrite" }
for _, name in ipairs(JOBS) do
  subcommands[name] = { run = starting.job }
end
subcommands.review.words = function()
  return starting.SCOPES
end
for _, group in ipairs({ "proposals", "running", "session" }) do
  subcommands = vim.tbl_extend("error", subcommands, require("ensemble.commands." .. group))
end

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
    if subcommand.run == starting.job then
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
