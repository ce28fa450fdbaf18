--- Where a fault may be: what `locate` found, as a quickfix list from which a fix starts.
local client_of = require("ensemble.client")

local M = {}

local listed = {} ---@type table<string, true> jobs whose places are, or were, a quickfix list

---@param job ensemble.Job
---@return string
local function root_of(job)
  local client = vim.lsp.get_client_by_id(job.client)
  local path = vim.uri_to_fname(job.uri)
  local best = ""
  for _, folder in ipairs(client and client.workspace_folders or {}) do
    local root = vim.uri_to_fname(folder.uri)
    if vim.startswith(path, root) and #root > #best then
      best = root
    end
  end
  return best ~= "" and best or client and client.root_dir or vim.fn.getcwd()
end

--- Return the entries of the quickfix list for what a job found, the most likely first.
---@param found ensemble.protocol.Finding[]
---@param root string
---@return vim.quickfix.entry[]
function M.items(found, root)
  return vim.tbl_map(function(finding)
    return {
      filename = vim.fs.joinpath(root, finding.path),
      lnum = finding.line + 1,
      end_lnum = finding.endLine + 1,
      type = finding.severity == "warning" and "W" or "I",
      text = (("%s — %s"):format(finding.title, finding.reason):gsub("%s+", " ")),
      user_data = { ensemble = { finding = finding.id } },
    }
  end, found)
end

--- Fill the quickfix list with the places that a job named, and open it unless the person does something else.
---@param job ensemble.Job
function M.list(job)
  if #job.places == 0 then
    return
  end
  listed[job.id] = true
  vim.fn.setqflist({}, " ", { title = "Ensemble: " .. job.reason, items = M.items(job.places, root_of(job)) })
  if require("ensemble.proposals").is_waiting(job.origin) then
    vim.cmd("botright copen")
  else
    client_of.say(("%s. All places: :copen"):format(job.reason))
  end
end

--- Whether a document says what the quickfix list says already: it is there to be opened, and not in the way.
---@param uri string
---@return boolean
function M.has_listed(uri)
  return listed[uri:match("^ensemble:/locate/([^/]+)/") or ""] == true
end

--- Return what a fix is about that is asked for in the quickfix window, by its entry at the cursor.
---@param win integer
---@return table? argument of the command
---@return integer? bufnr of the entry's file
function M.at_cursor(win)
  local list = vim.fn.getwininfo(win)[1].loclist == 1 and vim.fn.getloclist(win, { items = 0 })
    or vim.fn.getqflist({ items = 0 })
  local item = list.items[vim.api.nvim_win_get_cursor(win)[1]]
  if not item or item.valid == 0 or item.bufnr == 0 then
    return nil
  end
  local range = {
    start = { line = math.max(item.lnum, 1) - 1, character = 0 },
    ["end"] = { line = math.max(item.end_lnum, item.lnum, 1), character = 0 },
  }
  local argument = { uri = vim.uri_from_bufnr(item.bufnr), range = range }
  local ours = type(item.user_data) == "table" and item.user_data.ensemble or {}
  if ours.finding then
    argument.finding = ours.finding
  else
    argument.diagnostics = { { range = range, message = vim.trim(item.text), source = "quickfix" } }
  end
  return argument, item.bufnr
end

return M
