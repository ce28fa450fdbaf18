--- `ensemble/context`: what the buffer's other language servers know, within the two seconds that the server waits.
local M = {}

--- Less than the server waits, so that what came in time counts.
M.MILLISECONDS = 1800
M.MOST_LINES = 60
M.MOST_LOCATIONS = 24

---@param range lsp.Range
---@param path string
---@return string?
local function text_of(range, path)
  local first, last = range.start.line, math.min(range["end"].line, range.start.line + M.MOST_LINES - 1)
  local bufnr = vim.fn.bufnr(("^%s$"):format(vim.fn.escape(path, "\\^$.*[]~{},")))
  if bufnr > 0 and vim.api.nvim_buf_is_loaded(bufnr) then
    return table.concat(vim.api.nvim_buf_get_lines(bufnr, first, last + 1, false), "\n")
  end
  local file = io.open(path, "r")
  if not file then
    return nil
  end
  local lines, number = {}, 0
  for line in file:lines() do
    if number >= first then
      lines[#lines + 1] = line
    end
    number = number + 1
    if number > last then
      break
    end
  end
  file:close()
  return #lines > 0 and table.concat(lines, "\n") or nil
end

--- Return LSP's several forms of a location as ours.
---@param result any
---@return { uri: string, range: lsp.Range }[]
function M.locations(result)
  if type(result) ~= "table" then
    return {}
  end
  local found = {}
  for _, each in ipairs(vim.islist(result) and result or { result }) do
    local uri, range = each.uri or each.targetUri, each.range or each.targetRange
    if type(uri) == "string" and type(range) == "table" then
      found[#found + 1] = { uri = uri, range = range }
    end
  end
  return found
end

--- Return a hover's text, "" where there is none.
---@param result any
---@return string
function M.hover(result)
  if type(result) ~= "table" or result.contents == nil then
    return ""
  end
  return vim.trim(table.concat(vim.lsp.util.convert_input_to_markdown_lines(result.contents), "\n"))
end

---@param bufnr integer
---@param ours integer
---@return lsp.Diagnostic[]
local function diagnostics(bufnr, ours)
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(bufnr)) do
    local lsp = vim.tbl_get(each, "user_data", "lsp")
    if each.source ~= "ensemble" and each.namespace ~= vim.lsp.diagnostic.get_namespace(ours) then
      found[#found + 1] = {
        range = lsp and lsp.range or {
          start = { line = each.lnum, character = each.col },
          ["end"] = { line = each.end_lnum or each.lnum, character = each.end_col or each.col },
        },
        message = each.message,
        severity = each.severity,
        source = each.source,
        code = each.code,
      }
    end
  end
  return found
end

local ASKED = {
  definition = "textDocument/definition",
  references = "textDocument/references",
  hover = "textDocument/hover",
}

--- Ask the other clients of a document and hand over what came; asynchronous.
---@param params ensemble.protocol.ContextParams
---@param ours integer id of our client
---@param done fun(answer: table)
function M.answer(params, ours, done)
  local path = vim.uri_to_fname(params.uri)
  local bufnr = require("ensemble.apply").buffer_of(path)
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) then
    return done(vim.empty_dict())
  end
  local definitions, references, hovers, seen = {}, {}, {}, {}
  local open, over = 1, false
  local timer = assert(vim.uv.new_timer())
  local function finish()
    if over then
      return
    end
    over = true
    timer:close()
    done({
      definitions = definitions,
      references = references,
      hovers = hovers,
      diagnostics = vim.list_contains(params.want, "diagnostics") and diagnostics(bufnr, ours) or {},
    })
  end
  local function one_less()
    open = open - 1
    if open == 0 then
      finish()
    end
  end
  local function collect(into, result)
    for _, each in ipairs(M.locations(result)) do
      local key = ("%s:%d:%d"):format(each.uri, each.range.start.line, each.range.start.character)
      if #into < M.MOST_LOCATIONS and not (seen[into] or {})[key] then
        seen[into] = seen[into] or {}
        seen[into][key] = true
        into[#into + 1] = each
        each.text = each.uri:sub(1, 5) == "file:" and text_of(each.range, vim.uri_to_fname(each.uri)) or nil
      end
    end
  end
  local ask = {
    definition = function(result)
      collect(definitions, result)
    end,
    references = function(result)
      collect(references, result)
    end,
    hover = function(result)
      local text = M.hover(result)
      if text ~= "" and not vim.list_contains(hovers, text) then
        hovers[#hovers + 1] = text
      end
    end,
  }
  timer:start(M.MILLISECONDS, 0, vim.schedule_wrap(finish))
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = bufnr })) do
    for _, want in ipairs(client.id ~= ours and params.want or {}) do
      local method = ASKED[want]
      local answers = method ~= nil and client:supports_method(method, bufnr)
      for at, position in ipairs(answers and params.positions or {}) do
        -- References are asked for once: they are those of the symbol around the range.
        if want ~= "references" or at == 1 then
          local asked = {
            textDocument = { uri = params.uri },
            position = M.translated(bufnr, position, ours, client),
            context = want == "references" and { includeDeclaration = false } or nil,
          }
          open = open + 1
          local sent = client:request(method, asked, function(problem, result)
            if not over and not problem then
              ask[want](result)
            end
            one_less()
          end, bufnr)
          if not sent then
            one_less()
          end
        end
      end
    end
  end
  one_less()
end

--- Return a position of our client's encoding in that of another client.
---@param bufnr integer
---@param position lsp.Position
---@param ours integer
---@param client vim.lsp.Client
---@return lsp.Position
function M.translated(bufnr, position, ours, client)
  local us = vim.lsp.get_client_by_id(ours)
  if not us or us.offset_encoding == client.offset_encoding then
    return position
  end
  local line = vim.api.nvim_buf_get_lines(bufnr, position.line, position.line + 1, false)[1] or ""
  local byte = vim.str_byteindex(line, us.offset_encoding, position.character, false)
  return { line = position.line, character = vim.str_utfindex(line, client.offset_encoding, byte, false) }
end

return M
