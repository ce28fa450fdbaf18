--- What happens when the server starts and when a buffer joins it.
local config = require("ensemble.config")
local trust = require("ensemble.trust")

local M = {}

--- Client configuration → the settings that its server got with `initialize`.
local given_settings = setmetatable({}, { __mode = "k" }) ---@type table<vim.lsp.ClientConfig, table>

--- Fill in what depends on this machine: settings as they stand, and trusted folders.
---@param params lsp.InitializeParams
---@param lsp_config vim.lsp.ClientConfig
function M.before_init(params, lsp_config)
  local given = type(params.initializationOptions) == "table" and params.initializationOptions or {}
  local options = vim.deepcopy(given)
  options.settings = vim.tbl_deep_extend(
    "force",
    vim.tbl_get(lsp_config, "settings", "ensemble") or {},
    options.settings or {}
  )
  if next(options.settings) == nil then
    options.settings = vim.empty_dict()
  end
  local folders = vim.list_extend({}, options.trustedFolders or {})
  for _, folder in ipairs(config.options.trusted or {}) do
    folders[#folders + 1] = vim.uri_from_fname(vim.fs.normalize(vim.fn.fnamemodify(folder, ":p")))
  end
  for _, folder in ipairs(type(params.workspaceFolders) == "table" and params.workspaceFolders or {}) do
    if trust.is_trusted(vim.uri_to_fname(folder.uri)) then
      folders[#folders + 1] = folder.uri
    end
  end
  options.trustedFolders = folders
  params.initializationOptions = options
  given_settings[lsp_config] = vim.deepcopy(options.settings)
end

--- `workspace/configuration`: of our section only what changed since the start. The server takes what came with
--- `initialize` for the person's own word, and what it asks for later for what a workspace may have had a hand in.
---@type lsp.Handler
function M.configuration(problem, params, ctx)
  local client = assert(vim.lsp.get_client_by_id(ctx.client_id))
  local answers = vim.lsp.handlers["workspace/configuration"](problem, params, ctx)
  local given = given_settings[client.config] or {}
  for at, item in ipairs(params.items) do
    local section = item.section == "ensemble" and answers[at]
    if type(section) == "table" then
      local changed = vim.empty_dict()
      for key, value in pairs(section) do
        if not vim.deep_equal(value, given[key]) then
          changed[key] = value
        end
      end
      answers[at] = changed
    end
  end
  return answers
end

--- Whether a diagnostic touches a range.
---@param item lsp.Diagnostic
---@param range lsp.Range
---@return boolean
local function touches(item, range)
  return item.range.start.line <= range["end"].line and range.start.line <= item.range["end"].line
end

--- Return the diagnostics of every source in a range, as LSP has them.
---@param bufnr integer
---@param range lsp.Range
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@return lsp.Diagnostic[]
function M.diagnostics(bufnr, range, encoding)
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(bufnr)) do
    local item = vim.tbl_get(each, "user_data", "lsp") or M.as_lsp(bufnr, each, encoding)
    if touches(item, range) then
      found[#found + 1] = item
    end
  end
  return found
end

--- Return a diagnostic of Neovim as LSP has it.
---@param bufnr integer
---@param each vim.Diagnostic
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@return lsp.Diagnostic
function M.as_lsp(bufnr, each, encoding)
  local function position(lnum, col)
    local line = vim.api.nvim_buf_get_lines(bufnr, lnum, lnum + 1, false)[1] or ""
    return { line = lnum, character = vim.str_utfindex(line, encoding, math.min(col, #line), false) }
  end
  return {
    range = {
      start = position(each.lnum, each.col),
      ["end"] = position(each.end_lnum or each.lnum, each.end_col or each.col),
    },
    message = each.message,
    severity = each.severity,
    source = each.source,
    code = each.code,
  }
end

--- Let `vim.lsp.buf.code_action` speak of the diagnostics of every source: by itself it sends each server only its own.
---@param client vim.lsp.Client
local function widen_code_actions(client)
  local request = client.rpc.request
  ---@diagnostic disable-next-line: duplicate-set-field
  client.rpc.request = function(method, params, ...)
    if method == "textDocument/codeAction" and type(params) == "table" then
      local bufnr = require("ensemble.apply").buffer_of(vim.uri_to_fname(params.textDocument.uri))
      if bufnr and vim.api.nvim_buf_is_loaded(bufnr) then
        params = vim.deepcopy(params)
        local known = {}
        for _, item in ipairs(params.context.diagnostics) do
          known[vim.inspect({ item.range, item.message })] = true
        end
        for _, item in ipairs(M.diagnostics(bufnr, params.range, client.offset_encoding)) do
          if not known[vim.inspect({ item.range, item.message })] then
            table.insert(params.context.diagnostics, item)
          end
        end
      end
    end
    return request(method, params, ...)
  end
end

---@param client vim.lsp.Client
local function configure_signs(client)
  local signs = config.options.signs
  local global = vim.diagnostic.config() or {}
  if signs == false or global.signs == false then
    return
  end
  local text = {}
  for _, severity in ipairs(vim.diagnostic.severity) do
    text[vim.diagnostic.severity[severity]] = "◆"
  end
  if type(signs) == "table" then
    text = signs
  end
  for _, is_pull in ipairs({ false, true }) do
    vim.diagnostic.config({ signs = { text = text } }, vim.lsp.diagnostic.get_namespace(client.id, is_pull))
  end
end

local known = {} ---@type table<integer, true>

--- Set up what a client needs, once, when its first buffer joins it.
---@param client vim.lsp.Client
function M.attached(client)
  if known[client.id] then
    return
  end
  known[client.id] = true
  require("ensemble.highlights").define()
  widen_code_actions(client)
  configure_signs(client)
  local group = vim.api.nvim_create_augroup("ensemble.client." .. client.id, {})
  local root = client.root_dir
  if root then
    trust.hint(root)
    vim.api.nvim_create_autocmd({ "BufWritePost", "FileChangedShellPost" }, {
      group = group,
      pattern = vim.fs.joinpath(root, "ensemble.toml"),
      desc = "Ensemble: what was trusted is the old content",
      callback = function()
        trust.tell(client, root)
      end,
    })
  end
  vim.api.nvim_create_autocmd("LspDetach", {
    group = group,
    desc = "Ensemble: end what a server that is gone leaves behind",
    callback = function(event)
      if
        event.data.client_id == client.id
        and (client:is_stopped() or vim.tbl_count(client.attached_buffers) <= 1)
      then
        vim.schedule(function()
          if client:is_stopped() then
            require("ensemble.jobs").lost(client.id)
            require("ensemble.proposals").lost(client.id)
            vim.api.nvim_del_augroup_by_id(group)
          end
        end)
      end
    end,
  })
end

return M
