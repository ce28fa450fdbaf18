--- Trust through |vim.secure|: of a folder's `ensemble.toml` by its content, or of the folder itself where it has none.
local config = require("ensemble.config")

local M = {}

---@param root string
---@return string path what the trust is about
---@return boolean is_file
function M.subject(root)
  local file = vim.fs.joinpath(root, "ensemble.toml")
  if vim.uv.fs_stat(file) then
    return vim.uv.fs_realpath(file) or file, true
  end
  return vim.uv.fs_realpath(root) or root, false
end

--- Return Neovim's database of trust as `path` → `hash`. `vim.secure.read` reads it too, but asks at once.
---@return table<string, string>
local function database()
  local known = {}
  local file = io.open(vim.fs.joinpath(vim.fn.stdpath("state") --[[@as string]], "trust"), "r")
  if file then
    for line in file:lines() do
      local hash, path = line:match("^(%S+) (.+)$")
      if hash then
        known[path] = hash
      end
    end
    file:close()
  end
  return known
end

---@param path string
---@return string?
local function hash_of(path)
  local file = io.open(path, "rb")
  if not file then
    return nil
  end
  local content = file:read("*a")
  file:close()
  return content and vim.fn.sha256(content)
end

--- Return what was decided about a folder: "allowed", "denied", "changed" since it was allowed, or nil.
---@param root string
---@return "allowed"|"denied"|"changed"|nil
function M.decided(root)
  local real = vim.uv.fs_realpath(root) or root
  for _, folder in ipairs(config.options.trusted or {}) do
    if vim.uv.fs_realpath(vim.fs.normalize(folder)) == real then
      return "allowed"
    end
  end
  local path, is_file = M.subject(root)
  local hash = database()[path]
  if hash == "!" then
    return "denied"
  elseif not hash then
    return nil
  elseif hash == (is_file and hash_of(path) or "directory") then
    return "allowed"
  end
  return "changed"
end

---@param root string
---@return boolean
function M.is_trusted(root)
  return M.decided(root) == "allowed"
end

--- Tell the server what counts for a folder.
---@param client vim.lsp.Client
---@param root string
function M.tell(client, root)
  ---@diagnostic disable-next-line: param-type-mismatch
  client:notify("ensemble/trust", { uri = vim.uri_from_fname(root), trusted = M.is_trusted(root) })
end

--- Decide about a folder, for good: Neovim keeps it.
---@param client vim.lsp.Client
---@param root string
---@param action "allow"|"deny"|"remove"
---@return boolean done
---@return string message
function M.decide(client, root, action)
  local path = M.subject(root)
  local done, message
  if action == "allow" then
    local known = require("ensemble.apply").buffer_of(path)
    local bufnr = known or vim.fn.bufadd(path)
    if known and vim.api.nvim_buf_is_loaded(known) and vim.bo[known].modified then
      return false, ("write %s first: what is trusted is the file"):format(path)
    end
    if vim.fn.isdirectory(path) == 0 then
      -- vim.secure hashes the lines of the buffer, so it has to hold the file.
      vim.fn.bufload(bufnr)
    end
    done, message = vim.secure.trust({ action = "allow", bufnr = bufnr })
    if not known then
      vim.api.nvim_buf_delete(bufnr, { force = true })
    end
  else
    done, message = vim.secure.trust({ action = action, path = path })
  end
  M.tell(client, root)
  return done, message
end

--- Ask what to do about a folder.
---@param client vim.lsp.Client
---@param root string
function M.ask(client, root)
  local path, is_file = M.subject(root)
  local look = "Look at ensemble.toml"
  local titles = { "Trust", "Never trust", "Not now" }
  if is_file then
    table.insert(titles, 2, look)
  end
  local question = "Trust %s? Then its ensemble.toml may name models and commands, and its tests may be run"
  require("ensemble.ask").choose(question:format(vim.fn.fnamemodify(root, ":~")), titles, function(title)
    if title == look then
      vim.cmd.sview(vim.fn.fnameescape(path))
    elseif title == "Trust" or title == "Never trust" then
      M.report(M.decide(client, root, title == "Trust" and "allow" or "deny"))
    end
  end)
end

---@param done boolean
---@param message string
function M.report(done, message)
  local level = done and vim.log.levels.INFO or vim.log.levels.ERROR
  vim.notify("Ensemble: " .. (done and ("recorded for %s"):format(message) or message), level)
end

local hinted = {} ---@type table<string, true>

--- Say once a session that a folder with settings of its own waits for a word.
---@param root string
function M.hint(root)
  local decided = M.decided(root)
  local path, is_file = M.subject(root)
  if hinted[root] or not is_file or decided == "allowed" or decided == "denied" then
    return
  end
  hinted[root] = true
  local why = decided == "changed" and "changed since you trusted it" or "is not trusted"
  vim.notify(("Ensemble: %s %s; :Ensemble trust"):format(vim.fn.fnamemodify(path, ":~"), why))
end

return M
