--- What stands behind `:Ensemble SUBCOMMAND`: options first, then the instruction as it was typed. Pure functions.
local M = {}

--- Options of every job: name → how its value is read.
---@type table<string, fun(value: string): any>
M.OPTIONS = {
  mode = function(value)
    return vim.list_contains({ "quick", "panel", "debate" }, value) and value or nil
  end,
  rounds = tonumber,
  panel = function(value)
    return value ~= "" and vim.split(value, ",", { trimempty = true }) or nil
  end,
  check = function(value)
    return value ~= "" and value or nil
  end,
  usd = tonumber,
  seconds = tonumber,
  calls = tonumber,
}

--- Part options from the instruction; nil and what is wrong where an option cannot be read.
---@param rest string
---@return table? options
---@return string instruction or the problem
function M.parse(rest)
  local options = {}
  rest = vim.trim(rest)
  while true do
    local name, value, behind = rest:match("^%-%-([%w-]+)=(%S*)%s*(.*)$")
    if not name then
      break
    end
    local read = M.OPTIONS[name]
    if not read then
      return nil, ("there is no option --%s"):format(name)
    end
    local parsed = read(value)
    if parsed == nil then
      return nil, ("--%s=%s cannot be read"):format(name, value)
    end
    options[name] = parsed
    rest = behind
  end
  -- "--" ends the options: an instruction may begin with two dashes.
  rest = rest:gsub("^%-%-%s+", "", 1)
  return options, rest
end

--- Return the fields of a job's argument for parsed options.
---@param options table
---@return table
function M.fields(options)
  local fields = {
    mode = options.mode,
    rounds = options.rounds,
    panel = options.panel,
    check = options.check,
  }
  if options.usd or options.seconds or options.calls then
    fields.budget = { usd = options.usd, seconds = options.seconds, calls = options.calls }
  end
  return fields
end

--- Return what may follow an unfinished option.
---@param lead string
---@return string[]
function M.complete(lead)
  if lead:match("^%-%-mode=") then
    return { "--mode=quick", "--mode=panel", "--mode=debate" }
  end
  local names = vim.tbl_keys(M.OPTIONS)
  table.sort(names)
  return vim.tbl_map(function(name)
    return ("--%s="):format(name)
  end, names)
end

return M
