--- The review of a proposal: a tab of its own with a real diff of two scratch buffers, hunk by hunk.
local client_of = require("ensemble.client")
local hunks = require("ensemble.hunks")
local layout = require("ensemble.review.layout")
local proposals = require("ensemble.proposals")
local texts = require("ensemble.review.texts")
local why = require("ensemble.why")

local M = {}

---@class ensemble.Review
---@field kept ensemble.Kept
---@field origin integer the tab that the person came from
---@field tab integer
---@field wins { files?: integer, left: integer, right: integer }
---@field bufs { files?: integer, left: integer, right: integer }
---@field uri string? of the file that is shown
---@field places { start: integer, count: integer, hunk: ensemble.Hunk }[] of its hunks, in the right buffer
---@field wanted string? id of the hunk that the cursor is to be on
---@field drawing integer raised with every wish to draw: a text that comes for an older one is dropped
---@field busy table<string, true> ids of hunks that are being applied
---@field over fun() ends what follows the proposal

local open_reviews = {} ---@type table<string, ensemble.Review>

---@param review ensemble.Review
---@return integer?
function M.file_number(review)
  for number, file in ipairs(review.kept.view.files) do
    if file.uri == review.uri then
      return number
    end
  end
  return nil
end

--- Return the hunk at the cursor of the right window.
---@param review ensemble.Review
---@return ensemble.Hunk?
function M.current(review)
  local win = vim.api.nvim_get_current_win() == review.wins.left and review.wins.left or review.wins.right
  local places = review.places
  if win == review.wins.left then
    places = hunks.places_before(vim.tbl_map(function(place)
      return place.hunk
    end, places))
  end
  return (hunks.at(places, vim.api.nvim_win_get_cursor(win)[1] - 1))
end

---@param review ensemble.Review
local function place_cursor(review)
  for _, place in ipairs(review.places) do
    if place.hunk.id == review.wanted then
      local count = vim.api.nvim_buf_line_count(review.bufs.right)
      local row = math.max(1, math.min(place.start + 1, count))
      vim.api.nvim_win_set_cursor(review.wins.right, { row, 0 })
      vim.api.nvim_win_call(review.wins.right, function()
        vim.cmd.normal({ "zvzz", bang = true })
      end)
    end
  end
end

---@param review ensemble.Review
---@return boolean
local function is_open(review)
  return vim.api.nvim_win_is_valid(review.wins.left) and vim.api.nvim_win_is_valid(review.wins.right)
end

--- Draw one file as the proposal has it now; its text may have to come from the server first.
---@param review ensemble.Review
local function draw(review)
  review.drawing = review.drawing + 1
  local drawing = review.drawing
  local number = M.file_number(review)
  local file = number and review.kept.view.files[number]
  if not file then
    return
  end
  texts.load(review.kept, file, function(before)
    if drawing ~= review.drawing or not is_open(review) then
      return
    end
    review.places = layout.fill(review, file, before)
    if review.wanted then
      place_cursor(review)
      review.wanted = nil
    end
    layout.bars(review, M.current(review))
    layout.list(review, number)
  end)
end

--- Show a hunk, in whichever file it is.
---@param review ensemble.Review
---@param target { file: integer, hunk: ensemble.Hunk }
local function go_to(review, target)
  local uri = review.kept.view.files[target.file].uri
  review.wanted = target.hunk.id
  if uri ~= review.uri then
    review.uri = uri
    draw(review)
  else
    place_cursor(review)
    review.wanted = nil
    layout.bars(review, M.current(review))
  end
end

---@param review ensemble.Review
---@param number integer
function M.go_to_file(review, number)
  local file = review.kept.view.files[number]
  if file then
    review.uri = file.uri
    review.wanted = file.hunks[1] and file.hunks[1].id
    draw(review)
  end
end

---@param review ensemble.Review
---@param step 1|-1
function M.go(review, step)
  local hunk = M.current(review)
  local target = hunks.neighbour(review.kept.view, hunk and hunk.id, step)
  if target then
    go_to(review, target)
  end
end

--- Choose where the cursor goes when a hunk leaves: the next one, which may be in another file.
---@param review ensemble.Review
---@param hunk ensemble.Hunk
local function move_on(review, hunk)
  local target = hunks.neighbour(review.kept.view, hunk.id, 1)
  if target and target.hunk.id ~= hunk.id then
    review.wanted = target.hunk.id
    review.uri = review.kept.view.files[target.file].uri
  end
end

---@param review ensemble.Review
function M.accept(review)
  local hunk = M.current(review)
  if not hunk or review.busy[hunk.id] then
    return
  elseif hunk.conflict then
    return client_of.say(
      "you changed these lines: edit them yourself, or reject the hunk",
      vim.log.levels.WARN
    )
  end
  review.busy[hunk.id] = true
  local uri = review.uri
  move_on(review, hunk)
  proposals.accept(review.kept, { hunk.id }, function(applied)
    review.busy[hunk.id] = nil
    if not applied then
      review.uri, review.wanted = uri, hunk.id
      draw(review)
    end
  end)
end

---@param review ensemble.Review
function M.reject(review)
  local hunk = M.current(review)
  if hunk then
    move_on(review, hunk)
    proposals.reject(review.kept, { hunk.id })
  end
end

---@param review ensemble.Review
function M.why(review)
  local hunk = M.current(review)
  if hunk then
    why.float(why.of_hunk(review.kept.view, hunk), "hunk")
  end
end

---@param review ensemble.Review
function M.candidates(review)
  vim.ui.select(review.kept.payload.candidates, {
    prompt = "Candidates",
    kind = "ensemble.candidate",
    format_item = function(candidate)
      return layout.candidate(candidate, candidate.id == review.kept.view.candidate)
    end,
  }, function(candidate)
    if candidate then
      proposals.pick(review.kept, candidate.id)
    end
  end)
end

--- Put all hunks of a proposal into the quickfix list.
---@param kept ensemble.Kept
function M.quickfix(kept)
  local items = {}
  for _, each in ipairs(hunks.all(kept.view)) do
    local hunk = each.hunk
    local line = hunks.bare(hunk.newLines[1] or hunk.oldLines[1] or "")
    items[#items + 1] = {
      filename = vim.uri_to_fname(kept.view.files[each.file].uri),
      lnum = hunk.oldStart + 1,
      end_lnum = hunk.oldStart + math.max(#hunk.oldLines, 1),
      type = hunk.conflict and "W" or "I",
      text = ("%s-%d +%d  %s"):format(
        hunk.conflict and "conflict " or "",
        #hunk.oldLines,
        #hunk.newLines,
        vim.trim(line)
      ),
      user_data = { ensemble = { proposal = kept.id, hunk = hunk.id } },
    }
  end
  vim.fn.setqflist({}, " ", { title = "Ensemble: " .. kept.view.title, items = items })
end

---@param review ensemble.Review
function M.close(review)
  review.over()
  if vim.api.nvim_tabpage_is_valid(review.tab) then
    if #vim.api.nvim_list_tabpages() == 1 then
      vim.cmd.tabnew()
    end
    local was_here = vim.api.nvim_get_current_tabpage() == review.tab
    vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(review.tab))
    if was_here and vim.api.nvim_tabpage_is_valid(review.origin) then
      vim.api.nvim_set_current_tabpage(review.origin)
    end
  end
  for _, bufnr in pairs(review.bufs) do
    if vim.api.nvim_buf_is_valid(bufnr) then
      vim.api.nvim_buf_delete(bufnr, { force = true })
    end
  end
end

--- Keep a review as its proposal is, until either is gone.
---@param review ensemble.Review
local function follow(review)
  local group = vim.api.nvim_create_augroup("ensemble.review." .. review.tab, {})
  local function changed(kept, gone)
    if kept.id ~= review.kept.id then
      return
    elseif gone then
      return M.close(review)
    elseif not is_open(review) then
      return review.over()
    end
    local number = M.file_number(review)
    if not number or #kept.view.files[number].hunks == 0 then
      local target = hunks.neighbour(kept.view, review.wanted, 1)
      if target then
        review.uri, review.wanted = kept.view.files[target.file].uri, target.hunk.id
      end
    end
    draw(review)
  end
  function review.over()
    proposals.unlisten(changed)
    pcall(vim.api.nvim_del_augroup_by_id, group)
    if open_reviews[review.kept.id] == review then
      open_reviews[review.kept.id] = nil
    end
  end
  proposals.listen(changed)
  vim.api.nvim_create_autocmd("CursorMoved", {
    group = group,
    buffer = review.bufs.right,
    desc = "Ensemble: name the hunk at the cursor",
    callback = function()
      layout.bars(review, M.current(review))
    end,
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = review.bufs.right,
    desc = "Ensemble: a review whose window was closed is over",
    callback = review.over,
  })
end

--- Open the review of a proposal, or go to it where it is open.
---@param kept ensemble.Kept
function M.open(kept)
  local known = open_reviews[kept.id]
  if known and vim.api.nvim_tabpage_is_valid(known.tab) and is_open(known) then
    vim.api.nvim_set_current_tabpage(known.tab)
    return
  end
  require("ensemble.highlights").define()
  local review = layout.open(kept) --[[@as ensemble.Review]]
  open_reviews[kept.id] = review
  require("ensemble.review.keys").map(review)
  follow(review)
  local first = hunks.all(kept.view)[1]
  M.go_to_file(review, first and first.file or 1)
  layout.list(review, first and first.file or 1)
end

--- Return the review of the current tab.
---@return ensemble.Review?
function M.here()
  local tab = vim.api.nvim_get_current_tabpage()
  for _, review in pairs(open_reviews) do
    if review.tab == tab and is_open(review) then
      return review
    end
  end
  return nil
end

return M
