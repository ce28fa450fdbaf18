--- What a review looks like: its tab, its two sides, the list of files, the window bars.
local documents = require("ensemble.documents")
local hunks = require("ensemble.hunks")
local job_events = require("ensemble.job_events")

local M = {}

local namespace = vim.api.nvim_create_namespace("ensemble.review")

M.LIST_WIDTH = 32

--- Return a text for a window bar, where "%" begins an item.
---@param text string
---@return string
local function literal(text)
  return (text:gsub("%%", "%%%%"))
end

---@param uri string
---@return string
local function name_of(uri)
  return vim.fn.fnamemodify(vim.uri_to_fname(uri), ":~:.")
end

---@param kept ensemble.Kept
---@param side string
---@return integer
local function buffer(kept, side)
  local bufnr = documents.scratch(("ensemble://proposal/%s/%s"):format(kept.id, side))
  vim.bo[bufnr].bufhidden = "wipe"
  return bufnr
end

---@param win integer
---@param options table<string, any>
local function set(win, options)
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
end

--- Open the tab with its windows; the cursor is in the right one.
---@param kept ensemble.Kept
---@return table review
function M.open(kept)
  local origin = vim.api.nvim_get_current_tabpage()
  local bufs = { left = buffer(kept, "now"), right = buffer(kept, "proposed") }
  local wins = {}
  vim.cmd("tabnew")
  local unused = vim.api.nvim_get_current_buf()
  local tab = vim.api.nvim_get_current_tabpage()
  wins.left = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(wins.left, bufs.left)
  vim.api.nvim_buf_delete(unused, { force = true })
  vim.cmd("rightbelow vsplit")
  wins.right = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(wins.right, bufs.right)
  if #kept.view.files > 1 then
    bufs.files = buffer(kept, "files")
    vim.cmd("topleft vsplit")
    wins.files = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(wins.files, bufs.files)
    vim.api.nvim_win_set_width(wins.files, M.LIST_WIDTH)
    set(wins.files, {
      winfixwidth = true,
      number = false,
      relativenumber = false,
      signcolumn = "no",
      wrap = false,
      cursorline = true,
      foldenable = false,
      list = false,
    })
    vim.api.nvim_set_current_win(wins.right)
    vim.cmd("wincmd =")
  end
  for _, win in ipairs({ wins.left, wins.right }) do
    set(
      win,
      { number = true, relativenumber = false, signcolumn = "no", wrap = false, list = false, spell = false }
    )
  end
  set(wins.right, { cursorline = true })
  return {
    kept = kept,
    origin = origin,
    tab = tab,
    wins = wins,
    bufs = bufs,
    places = {},
    drawing = 0,
    busy = {},
  }
end

---@param lines string[]
---@return boolean
local function is_dos(lines)
  for _, line in ipairs(lines) do
    if line:sub(-1) == "\n" and line:sub(-2) ~= "\r\n" then
      return false
    end
  end
  return true
end

--- Return lines for a buffer; a "\r" shows where only some lines have it.
---@param lines string[]
---@param dos boolean
---@return string[]
local function shown(lines, dos)
  local found = {}
  for at, line in ipairs(lines) do
    line = line:gsub("\n$", "")
    found[at] = (dos and line:gsub("\r$", "") or line):gsub("%z", " ")
  end
  return found
end

---@param bufnr integer
---@param path string
local function dress(bufnr, path)
  local filetype = vim.filetype.match({ filename = path }) or ""
  if vim.b[bufnr].ensemble_filetype == filetype then
    return
  end
  vim.b[bufnr].ensemble_filetype = filetype
  vim.treesitter.stop(bufnr)
  vim.bo[bufnr].syntax = ""
  local language = vim.treesitter.language.get_lang(filetype)
  if filetype ~= "" and not (language and pcall(vim.treesitter.start, bufnr, language)) then
    vim.bo[bufnr].syntax = filetype
  end
end

--- Fill both sides with a file and return where its hunks are in the right one.
---@param review ensemble.Review
---@param file ensemble.File
---@param before string[]
---@return { start: integer, count: integer, hunk: ensemble.Hunk }[]
function M.fill(review, file, before)
  local after = file.kind == "delete" and {} or hunks.applied(before, file.hunks)
  local dos = is_dos(before) and is_dos(after)
  local path = vim.uri_to_fname(file.uri)
  for side, lines in pairs({ left = before, right = after }) do
    documents.fill(review.bufs[side], shown(lines, dos))
    dress(review.bufs[side], path)
    local win = review.wins[side]
    if not vim.wo[win].diff then
      vim.api.nvim_win_call(win, vim.cmd.diffthis)
      set(win, { foldcolumn = "0" })
    end
  end
  vim.api.nvim_win_call(review.wins.right, vim.cmd.diffupdate)
  vim.api.nvim_buf_clear_namespace(review.bufs.right, namespace, 0, -1)
  local places = hunks.places_after(file.hunks)
  for _, place in ipairs(places) do
    if place.hunk.conflict then
      M.conflict(review.bufs.right, place)
    end
  end
  return places
end

---@param bufnr integer
---@param place { start: integer, count: integer, hunk: ensemble.Hunk }
function M.conflict(bufnr, place)
  local lines = { { { "you changed these lines; proposed was:", "EnsembleConflict" } } }
  for _, line in ipairs(place.hunk.newLines) do
    lines[#lines + 1] = { { hunks.bare(line), "EnsembleConflict" } }
  end
  local row = math.min(place.start, vim.api.nvim_buf_line_count(bufnr) - 1)
  vim.api.nvim_buf_set_extmark(bufnr, namespace, math.max(row, 0), 0, {
    virt_lines = lines,
    virt_lines_above = row > 0,
    line_hl_group = "EnsembleConflict",
  })
end

--- Write the window bars: what is shown and which hunk it is on the left, the keys on the right.
---@param review ensemble.Review
---@param hunk ensemble.Hunk?
function M.bars(review, hunk)
  local view = review.kept.view
  local all, number = hunks.all(view), 0
  for at, each in ipairs(all) do
    if hunk and each.hunk.id == hunk.id then
      number = at
    end
  end
  local name = review.uri and name_of(review.uri) or ""
  local where = ("hunk %d/%d"):format(number, #all)
  local conflict = hunk and hunk.conflict and " %#EnsembleConflict# conflict %*" or ""
  local label = documents.key_label
  local keys = label("accept", "accept")
    .. label("reject", "reject")
    .. label("next", "next")
    .. label("why", "why")
    .. label("accept_all", "all")
    .. label("reject_all", "none")
    .. (#view.candidates > 1 and label("candidates", "candidates") or "")
    .. label("close", "close")
  local left = ("%%#EnsembleTitle#%s%%* %s%s · %s"):format(
    literal(name),
    where,
    conflict,
    literal(hunks.headline(view))
  )
  set(review.wins.left, { winbar = left .. "%<" })
  set(review.wins.right, { winbar = keys .. "%<" })
  if review.wins.files and vim.api.nvim_win_is_valid(review.wins.files) then
    set(
      review.wins.files,
      { winbar = ("%%#EnsembleTitle#%d files%%* %%<%s"):format(#view.files, literal(view.title)) }
    )
  end
end

--- Write the list of files.
---@param review ensemble.Review
---@param current integer
function M.list(review, current)
  local bufnr = review.bufs.files
  if not bufnr or not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  local kinds = { create = "+", delete = "-", change = " " }
  local lines, conflicts = {}, {}
  for number, file in ipairs(review.kept.view.files) do
    local count = 0
    for _, hunk in ipairs(file.hunks) do
      count = count + (hunk.conflict and 1 or 0)
    end
    local left = #file.hunks == 0 and "✓" or tostring(#file.hunks)
    lines[number] = ("%s%s %s %s"):format(
      number == current and "▸" or " ",
      kinds[file.kind],
      left,
      name_of(file.uri)
    )
    conflicts[number] = count > 0 or file.conflict ~= ""
  end
  documents.fill(bufnr, lines)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for number, conflict in ipairs(conflicts) do
    local done = #review.kept.view.files[number].hunks == 0
    if conflict or done then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, number - 1, 0, {
        line_hl_group = conflict and "EnsembleConflict" or "EnsembleQuiet",
      })
    end
  end
  if review.wins.files and vim.api.nvim_win_is_valid(review.wins.files) then
    vim.api.nvim_win_set_cursor(review.wins.files, { current, 0 })
  end
end

--- Return one line about a candidate.
---@param candidate ensemble.protocol.ProposalCandidate
---@param is_shown boolean
---@return string
function M.candidate(candidate, is_shown)
  local parts = { table.concat(candidate.members, ", ") }
  parts[#parts + 1] = #candidate.families == 1 and "one family" or ("%d families"):format(#candidate.families)
  for _, check in ipairs(candidate.checks) do
    parts[#parts + 1] = ("%s: %s"):format(check.witness, check.summary)
  end
  parts[#parts + 1] = ("%d lines"):format(candidate.changedLines)
  parts[#parts + 1] = job_events.money(candidate.cost)
  if candidate.rejected ~= "" then
    parts[#parts + 1] = "not taken: " .. candidate.rejected
  end
  local mark = (is_shown and "● " or "○ ") .. (candidate.chosen and "(the panel's choice) " or "")
  return mark .. (table.concat(parts, " · "):gsub("%s+", " "))
end

return M
