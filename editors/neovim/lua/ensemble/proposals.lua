--- The proposals that wait for a person's word, each in its newest revision.
local client_of = require("ensemble.client")
local config = require("ensemble.config")
local hunks = require("ensemble.hunks")
local jobs = require("ensemble.jobs")

local M = {}

---@class ensemble.Kept
---@field id string
---@field client integer
---@field payload ensemble.Proposal of the panel's choice
---@field view ensemble.Proposal as it is shown: of the candidate that was picked
---@field candidate string? picked instead of the panel's choice
---@field inline boolean shown as virtual lines

local kept_by_id = {} ---@type table<string, ensemble.Kept>
local order = {} ---@type string[]
--- Applied whole or turned down: a revision that was under way then is not a new proposal.
local settled = {} ---@type table<string, true>
local listeners = {} ---@type table<fun(kept: ensemble.Kept, gone: boolean), true>

---@param kept ensemble.Kept
---@param gone boolean
local function tell(kept, gone)
  for listener in pairs(listeners) do
    listener(kept, gone)
  end
end

---@param listener fun(kept: ensemble.Kept, gone: boolean)
function M.listen(listener)
  listeners[listener] = true
end

---@param listener fun(kept: ensemble.Kept, gone: boolean)
function M.unlisten(listener)
  listeners[listener] = nil
end

---@return ensemble.Kept[] the newest first
function M.list()
  local found = {}
  for at = #order, 1, -1 do
    found[#found + 1] = kept_by_id[order[at]]
  end
  return found
end

---@param id string
---@return ensemble.Kept?
function M.get(id)
  return kept_by_id[id]
end

--- Return the newest proposal that touches a buffer, else the newest of all.
---@param bufnr? integer
---@return ensemble.Kept?
function M.latest(bufnr)
  local all = M.list()
  if bufnr then
    local uri = vim.uri_from_bufnr(bufnr)
    for _, kept in ipairs(all) do
      if M.file(kept, uri) then
        return kept
      end
    end
  end
  return all[1]
end

--- Return the file of a proposal with a URI.
---@param kept ensemble.Kept
---@param uri string
---@return ensemble.File?
function M.file(kept, uri)
  for _, file in ipairs(kept.view.files) do
    if file.uri == uri then
      return file
    end
  end
  return nil
end

---@param kept ensemble.Kept
function M.drop(kept)
  if kept_by_id[kept.id] then
    kept_by_id[kept.id] = nil
    settled[kept.id] = true
    order = vim.tbl_filter(function(id)
      return id ~= kept.id
    end, order)
    tell(kept, true)
  end
end

---@param kept ensemble.Kept
---@return integer
local function left(kept)
  return #hunks.all(kept.view)
end

--- Whether the person still is where they asked and did nothing since: then a review may open before their eyes.
---@param origin ensemble.Origin?
---@return boolean
function M.is_waiting(origin)
  return origin ~= nil
    and vim.api.nvim_get_mode().mode == "n"
    and vim.api.nvim_get_current_win() == origin.win
    and vim.api.nvim_get_current_buf() == origin.bufnr
    and vim.api.nvim_buf_get_changedtick(origin.bufnr) == origin.changedtick
    and vim.fn.getcmdwintype() == ""
end

---@param kept ensemble.Kept
local function present(kept)
  local job = jobs.get(kept.payload.job)
  local origin = job and job.origin
  local title = kept.payload.title
  jobs.announce("EnsembleProposal", { proposal = kept.id, job = kept.payload.job, title = title })
  if origin and origin.inline then
    kept.inline = true
    require("ensemble.inline").show(kept)
    client_of.say(title)
  elseif config.options.open == "always" or (config.options.open == "auto" and M.is_waiting(origin)) then
    require("ensemble.review").open(kept)
  else
    client_of.say(title .. ". Look at it with :Ensemble show")
  end
end

--- Look at a proposal again with the candidate that was picked; the answer may come late, then it is dropped.
---@param kept ensemble.Kept
local function look_again(kept)
  local client = vim.lsp.get_client_by_id(kept.client)
  local candidate, revision = kept.candidate, kept.payload.revision
  if not client or not candidate then
    return
  end
  client_of.request(
    client,
    "ensemble/candidate",
    { proposal = kept.id, candidate = candidate },
    function(view)
      if kept.candidate == candidate and kept.payload.revision <= math.max(revision, view.revision) then
        kept.view = view
        tell(kept, false)
      end
    end
  )
end

--- Take a proposal as the server sends it: a new one, or a known one in a higher revision.
---@param payload ensemble.Proposal
---@param client integer
function M.receive(payload, client)
  local kept = kept_by_id[payload.proposal]
  if kept then
    if payload.revision < kept.payload.revision then
      return
    end
    kept.payload = payload
    if kept.candidate then
      look_again(kept)
      return
    end
    kept.view = payload
    tell(kept, false)
    return
  end
  if settled[payload.proposal] then
    return
  end
  kept = { id = payload.proposal, client = client, payload = payload, view = payload, inline = false }
  kept_by_id[kept.id] = kept
  order[#order + 1] = kept.id
  present(kept)
end

--- Look at another candidate; nil goes back to the panel's choice.
---@param kept ensemble.Kept
---@param candidate string?
function M.pick(kept, candidate)
  for _, each in ipairs(kept.payload.candidates) do
    if each.id == candidate and each.chosen then
      candidate = nil
    end
  end
  kept.candidate = candidate
  if candidate then
    look_again(kept)
  else
    kept.view = kept.payload
    tell(kept, false)
  end
end

--- Take hunks out of a proposal before the server's next revision does.
---@param kept ensemble.Kept
---@param ids string[]?
local function take_out(kept, ids)
  local gone = {}
  for _, id in ipairs(ids or {}) do
    gone[id] = true
  end
  for _, payload in ipairs({ kept.payload, kept.view }) do
    for _, file in ipairs(payload.files) do
      file.hunks = vim.tbl_filter(function(hunk)
        return ids ~= nil and not gone[hunk.id]
      end, file.hunks)
    end
  end
  if left(kept) == 0 then
    M.drop(kept)
  else
    tell(kept, false)
  end
end

--- Apply hunks (all without conflict when nil); `done` hears whether.
---@param kept ensemble.Kept
---@param ids string[]?
---@param done? fun(applied: boolean)
function M.accept(kept, ids, done)
  local client = vim.lsp.get_client_by_id(kept.client)
  if not client then
    client_of.say("the server that made this proposal has ended", vim.log.levels.ERROR)
    return
  end
  local function failed(reason)
    client_of.say(("not applied: %s"):format(reason), vim.log.levels.ERROR)
    if done then
      done(false)
    end
  end
  client_of.command(
    client,
    "apply",
    { proposal = kept.id, hunks = ids, candidate = kept.candidate },
    function(answer)
      if not answer.applied then
        return failed(answer.failureReason or "the server does not say why")
      end
      local conflicts = 0
      for _, each in ipairs(hunks.all(kept.view)) do
        conflicts = conflicts + (each.hunk.conflict and 1 or 0)
      end
      if ids == nil and conflicts > 0 then
        client_of.say(
          ("%d changes were left out, because you edited the same lines"):format(conflicts),
          vim.log.levels.WARN
        )
      end
      if ids == nil and conflicts == 0 then
        M.drop(kept)
      elseif ids == nil then
        local applied = {}
        for _, each in ipairs(hunks.all(kept.view)) do
          if not each.hunk.conflict then
            applied[#applied + 1] = each.hunk.id
          end
        end
        take_out(kept, applied)
      elseif kept_by_id[kept.id] then
        take_out(kept, ids)
      end
      if done then
        done(true)
      end
    end,
    function(problem)
      failed(client_of.words(problem))
    end
  )
end

--- Turn hunks down; the whole proposal when nil.
---@param kept ensemble.Kept
---@param ids string[]?
function M.reject(kept, ids)
  local client = vim.lsp.get_client_by_id(kept.client)
  if client then
    client_of.command(client, "reject", { proposal = kept.id, hunks = ids })
  end
  take_out(kept, ids)
end

--- Whether lines (with endings) are those that the edits of a proposal were made for. Edits of nobody's hunk pass.
---@param uri string
---@param edits lsp.TextEdit[]
---@param lines string[]
---@return boolean
function M.fits(uri, edits, lines)
  for _, kept in ipairs(M.list()) do
    for _, payload in ipairs({ kept.payload, kept.view }) do
      for _, file in ipairs(payload.files) do
        for _, hunk in ipairs(file.uri == uri and file.kind == "change" and file.hunks or {}) do
          for _, edit in ipairs(edits) do
            local same = edit.range.start.line == hunk.oldStart
              and edit.newText == table.concat(hunk.newLines)
            if same and not hunk.conflict and not hunks.fits(lines, { hunk }) then
              return false
            end
          end
        end
      end
    end
  end
  return true
end

--- Forget the proposals of a client that is gone.
---@param client integer
function M.lost(client)
  for _, kept in ipairs(M.list()) do
    if kept.client == client then
      M.drop(kept)
    end
  end
end

return M
