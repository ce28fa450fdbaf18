--- `:checkhealth ensemble`. Runs when it is asked for, so it may wait; what it waits for is bounded.
local M = {}

local SECONDS = 60

---@param command string[]
---@param arguments string[]
---@return vim.SystemCompleted?
local function output(command, arguments)
  local whole = vim.list_extend({ command[1] }, arguments)
  local ok, result = pcall(function()
    return vim.system(whole, { text = true, timeout = SECONDS * 1000 }):wait()
  end)
  return ok and result or nil
end

---@return string[]? command of the server, nil when it is a function
local function configured()
  local config = vim.lsp.config.ensemble
  return config and type(config.cmd) == "table" and config.cmd or nil
end

local function check_neovim()
  vim.health.start("Neovim")
  if vim.fn.has("nvim-0.11") == 1 then
    vim.health.ok(("version %s"):format(tostring(vim.version())))
  else
    vim.health.error(("version %s: 0.11 or newer is needed"):format(tostring(vim.version())))
  end
  if #vim.api.nvim_get_runtime_file("lsp/ensemble.lua", true) > 1 then
    vim.health.warn("lsp/ensemble.lua is there more than once: the last one in 'runtimepath' wins")
  end
  if pcall(vim.treesitter.language.inspect, "markdown") then
    vim.health.ok("treesitter parser for Markdown")
  else
    vim.health.info("no treesitter parser for Markdown: explanations have the older highlighting")
  end
end

--- Report what `ensemble-lsp doctor` says: sandbox, trust, members, and keys by their names only.
---@param text string
---@return boolean read
function M.report(text)
  local ok, entries = pcall(vim.json.decode, text, { luanil = { object = true } })
  if not ok or type(entries) ~= "table" then
    return false
  end
  for _, entry in ipairs(entries) do
    local line = ("%s: %s"):format(entry.name, entry.text)
    if entry.good == true then
      vim.health.ok(line)
    elseif entry.good == false then
      vim.health.error(line)
    else
      vim.health.info(line)
    end
  end
  return true
end

---@return boolean whether the server can be run
local function check_server()
  vim.health.start("Server")
  local command = configured()
  if not command then
    vim.health.info("the server is started by a function of yours, which cannot be looked into")
    return false
  elseif vim.fn.executable(command[1]) == 0 then
    vim.health.error(("%s cannot be run"):format(command[1]), {
      "Install it: uv tool install ensemble-lsp (or pipx, or pip in an environment on your PATH)",
      'Or name it: vim.lsp.config("ensemble", { cmd = { "/path/to/ensemble-lsp", "serve" } })',
    })
    return false
  end
  vim.health.ok(vim.fn.exepath(command[1]))
  local version = output(command, { "--version" })
  if version and version.code == 0 then
    vim.health.ok(vim.trim(version.stdout))
  else
    vim.health.error("it does not tell its version", { vim.trim(version and version.stderr or "no answer") })
    return false
  end
  return true
end

local function check_clients()
  vim.health.start("Running here")
  if not vim.lsp.is_enabled("ensemble") then
    vim.health.warn('not enabled: vim.lsp.enable("ensemble"), or require("ensemble").setup()')
  end
  local clients = vim.lsp.get_clients({ name = "ensemble" })
  if #clients == 0 then
    vim.health.info("no server runs; it starts with the first file you open")
  end
  for _, client in ipairs(clients) do
    local root = client.root_dir
    local decided = root and require("ensemble.trust").decided(root)
    vim.health.ok(
      ("%s · %d buffers · %s"):format(
        root or "no folder",
        vim.tbl_count(client.attached_buffers),
        decided == "allowed" and "trusted"
          or "not trusted: its own settings do not count, its tests do not run"
      )
    )
    local version = vim.tbl_get(client.server_capabilities, "experimental", "ensemble", "version")
    if version ~= require("ensemble.protocol").version then
      vim.health.error(
        ("the server speaks version %s of the messages, the plugin version %d"):format(
          tostring(version),
          require("ensemble.protocol").version
        )
      )
    end
  end
end

--- Check everything that has to be there.
function M.check()
  check_neovim()
  local runs = check_server()
  check_clients()
  if runs then
    vim.health.start("Panel, keys and sandbox")
    local doctor = output(configured() --[[@as string[] ]], { "doctor", "--json" })
    if not doctor or not M.report(doctor.stdout) then
      vim.health.error("ensemble-lsp doctor gave no answer", { vim.trim(doctor and doctor.stderr or "") })
    end
  end
end

return M
