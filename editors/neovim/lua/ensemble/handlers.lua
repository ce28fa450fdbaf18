--- What the server sends to the client: its notifications and its requests.
local M = {}

--- Wait, inside the coroutine that vim.lsp runs each request of a server in, for what a callback brings.
---@param start fun(done: fun(value: any))
---@return any
local function await(start)
  local thread, is_main = coroutine.running()
  assert(thread and not is_main, "requests of the server are answered in a coroutine")
  local answer, arrived, waits = nil, false, false
  start(function(value)
    if arrived then
      return
    end
    answer, arrived = value, true
    if waits then
      coroutine.resume(thread)
    end
  end)
  if not arrived then
    waits = true
    coroutine.yield()
  end
  return answer
end

---@type lsp.Handler
function M.event(_, event, ctx)
  require("ensemble.jobs").take(event, ctx.client_id)
end

---@type lsp.Handler
function M.proposal(_, payload, ctx)
  require("ensemble.proposals").receive(payload, ctx.client_id)
end

---@type lsp.Handler
function M.context(_, params, ctx)
  local answer = await(function(done)
    require("ensemble.context").answer(params, ctx.client_id, done)
  end)
  return answer
end

---@type lsp.Handler
function M.input(_, params)
  local text = await(function(done)
    require("ensemble.ask").input(params.title, done)
  end)
  return { text = text or vim.NIL }
end

---@type lsp.Handler
function M.question(_, params)
  local titles = vim.tbl_map(function(action)
    return action.title
  end, params.actions or {})
  local title = await(function(done)
    require("ensemble.ask").choose(params.message, titles, done)
  end)
  return title and { title = title } or vim.NIL
end

---@type lsp.Handler
function M.apply_edit(_, params, ctx)
  local client = assert(vim.lsp.get_client_by_id(ctx.client_id))
  return require("ensemble.apply").edit(
    params.edit,
    client.offset_encoding,
    require("ensemble.proposals").fits
  )
end

---@type lsp.Handler
function M.show_document(_, params, ctx)
  return require("ensemble.documents").show_document(params, ctx)
end

---@type lsp.Handler
function M.configuration(problem, params, ctx)
  return require("ensemble.attach").configuration(problem, params, ctx)
end

---@type lsp.Handler
function M.document_changed(_, params)
  require("ensemble.documents").refresh(params.uri)
  return vim.NIL
end

return M
