--- Subcommands about what waits for a word: proposals, their hunks, findings.
local client_of = require("ensemble.client")

---@type table<string, ensemble.Subcommand>
local subcommands = {}

--- Return the proposal that a subcommand speaks of, and the hunks where it speaks of some.
---@param call ensemble.Call
---@return ensemble.Kept?
---@return string[]? ids
local function chosen(call)
  local proposals = require("ensemble.proposals")
  local kept = call.rest ~= "" and proposals.get(call.rest) or nil
  local review = require("ensemble.review").here()
  kept = kept or (review and review.kept)
  if kept then
    return kept, nil
  end
  if call.first then
    local inline, ids = require("ensemble.inline").at(call.bufnr, call.first - 1, call.last - 1)
    if inline then
      return inline, ids
    end
    kept = proposals.latest(call.bufnr)
    local file = kept and proposals.file(kept, vim.uri_from_bufnr(call.bufnr))
    local found = file and require("ensemble.hunks").touching(file, call.first - 1, call.last - 1) or {}
    if #found == 0 then
      client_of.say("no hunk of a proposal on these lines", vim.log.levels.WARN)
      return nil
    end
    return kept, found
  end
  kept = proposals.latest(call.bufnr)
  if not kept then
    client_of.say("no proposal waits", vim.log.levels.WARN)
  end
  return kept
end

local function proposal_ids()
  return vim.tbl_map(function(kept)
    return kept.id
  end, require("ensemble.proposals").list())
end

subcommands.apply = {
  words = proposal_ids,
  run = function(call)
    local kept, ids = chosen(call)
    if kept then
      require("ensemble.proposals").accept(kept, ids)
    end
  end,
}

subcommands.reject = {
  words = proposal_ids,
  run = function(call)
    local kept, ids = chosen(call)
    if kept then
      require("ensemble.proposals").reject(kept, ids)
    end
  end,
}

subcommands.show = {
  words = proposal_ids,
  run = function(call)
    local kept = chosen(vim.tbl_extend("force", call, { first = false, last = false }))
    if kept and call.bang then
      require("ensemble.inline").show(kept)
    elseif kept then
      require("ensemble.review").open(kept)
    end
  end,
}

subcommands.quickfix = {
  words = proposal_ids,
  run = function(call)
    local kept = chosen(vim.tbl_extend("force", call, { first = false, last = false }))
    if kept then
      require("ensemble.review").quickfix(kept)
      vim.cmd("botright copen")
    end
  end,
}

---@param step 1|-1
local function go(step)
  local review = require("ensemble.review").here()
  if review then
    require("ensemble.review").go(review, step)
  elseif not require("ensemble.inline").go(step) then
    client_of.say("no hunk to go to; :Ensemble show opens a proposal", vim.log.levels.WARN)
  end
end

subcommands.next = {
  run = function()
    go(1)
  end,
}

subcommands.previous = {
  run = function()
    go(-1)
  end,
}

subcommands.why = {
  run = function(call)
    local review = require("ensemble.review")
    local here = review.here()
    if here then
      return review.why(here)
    end
    local line = vim.api.nvim_win_get_cursor(0)[1] - 1
    local kept, ids = require("ensemble.inline").at(call.bufnr, line, line)
    local why = require("ensemble.why")
    for _, each in ipairs(kept and require("ensemble.hunks").all(kept.view) or {}) do
      if kept and each.hunk.id == ids[1] then
        return why.float(why.of_hunk(kept.view, each.hunk), "hunk")
      end
    end
    if not require("ensemble.findings").why(call.bufnr) then
      client_of.say("neither a hunk nor a finding on this line", vim.log.levels.WARN)
    end
  end,
}

subcommands.dismiss = {
  words = function()
    return { "wrong", "wontfix", "style" }
  end,
  run = function(call)
    require("ensemble.findings").dismiss(call.bufnr, call.rest)
  end,
}

subcommands.restore = {
  run = function(call)
    local client = client_of.need(call.bufnr)
    if client then
      require("ensemble.findings").restore(client)
    end
  end,
}

return subcommands
