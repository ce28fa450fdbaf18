--- New lines for a buffer with as little touched as possible, so that marks, folds, cursors and views stay.
local edits = require("ensemble.edits")

local M = {}

---@param lines string[]
---@return string
local function joined(lines)
  return table.concat(lines, "\n") .. "\n"
end

--- Close the current undo step of a buffer, so that what comes next is a step of its own, also while typing.
---@param bufnr integer
function M.close_undo_step(bufnr)
  vim.api.nvim_buf_call(bufnr, function()
    -- Setting 'undolevels', to any value, is what closes the step (:help undo-break).
    vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
  end)
end

---@param bufnr integer
---@param row integer
---@param old string
---@param new string
local function change_line(bufnr, row, old, new)
  if old == new then
    return
  end
  local before, behind = edits.common(old, new)
  local middle = new:sub(before + 1, #new - behind)
  vim.api.nvim_buf_set_text(bufnr, row, before, row, #old - behind, { middle })
end

---@param bufnr integer
---@param gone table<string, integer[]> marks with their places before
local function restore_marks(bufnr, gone)
  for _, mark in ipairs(vim.fn.getmarklist(bufnr)) do
    gone[mark.mark:sub(2)] = nil
  end
  local count = vim.api.nvim_buf_line_count(bufnr)
  for name, place in pairs(gone) do
    local row = math.min(place[1], count)
    local line = vim.api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1] or ""
    vim.api.nvim_buf_set_mark(bufnr, name, row, math.min(place[2], #line), {})
  end
end

--- Make a buffer's lines `new`; one undo step. The buffer must be loaded and modifiable.
---@param bufnr integer
---@param new string[]
function M.lines(bufnr, new)
  local old = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local changes = vim.diff(joined(old), joined(new), { result_type = "indices", algorithm = "histogram" })
  ---@cast changes integer[][]
  local marks = {} ---@type table<string, integer[]>
  for _, mark in ipairs(vim.fn.getmarklist(bufnr)) do
    local name = mark.mark:sub(2)
    if name:match("^%l$") then
      marks[name] = { mark.pos[2], mark.pos[3] - 1 }
    end
  end
  M.close_undo_step(bufnr)
  for number = #changes, 1, -1 do
    local old_start, old_count, new_start, new_count = unpack(changes[number])
    local row = old_count == 0 and old_start or old_start - 1
    local shared = math.min(old_count, new_count)
    local rest = vim.list_slice(new, new_start + shared, new_start + new_count - 1)
    if old_count ~= new_count then
      vim.api.nvim_buf_set_lines(bufnr, row + shared, row + old_count, false, rest)
    end
    for at = 0, shared - 1 do
      change_line(bufnr, row + at, old[row + at + 1], new[new_start + at])
    end
  end
  M.close_undo_step(bufnr)
  restore_marks(bufnr, marks)
end

return M
