--- The text of a proposal's file as it is now: from its buffer, else from the server, which reads the file.
local client_of = require("ensemble.client")
local edits = require("ensemble.edits")
local hunks = require("ensemble.hunks")
local proposals = require("ensemble.proposals")

local M = {}

--- Return the lines (with endings) of a loaded buffer, or nil.
---@param uri string
---@return string[]?
local function of_buffer(uri)
  local bufnr = require("ensemble.apply").buffer_of(vim.uri_to_fname(uri))
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) then
    return nil
  end
  local newline = edits.NEWLINES[vim.bo[bufnr].fileformat]
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  return edits.split(edits.to_text(lines, newline, vim.bo[bufnr].eol))
end

--- Ask for the proposal as it stands: the text on the disk is not the one that its hunks speak of.
---@param client vim.lsp.Client
---@param kept ensemble.Kept
local function look_again(client, kept)
  client_of.request(
    client,
    "ensemble/candidate",
    { proposal = kept.id, candidate = kept.view.candidate },
    function(view)
      if view.candidate == kept.view.candidate and not vim.deep_equal(view.files, kept.view.files) then
        proposals.receive(
          vim.tbl_extend("force", view, { revision = math.max(view.revision, kept.payload.revision) }),
          kept.client
        )
      end
    end
  )
end

--- Hand over the lines before the hunks of a file. Where the text moved on nothing is: a new revision is on its way.
---@param kept ensemble.Kept
---@param file ensemble.File
---@param done fun(lines: string[])
function M.load(kept, file, done)
  if file.kind == "create" then
    return done({})
  elseif file.kind == "delete" then
    return done(file.hunks[1] and file.hunks[1].oldLines or {})
  end
  local lines = of_buffer(file.uri)
  if lines then
    if hunks.fits(lines, file.hunks) then
      done(lines)
    end
    return
  end
  local client = vim.lsp.get_client_by_id(kept.client)
  if not client then
    return
  end
  local asked = { proposal = kept.id, uri = file.uri, hunks = {}, candidate = kept.candidate }
  client_of.request(client, "ensemble/proposalText", asked, function(answer)
    local now = edits.split(answer.text)
    if hunks.fits(now, file.hunks) then
      done(now)
    else
      look_again(client, kept)
    end
  end)
end

return M
