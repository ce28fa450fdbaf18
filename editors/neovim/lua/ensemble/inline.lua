--- A proposal as virtual lines in the buffers themselves; the text stays as it is until a hunk is applied.
local hunks = require("ensemble.hunks")
local proposals = require("ensemble.proposals")

local M = {}

local namespace = vim.api.nvim_create_namespace("ensemble.inline")

---@param kept ensemble.Kept
---@param hunk ensemble.Hunk
---@param number integer
---@param total integer
---@return table[]
local function virtual_lines(kept, hunk, number, total)
  local lines = {}
  local group = hunk.conflict and "EnsembleConflict" or "EnsembleAdd"
  for _, line in ipairs(hunk.newLines) do
    lines[#lines + 1] = { { hunks.bare(line), group } }
  end
  local what = hunk.conflict and "conflict: you changed these lines"
    or ("hunk %d/%d · %s"):format(number, total, hunks.headline(kept.view))
  local keys = hunk.conflict and ":.Ensemble reject" or ":.Ensemble apply   :.Ensemble reject   :Ensemble why"
  lines[#lines + 1] = { { "  ╰ " .. what .. "   ", "EnsembleHint" }, { keys, "EnsembleKey" } }
  return lines
end

---@param bufnr integer
---@param kept ensemble.Kept
---@param file ensemble.File
---@param number integer of the hunks before this file
---@param total integer
local function draw(bufnr, kept, file, number, total)
  local count = vim.api.nvim_buf_line_count(bufnr)
  for at, hunk in ipairs(file.hunks) do
    local first = math.min(hunk.oldStart, count)
    local last = math.min(first + #hunk.oldLines, count)
    for row = first, last - 1 do
      vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
        line_hl_group = hunk.conflict and "EnsembleConflict" or "EnsembleDelete",
        priority = 90,
      })
    end
    local row = math.max(last - 1, 0)
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
      virt_lines = virtual_lines(kept, hunk, number + at, total),
      virt_lines_above = last == 0,
      priority = 90,
    })
  end
end

--- Draw all inline proposals of a buffer anew.
---@param bufnr integer
function M.refresh(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local uri = vim.uri_from_bufnr(bufnr)
  for _, kept in ipairs(proposals.list()) do
    local number, total = 0, #hunks.all(kept.view)
    for _, file in ipairs(kept.inline and kept.view.files or {}) do
      -- Of a text that moved on the next revision is on its way.
      if file.uri == uri and (file.version == nil or file.version == vim.lsp.util.buf_versions[bufnr]) then
        draw(bufnr, kept, file, number, total)
      end
      number = number + #file.hunks
    end
  end
end

---@param kept ensemble.Kept
local function refresh_all(kept)
  if not kept.inline then
    return
  end
  for _, file in ipairs(kept.payload.files) do
    local bufnr = require("ensemble.apply").buffer_of(vim.uri_to_fname(file.uri))
    if bufnr and vim.api.nvim_buf_is_loaded(bufnr) then
      M.refresh(bufnr)
    end
  end
end

local listening = false

--- Show a proposal inline from now on.
---@param kept ensemble.Kept
function M.show(kept)
  kept.inline = true
  if not listening then
    listening = true
    proposals.listen(refresh_all)
    vim.api.nvim_create_autocmd("BufWinEnter", {
      group = vim.api.nvim_create_augroup("ensemble.inline", {}),
      desc = "Ensemble: show the inline proposals of a file that is opened",
      callback = function(event)
        if vim.bo[event.buf].buftype == "" then
          M.refresh(event.buf)
        end
      end,
    })
  end
  refresh_all(kept)
end

--- Return the inline proposal with a hunk among lines of a buffer (from 0, inclusive), and the hunks' ids.
---@param bufnr integer
---@param first integer
---@param last integer
---@return ensemble.Kept?
---@return string[] ids
function M.at(bufnr, first, last)
  local uri = vim.uri_from_bufnr(bufnr)
  for _, kept in ipairs(proposals.list()) do
    local file = kept.inline and proposals.file(kept, uri)
    local ids = file and hunks.touching(file, first, last) or {}
    if #ids > 0 then
      return kept, ids
    end
  end
  return nil, {}
end

--- Go to the next or previous hunk of the newest inline proposal, into another file where that is next.
---@param step 1|-1
---@return boolean whether there is one
function M.go(step)
  local bufnr = vim.api.nvim_get_current_buf()
  local uri, line = vim.uri_from_bufnr(bufnr), vim.api.nvim_win_get_cursor(0)[1] - 1
  local kept
  for _, each in ipairs(proposals.list()) do
    kept = kept or (each.inline and each or nil)
  end
  if not kept then
    return false
  end
  local all = hunks.all(kept.view)
  if #all == 0 then
    return false
  end
  local files = kept.view.files
  local here, target = 0, nil
  for number, file in ipairs(files) do
    here = file.uri == uri and number or here
  end
  local from, to = 1, #all
  if step < 0 then
    from, to = to, from
  end
  for at = from, to, step do
    local each = all[at]
    local behind = each.file > here or (each.file == here and each.hunk.oldStart > line)
    local before = each.file < here or (each.file == here and each.hunk.oldStart < line)
    if (step > 0 and behind) or (step < 0 and before) then
      target = each
      break
    end
  end
  target = target or all[from]
  if files[target.file].uri ~= uri then
    vim.lsp.util.show_document({
      uri = files[target.file].uri,
      range = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 0 } },
    }, "utf-8", { focus = true })
  end
  local count = vim.api.nvim_buf_line_count(0)
  vim.cmd.normal({ "m'", bang = true })
  vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(target.hunk.oldStart + 1, count)), 0 })
  return true
end

return M
