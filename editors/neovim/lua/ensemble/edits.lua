--- Text edits by LSP's rules on whole texts, and whole texts as Neovim's lines. Pure but for `vim.str_byteindex`.
local M = {}

---@type table<string, string>
M.NEWLINES = { unix = "\n", dos = "\r\n", mac = "\r" }

--- Return the byte offset (from 0) at which each line starts. LSP's lines end at "\n", "\r\n" and "\r".
---@param text string
---@return integer[]
function M.line_starts(text)
  local starts = { 0 }
  local from = 1
  while true do
    local at = text:find("[\r\n]", from)
    if not at then
      return starts
    end
    from = at + 1
    if text:byte(at) == 13 and text:byte(from) == 10 then
      from = from + 1
    end
    starts[#starts + 1] = from - 1
  end
end

--- Return the byte offset of a position; behind the last line it is the text's end, behind a line the line's.
---@param text string
---@param starts integer[]
---@param position lsp.Position
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@return integer
function M.offset(text, starts, position, encoding)
  local start = starts[position.line + 1]
  if not start then
    return #text
  end
  if position.character == 0 then
    return start
  end
  local line = text:sub(start + 1, starts[position.line + 2] or #text):gsub("[\r\n]+$", "")
  return start + vim.str_byteindex(line, encoding, position.character, false)
end

--- Return the text with all edits applied, or nil and why not. Edits speak of the text as it is before all of them.
---@param text string
---@param edits lsp.TextEdit[]
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@return string? text
---@return string? problem
function M.apply(text, edits, encoding)
  local starts = M.line_starts(text)
  local placed = {} ---@type { from: integer, to: integer, text: string, order: integer }[]
  for order, edit in ipairs(edits) do
    local from = M.offset(text, starts, edit.range.start, encoding)
    local to = M.offset(text, starts, edit.range["end"], encoding)
    if to < from then
      return nil, "an edit ends before it starts"
    end
    placed[#placed + 1] = { from = from, to = to, text = edit.newText, order = order }
  end
  table.sort(placed, function(a, b)
    if a.from ~= b.from then
      return a.from < b.from
    end
    return a.order < b.order
  end)
  local parts, reached = {}, 0
  for _, edit in ipairs(placed) do
    if edit.from < reached then
      return nil, "two edits overlap"
    end
    parts[#parts + 1] = text:sub(reached + 1, edit.from)
    parts[#parts + 1] = edit.text
    reached = edit.to
  end
  parts[#parts + 1] = text:sub(reached + 1)
  return table.concat(parts)
end

--- Return a text as a buffer's lines and whether its last line is ended; nil where no buffer could hold it unchanged.
---@param text string
---@param newline string
---@return string[]? lines
---@return boolean ended
function M.to_lines(text, newline)
  if text:find("%z") then
    return nil, false
  end
  if newline ~= "\n" and text:gsub(newline, ""):find("\n", 1, true) then
    return nil, false
  end
  local lines = vim.split(text, newline, { plain = true })
  local ended = #lines > 1 and lines[#lines] == ""
  if ended then
    lines[#lines] = nil
  end
  return lines, ended
end

--- Return a buffer's lines as a text.
---@param lines string[]
---@param newline string
---@param ended boolean
---@return string
function M.to_text(lines, newline, ended)
  return table.concat(lines, newline) .. (ended and newline or "")
end

--- Split into lines that keep their endings, as hunks have them.
---@param text string
---@return string[]
function M.split(text)
  local starts, lines = M.line_starts(text), {}
  for number, start in ipairs(starts) do
    local line = text:sub(start + 1, starts[number + 1] or #text)
    if line ~= "" then
      lines[#lines + 1] = line
    end
  end
  return lines
end

--- Return how many bytes two strings have in common at their starts and, of the rest, at their ends, whole characters.
---@param old string
---@param new string
---@return integer before
---@return integer behind
function M.common(old, new)
  local least = math.min(#old, #new)
  local before = 0
  while before < least and old:byte(before + 1) == new:byte(before + 1) do
    before = before + 1
  end
  -- Not between the bytes of one character: whoever counts characters would lose its place.
  while before > 0 and before < #old and M.is_inside(old, before + 1) do
    before = before - 1
  end
  while before > 0 and before < #new and M.is_inside(new, before + 1) do
    before = before - 1
  end
  local behind = 0
  while behind < least - before and old:byte(#old - behind) == new:byte(#new - behind) do
    behind = behind + 1
  end
  while behind > 0 and (M.is_inside(old, #old - behind + 1) or M.is_inside(new, #new - behind + 1)) do
    behind = behind - 1
  end
  return before, behind
end

--- Whether a byte (from 1) goes on a character that began before it.
---@param text string
---@param at integer
---@return boolean
function M.is_inside(text, at)
  local byte = text:byte(at)
  return byte ~= nil and byte >= 0x80 and byte < 0xC0
end

return M
