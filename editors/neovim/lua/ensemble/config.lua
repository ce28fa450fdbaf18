--- The options of `setup`, with their defaults.
local M = {}

---@class ensemble.Options
---@field enable? boolean start the server for every file; false where you call `vim.lsp.enable` yourself
---@field cmd? string[] how the server is started
---@field filetypes? string[] only these; every file when left out
---@field settings? table<string, any> settings as docs/settings.md has them
---@field trusted? string[] folders whose own settings count and whose tests may be run
---@field open? "auto"|"always"|"never" when a proposal opens its review by itself
---@field signs? boolean|table<vim.diagnostic.Severity, string> signs of findings in the sign column
---@field keys? table<string, string|false> keys of the plugin's own buffers, by action; false for none
---@field watch? { rate?: integer } redraws of the live lanes a second

---@type ensemble.Options
M.defaults = {
  enable = true,
  trusted = {},
  open = "auto",
  signs = true,
  keys = {
    accept = "a",
    reject = "x",
    accept_all = "A",
    reject_all = "X",
    next = "<Tab>",
    previous = "<S-Tab>",
    why = "K",
    candidates = "c",
    files = "f",
    quickfix = "Q",
    edit = "<CR>",
    close = "q",
    cancel = "C",
    decide = "D",
    continue = "R",
    lane = "<CR>",
  },
  watch = { rate = 12 },
}

---@type ensemble.Options
M.options = vim.deepcopy(M.defaults)

--- Check and take over options; raises an error that names a wrong one.
---@param options? ensemble.Options
function M.set(options)
  options = options or {}
  for name in pairs(options) do
    if M.defaults[name] == nil and name ~= "cmd" and name ~= "filetypes" and name ~= "settings" then
      error(("ensemble.setup: there is no option %q"):format(name), 0)
    end
  end
  vim.validate("enable", options.enable, "boolean", true)
  vim.validate("cmd", options.cmd, "table", true)
  vim.validate("filetypes", options.filetypes, "table", true)
  vim.validate("settings", options.settings, "table", true)
  vim.validate("trusted", options.trusted, "table", true)
  vim.validate("signs", options.signs, { "boolean", "table" }, true)
  vim.validate("keys", options.keys, "table", true)
  vim.validate("watch", options.watch, "table", true)
  vim.validate("open", options.open, function(value)
    return value == nil or value == "auto" or value == "always" or value == "never"
  end, '"auto", "always" or "never"')
  for name in pairs(options.keys or {}) do
    if M.defaults.keys[name] == nil then
      error(("ensemble.setup: there is no key for %q"):format(name), 0)
    end
  end
  M.options = vim.tbl_deep_extend("force", vim.deepcopy(M.defaults), options)
end

return M
