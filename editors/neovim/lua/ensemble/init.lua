--- The plugin's public functions. Everything they need is loaded when they are called.
local M = {}

--- Take over options and start the server for the files you open; not needed with `vim.lsp.enable("ensemble")`.
---@param options? ensemble.Options
function M.setup(options)
  local config = require("ensemble.config")
  config.set(options)
  local chosen = config.options
  local lsp = {} ---@type vim.lsp.Config
  lsp.cmd, lsp.filetypes = chosen.cmd, chosen.filetypes
  if chosen.settings then
    lsp.settings = { ensemble = chosen.settings }
  end
  if next(lsp) then
    vim.lsp.config("ensemble", lsp)
  end
  if chosen.enable then
    vim.lsp.enable("ensemble")
  end
end

--- Run a subcommand of `:Ensemble` on the current buffer: `run("fix", "mind the empty list")`.
---@param subcommand string
---@param rest? string what would stand behind it on the command line
---@param how? { bang?: boolean, first?: integer, last?: integer } lines count from 1
function M.run(subcommand, rest, how)
  require("ensemble.commands").start(subcommand, rest or "", how or {})
end

--- Return the running job in a few words for a status line, "" without one. Cheap: it reads what is known.
---@return string
function M.status()
  local jobs = package.loaded["ensemble.jobs"]
  return jobs and jobs.status() or ""
end

--- Return the jobs of this session as they stand, the newest first.
---@return ensemble.Job[]
function M.jobs()
  return require("ensemble.jobs").list()
end

--- Return the proposals that wait, the newest first.
---@return ensemble.Proposal[]
function M.proposals()
  return vim.tbl_map(function(kept)
    return kept.payload
  end, require("ensemble.proposals").list())
end

return M
