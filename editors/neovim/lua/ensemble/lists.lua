--- Lists to read and to choose from: recent jobs, the panel.
local client_of = require("ensemble.client")
local documents = require("ensemble.documents")
local job_events = require("ensemble.job_events")

local M = {}

--- Open the transcript of a job.
---@param id string
function M.transcript(id)
  local client = client_of.get()
  if client then
    client_of.command(client, "show", { job = id })
  end
end

--- Return one line about a kept job.
---@param job ensemble.protocol.ListedJob
---@return string
function M.job_line(job)
  local when = os.date("%d %b %H:%M", math.floor(job.started))
  local cost = ("%2d calls %8s"):format(job.calls, job_events.money(job.usd))
  return ("%s  %-10s %s %5.0fs  %s"):format(when, job.status, cost, job.seconds, (job.title:gsub("%s+", " ")))
end

--- Show recent jobs; a key opens the transcript of the one at the cursor.
---@param client vim.lsp.Client
function M.jobs(client)
  client_of.command(client, "jobs", {}, function(answer)
    local lines = vim.tbl_map(M.job_line, answer.jobs)
    if #lines == 0 then
      lines = { "No jobs yet." }
    end
    local bufnr = documents.open("ensemble://jobs", "text", lines)
    vim.api.nvim_set_option_value("wrap", false, { win = 0, scope = "local" })
    vim.api.nvim_set_option_value("cursorline", true, { win = 0, scope = "local" })
    local label = documents.key_label
    local bar = label("lane", "transcript") .. label("continue", "debate it") .. label("close", "close")
    vim.api.nvim_set_option_value("winbar", bar, { win = 0, scope = "local" })
    local function at_cursor(run)
      return function()
        local job = answer.jobs[vim.api.nvim_win_get_cursor(0)[1]]
        if job then
          run(job)
        end
      end
    end
    documents.key(
      bufnr,
      "lane",
      "the job's transcript",
      at_cursor(function(job)
        M.transcript(job.job)
      end)
    )
    documents.key(
      bufnr,
      "continue",
      "go on from the job's drafts",
      at_cursor(function(job)
        client_of.command(client, "continue", { job = job.job })
      end)
    )
  end)
end

--- Return the panel as Markdown.
---@param panel ensemble.protocol.PanelDescription
---@return string[]
function M.panel_lines(panel)
  local plain = require("ensemble.why").plain
  local lines = { "# The panel", "" }
  for _, seat in ipairs(panel.seats) do
    local price = seat["local"] and "local, free"
      or seat.priceIn and ("$%.2f in, $%.2f out a million tokens"):format(seat.priceIn, seat.priceOut or 0)
      or "price unknown"
    lines[#lines + 1] = ("## %s (%s, %s)"):format(plain(seat.id), plain(seat.family), seat.role)
    vim.list_extend(lines, {
      "",
      ("- model `%s`, %s"):format((seat.model:gsub("`", "")), price),
      "- key: " .. plain(seat.key),
      "- sends to: "
        .. (seat.recipient ~= "" and plain(seat.recipient) or "nobody, it answers on this machine"),
      "- why: " .. (seat.why ~= "" and plain(seat.why) or "named in your settings"),
      "",
    })
  end
  for _, text in ipairs(panel.notes) do
    lines[#lines + 1] = "> " .. plain(text)
  end
  vim.list_extend(
    lines,
    { "", ("Spent today: %s of $%.2f"):format(job_events.money(panel.spentTodayUsd), panel.dayUsd) }
  )
  return lines
end

--- Show who would sit on the panel.
---@param client vim.lsp.Client
function M.panel(client)
  client_of.command(client, "panel", {}, function(answer)
    documents.open("ensemble://panel", "markdown", M.panel_lines(answer))
  end)
end

return M
