--- Highlight groups, each a link that a colour scheme or a person may replace.
local M = {}

---@type table<string, string> group → what it looks like by default
M.LINKS = {
  EnsembleAdd = "DiffAdd",
  EnsembleDelete = "DiffDelete",
  EnsembleConflict = "DiagnosticVirtualTextWarn",
  EnsembleHint = "Comment",
  EnsembleTitle = "Title",
  EnsembleLane = "Identifier",
  EnsembleSpeaking = "DiagnosticInfo",
  EnsembleGood = "DiagnosticOk",
  EnsembleBad = "DiagnosticError",
  EnsembleQuiet = "Comment",
  EnsembleKey = "Special",
}

function M.define()
  for group, link in pairs(M.LINKS) do
    vim.api.nvim_set_hl(0, group, { link = link, default = true })
  end
end

return M
