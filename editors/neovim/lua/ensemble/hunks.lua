--- What follows from a proposal's hunks alone: texts, places, order. Pure functions; lines count from 0.
local M = {}

--- Return the lines (with their endings) after some hunks; conflicts are passed over.
---@param lines string[] lines with their endings
---@param hunks ensemble.Hunk[] in the order of their places
---@return string[]
function M.applied(lines, hunks)
  local after, reached = {}, 0
  for _, hunk in ipairs(hunks) do
    if not hunk.conflict then
      vim.list_extend(after, lines, reached + 1, hunk.oldStart)
      vim.list_extend(after, hunk.newLines)
      reached = hunk.oldStart + #hunk.oldLines
    end
  end
  vim.list_extend(after, lines, reached + 1)
  return after
end

--- Whether each hunk's old lines stand where it says: the lines are those that the proposal speaks of.
---@param lines string[]
---@param hunks ensemble.Hunk[]
---@return boolean
function M.fits(lines, hunks)
  for _, hunk in ipairs(hunks) do
    for number, line in ipairs(hunk.oldLines) do
      if lines[hunk.oldStart + number] ~= line then
        return false
      end
    end
  end
  return true
end

--- Return where each hunk stands in the text after all of them: first line and number of lines.
---@param hunks ensemble.Hunk[]
---@return { start: integer, count: integer, hunk: ensemble.Hunk }[]
function M.places_after(hunks)
  local places, shift = {}, 0
  for _, hunk in ipairs(hunks) do
    local count = hunk.conflict and #hunk.oldLines or #hunk.newLines
    places[#places + 1] = { start = hunk.oldStart + shift, count = count, hunk = hunk }
    if not hunk.conflict then
      shift = shift + #hunk.newLines - #hunk.oldLines
    end
  end
  return places
end

--- Return where each hunk stands in the text before them.
---@param hunks ensemble.Hunk[]
---@return { start: integer, count: integer, hunk: ensemble.Hunk }[]
function M.places_before(hunks)
  local places = {}
  for _, hunk in ipairs(hunks) do
    places[#places + 1] = { start = hunk.oldStart, count = #hunk.oldLines, hunk = hunk }
  end
  return places
end

--- Return the hunk at a line: the one around it, else the nearest.
---@param places { start: integer, count: integer, hunk: ensemble.Hunk }[]
---@param line integer
---@return ensemble.Hunk?
---@return boolean inside
function M.at(places, line)
  local nearest, distance
  for _, place in ipairs(places) do
    local last = place.start + math.max(place.count, 1) - 1
    if place.start <= line and line <= last then
      return place.hunk, true
    end
    local far = math.min(math.abs(place.start - line), math.abs(last - line))
    if not distance or far < distance then
      nearest, distance = place.hunk, far
    end
  end
  return nearest, false
end

--- Return all hunks of a proposal in the order of its files.
---@param proposal ensemble.Proposal
---@return { file: integer, hunk: ensemble.Hunk }[]
function M.all(proposal)
  local found = {}
  for number, file in ipairs(proposal.files) do
    for _, hunk in ipairs(file.hunks) do
      found[#found + 1] = { file = number, hunk = hunk }
    end
  end
  return found
end

--- Return the hunk `step` places from the one with an id, going round; the first when the id is unknown.
---@param proposal ensemble.Proposal
---@param id string?
---@param step 1|-1
---@return { file: integer, hunk: ensemble.Hunk }?
---@return integer? number
function M.neighbour(proposal, id, step)
  local all = M.all(proposal)
  if #all == 0 then
    return nil
  end
  for number, each in ipairs(all) do
    if each.hunk.id == id then
      local at = (number - 1 + step) % #all + 1
      return all[at], at
    end
  end
  return all[1], 1
end

--- Return the ids of the hunks that share a line with `first`..`last` of the live text, both inclusive.
---@param file ensemble.File
---@param first integer
---@param last integer
---@return string[]
function M.touching(file, first, last)
  local ids = {}
  for _, hunk in ipairs(file.hunks) do
    if hunk.oldStart <= last and first <= hunk.oldStart + math.max(#hunk.oldLines, 1) - 1 then
      ids[#ids + 1] = hunk.id
    end
  end
  return ids
end

--- Return a line without its ending, fit for a buffer's line or a virtual one.
---@param line string
---@return string
function M.bare(line)
  return (line:gsub("[\r\n]+$", ""):gsub("[\r\n%z]", " "))
end

--- Return what stands behind a proposal in a few words: "2 families, tests pass".
---@param proposal ensemble.Proposal
---@return string
function M.headline(proposal)
  local families = 0
  for _, candidate in ipairs(proposal.candidates) do
    if candidate.chosen then
      families = #candidate.families
    end
  end
  local voices = families == 1 and "one family" or ("%d families"):format(families)
  if proposal.status == "verified" then
    return voices .. ", tests pass" .. (proposal.weak and ", but they would miss most changes here" or "")
  elseif proposal.status == "agreed" then
    return voices .. (families == 1 and " alone" or " agree") .. ", nothing was executed"
  end
  return voices .. ", unverified"
end

return M
