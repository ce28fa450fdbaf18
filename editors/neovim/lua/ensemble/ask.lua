--- Questions to the person, one at a time, and never into the middle of typing.
local M = {}

local waiting = {} ---@type fun(next: fun())[]
local asking = false

--- Whether a prompt would not swallow what is being typed.
---@return boolean
local function is_free()
  local mode = vim.api.nvim_get_mode()
  return mode.mode == "n" and not mode.blocking and vim.fn.getcmdwintype() == ""
end

local go_on

local function when_free()
  if is_free() then
    return go_on()
  end
  vim.api.nvim_create_autocmd("ModeChanged", {
    pattern = "*:n",
    once = true,
    callback = function()
      -- The mode is changing only now; a mapping may go on into another one.
      vim.schedule(when_free)
    end,
  })
end

go_on = function()
  local ask = table.remove(waiting, 1)
  if not ask then
    asking = false
    return
  end
  ask(function()
    vim.schedule(when_free)
  end)
end

---@param ask fun(next: fun()) calls `next` when it is answered
---@param hint string said when the person is busy
local function queue(ask, hint)
  waiting[#waiting + 1] = ask
  if not is_free() then
    vim.notify("Ensemble: " .. hint .. " (asked when you are back in Normal mode)")
  end
  if not asking then
    asking = true
    when_free()
  end
end

--- Ask for one of several answers with `vim.ui.select`; `done` hears the answer, or nil.
---@param prompt string
---@param titles string[]
---@param done fun(title: string?)
function M.choose(prompt, titles, done)
  queue(function(go)
    vim.ui.select(titles, { prompt = prompt, kind = "ensemble" }, function(title)
      done(title)
      go()
    end)
  end, prompt)
end

--- Ask for a line of text with `vim.ui.input`; `done` hears it, or nil.
---@param prompt string
---@param done fun(text: string?)
function M.input(prompt, done)
  queue(function(go)
    vim.ui.input({ prompt = prompt .. ": " }, function(text)
      done(text)
      go()
    end)
  end, prompt)
end

return M
