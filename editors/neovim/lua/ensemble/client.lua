--- Talking to the server: which client, one command with its answer, what went wrong in words.
local M = {}

---@param text string
---@param level? integer
function M.say(text, level)
  vim.notify("Ensemble: " .. text, level or vim.log.levels.INFO)
end

--- Return the client of a buffer, else any; nil without one.
---@param bufnr? integer
---@return vim.lsp.Client?
function M.get(bufnr)
  local clients = vim.lsp.get_clients({ name = "ensemble", bufnr = bufnr })
  if #clients == 0 and bufnr then
    clients = vim.lsp.get_clients({ name = "ensemble" })
  end
  return clients[1]
end

--- Return the client of a buffer and say what is wrong when there is none.
---@param bufnr integer
---@return vim.lsp.Client?
function M.need(bufnr)
  local client = vim.lsp.get_clients({ name = "ensemble", bufnr = bufnr })[1]
  if client then
    return client
  end
  if vim.bo[bufnr].buftype ~= "" then
    M.say("this buffer is no file", vim.log.levels.WARN)
  elseif vim.api.nvim_buf_get_name(bufnr) == "" then
    M.say("give the buffer a name first", vim.log.levels.WARN)
  else
    M.say(
      'the server does not run here: vim.lsp.enable("ensemble"), then :checkhealth ensemble',
      vim.log.levels.WARN
    )
  end
  return nil
end

---@param problem lsp.ResponseError
---@return string
function M.words(problem)
  local data = type(problem.data) == "table" and problem.data or {}
  local hint = type(data.hint) == "string" and data.hint ~= "" and (" (" .. data.hint .. ")") or ""
  return (problem.message or "the request failed") .. hint
end

--- Send a request and hand over its answer; an error is said, unless `on_error` takes it.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param done fun(answer: any)
---@param on_error? fun(problem: lsp.ResponseError)
function M.request(client, method, params, done, on_error)
  ---@diagnostic disable-next-line: param-type-mismatch
  local sent = client:request(method, params, function(problem, answer)
    if not problem then
      return done(answer)
    elseif on_error then
      return on_error(problem)
    end
    M.say(M.words(problem), vim.log.levels.ERROR)
  end)
  if not sent then
    M.say("the server has ended; it starts again with the next file you open", vim.log.levels.ERROR)
  end
end

--- Run a command of the server.
---@param client vim.lsp.Client
---@param name string without "ensemble."
---@param argument table
---@param done? fun(answer: any)
---@param on_error? fun(problem: lsp.ResponseError)
function M.command(client, name, argument, done, on_error)
  if next(argument) == nil then
    argument = vim.empty_dict()
  end
  M.request(client, "workspace/executeCommand", {
    command = "ensemble." .. name,
    arguments = { argument },
  }, done or function() end, on_error)
end

return M
