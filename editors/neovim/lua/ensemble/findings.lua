--- Findings of reviews: they are diagnostics of Neovim, with an id that the server knows.
local client_of = require("ensemble.client")

local M = {}

--- Return the findings on a line (from 0), with their ids.
---@param bufnr integer
---@param lnum integer?
---@return { id: string, diagnostic: vim.Diagnostic }[]
function M.at(bufnr, lnum)
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(bufnr)) do
    local data = vim.tbl_get(each, "user_data", "lsp", "data")
    local id = type(data) == "table" and (data.finding or data.id) or data
    local here = lnum == nil or (each.lnum <= lnum and lnum <= (each.end_lnum or each.lnum))
    if each.source == "ensemble" and type(id) == "string" and here then
      found[#found + 1] = { id = id, diagnostic = each }
    end
  end
  return found
end

--- Return one of several findings, asking where there is a choice.
---@param found { id: string, diagnostic: vim.Diagnostic }[]
---@param done fun(one: { id: string, diagnostic: vim.Diagnostic })
function M.one(found, done)
  if #found == 1 then
    return done(found[1])
  end
  vim.ui.select(found, {
    prompt = "Which finding?",
    kind = "ensemble.finding",
    format_item = function(each)
      return each.diagnostic.message
    end,
  }, function(each)
    if each then
      done(each)
    end
  end)
end

--- Dismiss the finding at the cursor.
---@param bufnr integer
---@param reason string
function M.dismiss(bufnr, reason)
  local client = client_of.need(bufnr)
  local found = M.at(bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1)
  if not client then
    return
  elseif #found == 0 then
    return client_of.say("no finding on this line", vim.log.levels.WARN)
  end
  M.one(found, function(each)
    client_of.command(client, "dismiss", { finding = each.id, reason = reason ~= "" and reason or nil })
  end)
end

--- Choose among the dismissed findings and take one back.
---@param client vim.lsp.Client
function M.restore(client)
  client_of.command(client, "dismissals", {}, function(answer)
    if #answer.dismissals == 0 then
      return client_of.say("nothing is dismissed in this folder")
    end
    vim.ui.select(answer.dismissals, {
      prompt = "Show again",
      kind = "ensemble.dismissal",
      format_item = function(each)
        local reason = each.reason ~= "" and (" (%s)"):format(each.reason) or ""
        return (("%s: %s%s"):format(each.path, each.title, reason):gsub("%s+", " "))
      end,
    }, function(each)
      if each then
        client_of.command(client, "restore", { id = each.id }, function()
          client_of.say(("%s is shown again"):format(each.title))
        end)
      end
    end)
  end)
end

--- Show what stands behind the finding at the cursor: the server's hover, else the message.
---@param bufnr integer
---@return boolean whether there is one
function M.why(bufnr)
  local lnum = vim.api.nvim_win_get_cursor(0)[1] - 1
  local found = M.at(bufnr, lnum)
  local client = client_of.get(bufnr)
  if #found == 0 or not client then
    return false
  end
  if not client:supports_method("textDocument/hover", bufnr) then
    vim.diagnostic.open_float({ bufnr = bufnr, scope = "line" })
    return true
  end
  local tick, win = vim.api.nvim_buf_get_changedtick(bufnr), vim.api.nvim_get_current_win()
  local params = vim.lsp.util.make_position_params(win, client.offset_encoding)
  params.position = found[1].diagnostic.user_data.lsp.range.start
  client_of.request(client, "textDocument/hover", params, function(answer)
    local is_stale = vim.api.nvim_get_current_win() ~= win
      or vim.api.nvim_buf_get_changedtick(bufnr) ~= tick
      or vim.api.nvim_win_get_cursor(win)[1] - 1 ~= lnum
    if is_stale then
      return
    end
    local lines = answer and vim.lsp.util.convert_input_to_markdown_lines(answer.contents) or {}
    if #lines == 0 then
      vim.diagnostic.open_float({ bufnr = bufnr, scope = "line" })
    else
      require("ensemble.why").float(lines, "finding")
    end
  end)
  return true
end

return M
