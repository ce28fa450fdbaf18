-- Runs every spec of this folder: `nvim --clean -l editors/neovim/spec/run.lua`. Ends with 1 when one fails.
-- A spec is a file that returns a table of test name → function; a test fails when it raises an error.

local here = vim.fs.dirname(vim.uv.fs_realpath(arg[0]))
vim.opt.runtimepath:prepend(vim.fs.dirname(here))

local failed, passed = 0, 0
for name in vim.fs.dir(here) do
  local module = name:match("^(.*_spec)%.lua$")
  if module then
    local tests = dofile(vim.fs.joinpath(here, name))
    local names = vim.tbl_keys(tests)
    table.sort(names)
    for _, test in ipairs(names) do
      local ok, problem = xpcall(tests[test], debug.traceback)
      passed = passed + (ok and 1 or 0)
      if not ok then
        failed = failed + 1
        io.stderr:write(("FAILED %s: %s\n%s\n"):format(module, test, problem))
      end
    end
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed > 0 and 1 or 0)
