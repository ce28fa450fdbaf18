--- What specs compare with: raises an error that shows both sides.
local M = {}

---@param actual any
---@param expected any
function M.equal(actual, expected)
  if not vim.deep_equal(actual, expected) then
    error(("expected %s\n     got %s"):format(vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

return M
