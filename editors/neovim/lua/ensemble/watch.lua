--- The live view: the lanes of a job in a window, drawn a few times a second however fast the members speak.
local client_of = require("ensemble.client")
local config = require("ensemble.config")
local documents = require("ensemble.documents")
local job_events = require("ensemble.job_events")
local jobs = require("ensemble.jobs")
local lanes = require("ensemble.lanes")

local M = {}

local namespace = vim.api.nvim_create_namespace("ensemble.watch")

---@class ensemble.Watch
---@field bufnr integer
---@field job string? id
---@field timer uv.uv_timer_t?
---@field drawn integer of the job when it was last drawn
---@field size string of the window then
---@field members table<integer, string[]>
---@field pinned boolean stays with its job when another one starts

local watch = nil ---@type ensemble.Watch?

---@return integer?
local function window()
  if not watch then
    return nil
  end
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_buf(win) == watch.bufnr then
      return win
    end
  end
  return nil
end

---@param job ensemble.Job
---@return string
local function bar(job)
  local label = documents.key_label
  if job.status then
    return label("continue", "debate this") .. label("lane", "lane or transcript") .. label("close", "close")
  end
  return label("decide", "answer now")
    .. label("cancel", "cancel")
    .. label("lane", "lane")
    .. label("close", "close")
end

--- Draw what changed. Bounded by the window's size, not by what was said.
local function draw()
  local win = window()
  if not watch or not win then
    return
  end
  local job = watch.job and jobs.get(watch.job)
  if not job then
    documents.fill(watch.bufnr, { "No job yet. :Ensemble fix, review, explain, … starts one." })
    return
  end
  local width, height = vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win) - 1
  local size = ("%s %dx%d"):format(job.id, width, height)
  if job.drawn == watch.drawn and size == watch.size then
    return
  end
  watch.drawn, watch.size = job.drawn, size
  local lines, marks, members = lanes.compose(job, width, height)
  watch.members = members
  documents.fill(watch.bufnr, lines)
  vim.api.nvim_buf_clear_namespace(watch.bufnr, namespace, 0, -1)
  for _, mark in ipairs(marks) do
    vim.api.nvim_buf_set_extmark(watch.bufnr, namespace, mark.line, mark.from, {
      end_col = math.min(mark.to, #lines[mark.line + 1]),
      hl_group = mark.group,
    })
  end
  local text = bar(job)
  if vim.wo[win].winbar ~= text then
    vim.api.nvim_set_option_value("winbar", text, { win = win, scope = "local" })
  end
end

local function stop()
  if watch and watch.timer then
    watch.timer:stop()
    watch.timer:close()
    watch.timer = nil
  end
end

---@param _ ensemble.Job
---@param event ensemble.Event
local function heard(_, event)
  if not watch then
    return
  elseif not vim.api.nvim_buf_is_valid(watch.bufnr) then
    stop()
    jobs.unlisten(heard)
    watch = nil
    return
  end
  if event.kind == "started" and not watch.pinned then
    watch.job = event.job
  end
  if not watch.timer and event.job == watch.job then
    watch.timer = assert(vim.uv.new_timer())
    local pause = math.floor(1000 / math.max(1, config.options.watch.rate or 12))
    -- One timer, one shot a redraw: a slow screen is not asked faster than it draws.
    local function again()
      draw()
      local job = watch and watch.job and jobs.get(watch.job)
      if watch and watch.timer and job and not job.status then
        watch.timer:start(pause, 0, vim.schedule_wrap(again))
      else
        stop()
      end
    end
    watch.timer:start(pause, 0, vim.schedule_wrap(again))
  elseif event.kind == "finished" and event.job == watch.job then
    vim.schedule(draw)
  end
end

---@return ensemble.Job?
local function shown()
  return watch and watch.job and jobs.get(watch.job) or nil
end

---@param command string
local function tell(command)
  local job = shown()
  local client = job and vim.lsp.get_client_by_id(job.client)
  if job and client then
    client_of.command(client, command, { job = job.id })
  end
end

local function open_lane()
  local job = shown()
  if not job or not watch then
    return
  end
  local on_line = watch.members[vim.api.nvim_win_get_cursor(0)[1] - 1] or {}
  local columns = math.max(1, #on_line)
  local column = math.floor((vim.fn.virtcol(".") - 1) / math.max(1, vim.api.nvim_win_get_width(0) / columns))
    + 1
  for _, lane in ipairs(job.lanes) do
    if lane.member == on_line[math.min(column, #on_line)] then
      local lines = vim.split(job_events.text_of(lane), "\n", { plain = true })
      table.insert(lines, 1, lanes.head(lane))
      documents.open(("ensemble://lane/%s/%s"):format(job.id, lane.member), "markdown", lines)
      return
    end
  end
  require("ensemble.lists").transcript(job.id)
end

--- Show the lanes of a job, of the newest when nil; the window that the person is in keeps the cursor.
---@param id string?
function M.open(id)
  require("ensemble.highlights").define()
  if not watch or not vim.api.nvim_buf_is_valid(watch.bufnr) then
    local bufnr = documents.scratch("ensemble://watch")
    watch = { bufnr = bufnr, drawn = -1, size = "", members = {}, pinned = false }
    jobs.listen(heard)
    documents.key(bufnr, "cancel", "cancel the job", function()
      tell("cancel")
    end)
    documents.key(bufnr, "decide", "answer now", function()
      tell("decide")
    end)
    documents.key(bufnr, "continue", "debate this", function()
      tell("continue")
    end)
    documents.key(bufnr, "lane", "the whole lane, or the transcript", open_lane)
    vim.api.nvim_create_autocmd({ "WinResized", "BufWinEnter" }, {
      group = vim.api.nvim_create_augroup("ensemble.watch", {}),
      desc = "Ensemble: fit the lanes to their window",
      callback = draw,
    })
  end
  watch.pinned = id ~= nil
  local newest = jobs.list()[1]
  watch.job = id or (newest and newest.id)
  local is_new = window() == nil
  local win = documents.show(watch.bufnr, false)
  if is_new then
    vim.api.nvim_win_set_height(win, math.max(12, math.floor(vim.o.lines * 0.55)))
  end
  local options = {
    wrap = false,
    cursorline = false,
    signcolumn = "no",
    foldenable = false,
    list = false,
    conceallevel = 0,
  }
  for option, value in pairs(options) do
    vim.api.nvim_set_option_value(option, value, { win = win, scope = "local" })
  end
  watch.size = ""
  draw()
  local job = shown()
  if job and not job.status then
    heard(job, { kind = "shown", job = job.id })
  end
end

return M
