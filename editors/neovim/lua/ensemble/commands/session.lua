--- Subcommands about what is going on and who takes part.
local client_of = require("ensemble.client")

---@type table<string, ensemble.Subcommand>
local subcommands = {}

subcommands.watch = {
  words = function()
    return vim.tbl_map(function(each)
      return each.id
    end, require("ensemble.jobs").list())
  end,
  run = function(call)
    require("ensemble.watch").open(call.rest ~= "" and call.rest or nil)
  end,
}

subcommands.panel = {
  run = function(call)
    local client = client_of.get(call.bufnr)
    if client then
      require("ensemble.lists").panel(client)
    else
      client_of.need(call.bufnr)
    end
  end,
}

subcommands.jobs = {
  run = function(call)
    local client = client_of.get(call.bufnr)
    if client then
      require("ensemble.lists").jobs(client)
    else
      client_of.need(call.bufnr)
    end
  end,
}

subcommands["local"] = {
  words = function()
    return { "on", "off" }
  end,
  run = function(call)
    local client = client_of.need(call.bufnr)
    if not client then
      return
    end
    local settings = vim.deepcopy(client.settings or {})
    local ours = settings.ensemble or {}
    local on = not ours["local"]
    if call.rest ~= "" then
      on = call.rest == "on"
    end
    ours["local"] = on
    settings.ensemble = ours
    client.settings = settings
    client:notify("workspace/didChangeConfiguration", { settings = settings })
    client_of.say(
      on and "only models on this machine from now on" or "models elsewhere may sit on the panel again"
    )
  end,
}

subcommands.trust = {
  words = function()
    return { "allow", "deny", "remove" }
  end,
  run = function(call)
    local client = client_of.need(call.bufnr)
    local root = client and client.root_dir
    if not client then
      return
    elseif not root then
      return client_of.say(
        "this file belongs to no folder with an ensemble.toml or a .git",
        vim.log.levels.WARN
      )
    end
    local trust = require("ensemble.trust")
    if call.rest == "" then
      trust.ask(client, root)
    elseif vim.list_contains({ "allow", "deny", "remove" }, call.rest) then
      trust.report(trust.decide(client, root, call.rest))
    else
      client_of.say("allow, deny or remove", vim.log.levels.ERROR)
    end
  end,
}

return subcommands
