--- `workspace/applyEdit`: everything is checked before anything is changed, then all of it is applied or none.
--- Neovim's own handler skips a stale first file, edits the others and answers "applied".
local edits = require("ensemble.edits")
local splice = require("ensemble.splice")

local M = {}

---@class ensemble.Step
---@field kind "text"|"create"|"delete"
---@field uri string
---@field path string
---@field version integer? of a document that was open; nil for one that was not
---@field edits lsp.TextEdit[]?
---@field bufnr integer?
---@field lines string[]? what the buffer is to hold
---@field loaded boolean? loaded for this edit
---@field created boolean? the buffer did not exist before

---@param uri string
---@return string
local function name_of(uri)
  return vim.fn.fnamemodify(vim.uri_to_fname(uri), ":~:.")
end

--- Return the buffer of a file, or nil; unlike `vim.uri_to_bufnr` it makes none.
---@param path string
---@return integer?
function M.buffer_of(path)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(bufnr) == path then
      return bufnr
    end
  end
  return nil
end

--- Return the steps of an edit, in their order, or nil and why it cannot be read.
---@param edit lsp.WorkspaceEdit
---@return ensemble.Step[]? steps
---@return string? problem
function M.steps(edit)
  local steps = {} ---@type ensemble.Step[]
  for _, change in ipairs(edit.documentChanges or {}) do
    local kind = change.kind
    local uri = kind and change.uri or change.textDocument and change.textDocument.uri
    if (kind and kind ~= "create" and kind ~= "delete") or type(uri) ~= "string" then
      return nil, ("cannot do %q by an edit"):format(kind or "nothing")
    end
    local version = change.textDocument and change.textDocument.version
    steps[#steps + 1] = {
      kind = kind or "text",
      uri = uri,
      path = vim.uri_to_fname(uri),
      version = type(version) == "number" and version or nil,
      edits = change.edits,
    }
  end
  for uri, changes in pairs(edit.changes or {}) do
    steps[#steps + 1] = { kind = "text", uri = uri, path = vim.uri_to_fname(uri), edits = changes }
  end
  for _, step in ipairs(steps) do
    if step.uri:sub(1, 5) ~= "file:" then
      return nil, ("%s is no file"):format(step.uri)
    end
  end
  return steps
end

--- Load a buffer without a question: a file with a swap file is being edited elsewhere and left alone.
---@param step ensemble.Step
---@return string? problem
local function load(step)
  local bufnr = M.buffer_of(step.path)
  step.created = bufnr == nil
  step.bufnr = bufnr or vim.fn.bufadd(step.path)
  if vim.api.nvim_buf_is_loaded(step.bufnr) then
    return nil
  end
  step.loaded = true
  local swapped = false
  local watch = vim.api.nvim_create_autocmd("SwapExists", {
    callback = function()
      swapped = true
      vim.v.swapchoice = "o"
    end,
  })
  local ok, problem = pcall(vim.fn.bufload, step.bufnr)
  vim.api.nvim_del_autocmd(watch)
  if not ok then
    return ("%s cannot be read: %s"):format(name_of(step.uri), problem)
  end
  return swapped and ("%s is being edited in another Neovim"):format(name_of(step.uri)) or nil
end

---@param step ensemble.Step
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@param fits fun(uri: string, edits: lsp.TextEdit[], lines: string[]): boolean
---@return string? problem
local function check_text(step, encoding, fits)
  local bufnr, name =
    step.bufnr, --[[@as integer]]
    name_of(step.uri)
  local now = vim.lsp.util.buf_versions[bufnr]
  if step.version and step.version ~= now then
    return ("%s was changed meanwhile (version %s, not %d)"):format(name, now, step.version)
  end
  if not step.version and not step.loaded and vim.bo[bufnr].modified and vim.uv.fs_stat(step.path) then
    return ("%s has changes that the server does not see"):format(name)
  end
  if not vim.bo[bufnr].modifiable then
    return ("%s cannot be changed ('nomodifiable')"):format(name)
  end
  local newline = edits.NEWLINES[vim.bo[bufnr].fileformat]
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local fresh = #lines == 1 and lines[1] == "" and not vim.uv.fs_stat(step.path)
  local ended = vim.bo[bufnr].eol and not fresh
  local text = edits.to_text(lines, newline, ended)
  if not fits(step.uri, step.edits, edits.split(text)) then
    return ("%s holds other text than the edit was made for"):format(name)
  end
  local after, problem = edits.apply(text, step.edits, encoding)
  if not after then
    return ("%s: %s"):format(name, problem)
  end
  local new_lines, new_ended = edits.to_lines(after, newline)
  if not new_lines then
    return ("%s: Neovim cannot hold these line endings in a file of format %s"):format(
      name,
      vim.bo[bufnr].fileformat
    )
  end
  if new_ended ~= ended and not fresh and after ~= "" then
    -- 'endofline' is an option, not text: changing it reaches no server, so it would never know.
    return ("%s: the change is to the end of its last line; set 'endofline' and ask again"):format(name)
  end
  step.lines = new_lines
  return nil
end

---@param steps ensemble.Step[]
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@param fits fun(uri: string, edits: lsp.TextEdit[], lines: string[]): boolean
---@return string? problem
local function check(steps, encoding, fits)
  local creates, texts = {}, {}
  for _, step in ipairs(steps) do
    local name = name_of(step.uri)
    local exists = vim.uv.fs_lstat(step.path) ~= nil
    if step.kind == "create" then
      creates[step.uri] = true
      if exists then
        return ("%s exists by now"):format(name)
      end
    elseif step.kind == "delete" then
      if not exists then
        return ("%s is gone"):format(name)
      end
      local bufnr = M.buffer_of(step.path)
      if bufnr and vim.bo[bufnr].modified then
        return ("%s has unwritten changes"):format(name)
      end
    else
      if texts[step.uri] then
        return ("%s comes twice in one edit"):format(name)
      end
      texts[step.uri] = true
      local problem = load(step) or check_text(step, encoding, fits)
      if problem then
        return problem
      end
    end
    if step.kind == "text" and not creates[step.uri] and not exists and step.loaded then
      return ("%s is gone"):format(name)
    end
  end
  return nil
end

--- Where a deleted file is kept: Neovim has no undo for files.
---@param path string
---@return string
local function keep_copy(path)
  local folder = vim.fs.joinpath(vim.fn.stdpath("state") --[[@as string]], "ensemble", "deleted")
  vim.fn.mkdir(folder, "p", tonumber("700", 8))
  local copy = vim.fs.joinpath(folder, ("%d-%s"):format(vim.uv.hrtime(), vim.fs.basename(path)))
  assert(vim.uv.fs_copyfile(path, copy))
  return copy
end

---@param step ensemble.Step
---@param undo function[] what takes back what was done, the last first
local function perform(step, undo)
  if step.kind == "create" then
    vim.fn.mkdir(vim.fs.dirname(step.path), "p")
    local file = assert(vim.uv.fs_open(step.path, "wx", tonumber("644", 8)))
    vim.uv.fs_close(file)
    table.insert(undo, 1, function()
      vim.uv.fs_unlink(step.path)
    end)
    local bufnr = M.buffer_of(step.path)
    if bufnr and vim.api.nvim_buf_is_loaded(bufnr) then
      -- It was loaded before there was a file; read again, or `:write` refuses to overwrite what it did not read.
      vim.api.nvim_buf_call(bufnr, function()
        vim.cmd("silent edit!")
      end)
    end
  elseif step.kind == "delete" then
    local copy = keep_copy(step.path)
    assert(vim.uv.fs_unlink(step.path))
    table.insert(undo, 1, function()
      vim.uv.fs_copyfile(copy, step.path)
    end)
    local bufnr = M.buffer_of(step.path)
    if bufnr then
      vim.api.nvim_buf_delete(bufnr, {})
    end
    vim.notify(("Ensemble: deleted %s; a copy is %s"):format(name_of(step.uri), copy))
  else
    local bufnr = step.bufnr --[[@as integer]]
    local before = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
    table.insert(undo, 1, function()
      splice.lines(bufnr, before)
    end)
    splice.lines(bufnr, step.lines)
    if step.loaded then
      vim.bo[bufnr].buflisted = true
    end
  end
end

--- Forget the buffers that a refused edit loaded.
---@param steps ensemble.Step[]
local function unload(steps)
  for _, step in ipairs(steps) do
    if step.created and step.bufnr and vim.api.nvim_buf_is_valid(step.bufnr) then
      vim.api.nvim_buf_delete(step.bufnr, { force = true })
    end
  end
end

--- Apply an edit whole or not at all.
---@param edit lsp.WorkspaceEdit
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@param fits? fun(uri: string, edits: lsp.TextEdit[], lines: string[]): boolean whether lines are those expected
---@return { applied: boolean, failureReason: string? }
function M.edit(edit, encoding, fits)
  local steps, unreadable = M.steps(edit)
  if not steps then
    return { applied = false, failureReason = unreadable }
  end
  local problem = check(steps, encoding, fits or function()
    return true
  end)
  if problem then
    unload(steps)
    return { applied = false, failureReason = problem }
  end
  local undo = {} ---@type function[]
  for _, step in ipairs(steps) do
    local ok, reason = pcall(perform, step, undo)
    if not ok then
      for _, back in ipairs(undo) do
        pcall(back)
      end
      unload(steps)
      return { applied = false, failureReason = tostring(reason) }
    end
  end
  return { applied = true }
end

return M
