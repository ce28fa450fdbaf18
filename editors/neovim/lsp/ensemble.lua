-- The configuration that `vim.lsp.enable("ensemble")` starts. Everything behind it is loaded when it is first needed.

---@param module string
---@param name string
local function later(module, name)
  return function(...)
    return require(module)[name](...)
  end
end

---@type vim.lsp.Config
return {
  cmd = { "ensemble-lsp", "serve" },
  root_markers = { "ensemble.toml", ".git" },
  capabilities = {
    workspace = {
      -- Explanations and transcripts are read from the server, as `ensemble:` documents.
      textDocumentContent = {},
      workspaceEdit = {
        documentChanges = true,
        resourceOperations = { "create", "delete" },
        failureHandling = "transactional",
      },
    },
    experimental = {
      ensemble = { events = true, proposals = true, context = true, input = true },
    },
  },
  before_init = later("ensemble.attach", "before_init"),
  handlers = {
    ["ensemble/event"] = later("ensemble.handlers", "event"),
    ["ensemble/proposal"] = later("ensemble.handlers", "proposal"),
    ["ensemble/context"] = later("ensemble.handlers", "context"),
    ["ensemble/input"] = later("ensemble.handlers", "input"),
    ["workspace/applyEdit"] = later("ensemble.handlers", "apply_edit"),
    ["window/showMessageRequest"] = later("ensemble.handlers", "question"),
    ["workspace/configuration"] = later("ensemble.handlers", "configuration"),
    ["window/showDocument"] = later("ensemble.handlers", "show_document"),
    ["workspace/textDocumentContent/refresh"] = later("ensemble.handlers", "document_changed"),
  },
}
