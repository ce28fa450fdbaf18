--- What stands behind a hunk or a proposal, as Markdown for a float. Pure but for the float itself.
local job_events = require("ensemble.job_events")

local M = {}

local MARKS = { passed = "✓", failed = "✗", timedOut = "✗", error = "!" }

--- Return text of a model as one line of Markdown that is nothing but text.
---@param text string
---@return string
function M.plain(text)
  return (vim.trim(text):gsub("%s+", " "):gsub("([\\`*_%[%]<>#|~])", "\\%1"))
end

---@param text string
---@return string[]
local function quoted(text)
  return vim.tbl_map(function(line)
    return "> " .. M.plain(line)
  end, vim.split(vim.trim(text), "\n"))
end

--- Return why a hunk is there.
---@param proposal ensemble.Proposal
---@param hunk ensemble.Hunk
---@return string[]
function M.of_hunk(proposal, hunk)
  local lines = {}
  if hunk.conflict then
    vim.list_extend(
      lines,
      { "**Conflict**: you changed these lines since; this hunk cannot be applied.", "" }
    )
  end
  if hunk.why ~= "" then
    vim.list_extend(lines, quoted(hunk.why))
    lines[#lines + 1] = ""
  end
  for _, item in ipairs(hunk.evidence) do
    local mark = MARKS[item.outcome] or "·"
    lines[#lines + 1] = ("- %s %s: %s"):format(mark, M.plain(item.source), M.plain(item.text))
  end
  if #hunk.evidence == 0 then
    lines[#lines + 1] = "Nothing was said or run about this hunk alone."
  end
  vim.list_extend(lines, { "", "---", "" })
  return vim.list_extend(lines, M.of_proposal(proposal))
end

--- Return what stands behind a whole proposal.
---@param proposal ensemble.Proposal
---@return string[]
function M.of_proposal(proposal)
  local lines = { ("**%s**"):format(M.plain(proposal.title)), "" }
  for _, candidate in ipairs(proposal.candidates) do
    if candidate.id == proposal.candidate then
      lines[#lines + 1] = "Written by " .. M.plain(table.concat(candidate.members, ", "))
      for _, check in ipairs(candidate.checks) do
        local mark = MARKS[check.outcome] or "·"
        lines[#lines + 1] = ("- %s %s: %s"):format(mark, M.plain(check.witness), M.plain(check.summary))
      end
    end
  end
  if proposal.wouldSettle ~= "" then
    vim.list_extend(lines, { "", "What would settle it: " .. M.plain(proposal.wouldSettle) })
  end
  if #proposal.dissent > 0 then
    vim.list_extend(lines, { "", "Objections that were not adopted:" })
    for _, item in ipairs(proposal.dissent) do
      lines[#lines + 1] = ("- %s: %s"):format(M.plain(item.member), M.plain(item.text))
    end
  end
  local spend = proposal.spend
  local tokens = job_events.count(spend.tokensIn + spend.tokensOut)
  vim.list_extend(
    lines,
    { "", ("%d calls · %s tokens · %s"):format(spend.calls, tokens, job_events.money(spend.usd)) }
  )
  return lines
end

--- Show Markdown beside the cursor; a second call goes into the float.
---@param lines string[]
---@param id string
function M.float(lines, id)
  local _, win = vim.lsp.util.open_floating_preview(lines, "markdown", {
    border = vim.o.winborder ~= "" and vim.o.winborder or "rounded",
    focus_id = "ensemble." .. id,
    max_width = math.max(40, math.min(88, vim.o.columns - 8)),
    max_height = math.max(6, vim.o.lines - 8),
    wrap = true,
  })
  vim.api.nvim_set_option_value("linebreak", true, { win = win, scope = "local" })
end

return M
