--- Documents of the server and of the plugin: read-only buffers, Markdown with treesitter where there is a parser.
local client_of = require("ensemble.client")

local M = {}

---@param bufnr integer
---@param filetype string
local function dress(bufnr, filetype)
  -- No 'filetype': its plugins, and whoever listens to it, are for files of the person.
  local language = vim.treesitter.language.get_lang(filetype) or filetype
  if not pcall(vim.treesitter.start, bufnr, language) then
    vim.bo[bufnr].syntax = filetype
  end
end

---@param bufnr integer
---@param lines string[]
function M.fill(bufnr, lines)
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].modified = false
end

--- Make a buffer that is no file and cannot be changed.
---@param name string
---@param filetype string?
---@return integer bufnr
function M.scratch(name, filetype)
  local bufnr = vim.fn.bufnr(("^%s$"):format(vim.fn.escape(name, "\\^$.*[]~{},")))
  if bufnr < 0 then
    bufnr = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(bufnr, name)
  end
  vim.bo[bufnr].buftype = "nofile"
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].undolevels = -1
  vim.bo[bufnr].modifiable = false
  if filetype then
    dress(bufnr, filetype)
  end
  return bufnr
end

--- Map a key of one of the plugin's buffers, by the action's name in the option `keys`.
---@param bufnr integer
---@param action string
---@param description string
---@param run fun()
function M.key(bufnr, action, description, run)
  local key = require("ensemble.config").options.keys[action]
  if key then
    vim.keymap.set("n", key, run, { buffer = bufnr, nowait = true, desc = "Ensemble: " .. description })
  end
end

--- Return a key's name and what it does for a window bar, "" when it has none.
---@param action string
---@param words string
---@return string
function M.key_label(action, words)
  local key = require("ensemble.config").options.keys[action]
  return key and ("%%#EnsembleKey#%s%%* %s  "):format((key:gsub("%%", "%%%%")), words) or ""
end

--- Show a buffer in a window of this tab: the one that shows it, else a split. Where the cursor goes is `focus`.
---@param bufnr integer
---@param focus boolean
---@return integer win
function M.show(bufnr, focus)
  local before = vim.api.nvim_get_current_win()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(win) == bufnr then
      if focus then
        vim.api.nvim_set_current_win(win)
      end
      return win
    end
  end
  vim.cmd("belowright split")
  local win = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(win, bufnr)
  for option, value in pairs({
    wrap = true,
    linebreak = true,
    conceallevel = 2,
    number = false,
    spell = false,
  }) do
    vim.api.nvim_set_option_value(option, value, { win = win, scope = "local" })
  end
  M.key(bufnr, "close", "close", function()
    if #vim.api.nvim_list_wins() > 1 then
      vim.api.nvim_win_close(0, false)
    else
      vim.cmd.bdelete()
    end
  end)
  if not focus then
    vim.api.nvim_set_current_win(before)
  end
  return win
end

--- Show lines as a document of a name; what it showed before is replaced.
---@param name string
---@param filetype string
---@param lines string[]
---@return integer bufnr
function M.open(name, filetype, lines)
  local bufnr = M.scratch(name, filetype)
  M.fill(bufnr, lines)
  M.show(bufnr, true)
  return bufnr
end

--- Read a document of the server into its buffer; asynchronous.
---@param bufnr integer
---@param uri string
function M.read(bufnr, uri)
  vim.bo[bufnr].buftype = "nofile"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].modifiable = false
  local client = client_of.get()
  if not client then
    M.fill(bufnr, { "The server that wrote this document has ended." })
    return
  end
  client_of.request(client, "workspace/textDocumentContent", { uri = uri }, function(answer)
    if vim.api.nvim_buf_is_loaded(bufnr) then
      M.fill(bufnr, vim.split((answer.text:gsub("\r\n", "\n"):gsub("\n$", "")), "\n", { plain = true }))
      dress(bufnr, uri:match("%.diff$") and "diff" or "markdown")
    end
  end, function(problem)
    if vim.api.nvim_buf_is_loaded(bufnr) then
      M.fill(bufnr, { client_of.words(problem) })
    end
  end)
end

--- Read a document again that is shown somewhere.
---@param uri string
function M.refresh(uri)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(bufnr) == uri and vim.api.nvim_buf_is_loaded(bufnr) then
      M.read(bufnr, uri)
    end
  end
end

--- `window/showDocument`: documents of ours open beside the text, everything else as Neovim does it.
---@param params lsp.ShowDocumentParams
---@param ctx lsp.HandlerContext
---@return table
function M.show_document(params, ctx)
  local is_ours = params.uri:match("^ensemble:") or params.uri:match("/documents/[^/]+%.md$")
  if params.external or not is_ours then
    return vim.lsp.handlers["window/showDocument"](nil, params, ctx)
  end
  -- A person who types is not moved to another window.
  local focus = params.takeFocus == true and vim.api.nvim_get_mode().mode == "n"
  local is_virtual = params.uri:match("^ensemble:") ~= nil
  local bufnr = vim.fn.bufadd(is_virtual and params.uri or vim.uri_to_fname(params.uri))
  vim.fn.bufload(bufnr)
  vim.bo[bufnr].buflisted = true
  if not is_virtual then
    vim.bo[bufnr].modifiable = false
    dress(bufnr, "markdown")
  end
  if require("ensemble.places").has_listed(params.uri) then
    return { success = true }
  end
  local review = require("ensemble.review").here()
  if review and vim.api.nvim_tabpage_is_valid(review.origin) then
    -- A plan that comes with a proposal stands beside the file: the review keeps its windows and the cursor.
    vim.api.nvim_win_call(vim.api.nvim_tabpage_get_win(review.origin), function()
      M.show(bufnr, false)
    end)
  else
    M.show(bufnr, focus)
  end
  return { success = true }
end

return M
