--- The keys of a review's buffers.
local client_of = require("ensemble.client")
local documents = require("ensemble.documents")
local proposals = require("ensemble.proposals")

local M = {}

--- Leave the review for the file itself, at the line of the hunk.
---@param shown ensemble.Review
local function edit(shown)
  local review = require("ensemble.review")
  local hunk, number = review.current(shown), review.file_number(shown)
  local file = number and shown.kept.view.files[number]
  if not file then
    return
  elseif file.kind == "create" then
    return client_of.say("the file does not exist yet", vim.log.levels.WARN)
  end
  if vim.api.nvim_tabpage_is_valid(shown.origin) then
    vim.api.nvim_set_current_tabpage(shown.origin)
  else
    vim.cmd.tabnew()
  end
  local start = { line = hunk and hunk.oldStart or 0, character = 0 }
  local location = { uri = file.uri, range = { start = start, ["end"] = start } }
  vim.lsp.util.show_document(location, "utf-8", { focus = true })
end

---@param shown ensemble.Review
local function to_the_list(shown)
  if shown.wins.files and vim.api.nvim_win_is_valid(shown.wins.files) then
    vim.api.nvim_set_current_win(shown.wins.files)
  end
end

--- Action → what it does, in words and as a function of the review.
---@return table<string, { words: string, run: fun(shown: ensemble.Review) }>
local function actions()
  local review = require("ensemble.review")
  return {
    accept = { words = "accept this hunk", run = review.accept },
    reject = { words = "reject this hunk", run = review.reject },
    accept_all = {
      words = "accept everything",
      run = function(shown)
        proposals.accept(shown.kept)
      end,
    },
    reject_all = {
      words = "reject everything",
      run = function(shown)
        proposals.reject(shown.kept)
      end,
    },
    next = {
      words = "next hunk",
      run = function(shown)
        review.go(shown, 1)
      end,
    },
    previous = {
      words = "previous hunk",
      run = function(shown)
        review.go(shown, -1)
      end,
    },
    why = { words = "why this hunk", run = review.why },
    candidates = { words = "other candidates", run = review.candidates },
    quickfix = {
      words = "hunks in the quickfix list",
      run = function(shown)
        review.quickfix(shown.kept)
        vim.cmd("botright copen")
      end,
    },
    files = { words = "go to the list of files", run = to_the_list },
    edit = { words = "go to the file itself", run = edit },
    close = { words = "close the review", run = review.close },
  }
end

--- Map the keys in all buffers of a review.
---@param shown ensemble.Review
function M.map(shown)
  for side, bufnr in pairs(shown.bufs) do
    for name, action in pairs(actions()) do
      if side ~= "files" or name ~= "edit" then
        documents.key(bufnr, name, action.words, function()
          action.run(shown)
        end)
      end
    end
  end
  if shown.bufs.files then
    documents.key(shown.bufs.files, "edit", "show this file", function()
      require("ensemble.review").go_to_file(shown, vim.api.nvim_win_get_cursor(0)[1])
      vim.api.nvim_set_current_win(shown.wins.right)
    end)
  end
end

return M
