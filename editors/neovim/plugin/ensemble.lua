-- What exists at start-up: one command, the <Plug> mappings, and a look at each attached client. No module is loaded.

if vim.g.loaded_ensemble then
  return
end
vim.g.loaded_ensemble = true

vim.api.nvim_create_user_command("Ensemble", function(command)
  require("ensemble.commands").run(command)
end, {
  desc = "Put a panel of models on the code",
  nargs = "*",
  range = true,
  bang = true,
  complete = function(lead, line)
    return require("ensemble.commands").complete(lead, line)
  end,
})

local function plug(name, modes)
  vim.keymap.set(modes, ("<Plug>(ensemble-%s)"):format(name), function()
    require("ensemble.commands").plug(name)
  end, { desc = "Ensemble: " .. name })
end

for _, name in ipairs({ "fix", "explain", "review", "debate", "test", "secure", "refactor", "rewrite" }) do
  plug(name, { "n", "x" })
end
for _, name in ipairs({
  "locate",
  "show",
  "apply",
  "reject",
  "next",
  "previous",
  "why",
  "dismiss",
  "watch",
  "cancel",
}) do
  plug(name, "n")
end

local group = vim.api.nvim_create_augroup("ensemble", {})

vim.api.nvim_create_autocmd("LspAttach", {
  group = group,
  desc = "Ensemble: finish what the client needs",
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == "ensemble" then
      require("ensemble.attach").attached(client)
    end
  end,
})

vim.api.nvim_create_autocmd("BufReadCmd", {
  group = group,
  pattern = { "ensemble:/*" },
  desc = "Ensemble: read a document of the server",
  callback = function(event)
    require("ensemble.documents").read(event.buf, event.match)
  end,
})
