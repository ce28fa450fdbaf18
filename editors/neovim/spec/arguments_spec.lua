local arguments = require("ensemble.arguments")
local commands = require("ensemble.commands")
local context = require("ensemble.context")
local why = require("ensemble.why")
local expect = dofile(vim.fs.joinpath(vim.fs.dirname(vim.uv.fs_realpath(arg[0])), "expect.lua"))

return {
  ["the instruction is the rest of the line as it was typed"] = function()
    expect.equal({ arguments.parse('  mind  the | bar, "quotes" and --mode=x ') }, {
      {},
      'mind  the | bar, "quotes" and --mode=x',
    })
  end,

  ["options come first"] = function()
    local options, instruction = arguments.parse("--mode=quick --usd=0.2 --panel=a,b sum it")
    expect.equal({ options, instruction }, { { mode = "quick", usd = 0.2, panel = { "a", "b" } }, "sum it" })
  end,

  ["two dashes end the options"] = function()
    expect.equal({ arguments.parse("-- --mode=quick is not meant") }, { {}, "--mode=quick is not meant" })
  end,

  ["an option that is unknown or cannot be read is named"] = function()
    expect.equal({ arguments.parse("--speed=9 x") }, { nil, "there is no option --speed" })
    expect.equal({ arguments.parse("--mode=slow x") }, { nil, "--mode=slow cannot be read" })
    expect.equal({ arguments.parse("--usd=much x") }, { nil, "--usd=much cannot be read" })
  end,

  ["limits become one budget"] = function()
    expect.equal(arguments.fields({ seconds = 30, calls = 4 }), { budget = { seconds = 30, calls = 4 } })
    expect.equal(arguments.fields({}), {})
  end,

  ["subcommands are completed"] = function()
    expect.equal(
      commands.complete("re", "Ensemble re"),
      { "refactor", "reject", "restore", "review", "rewrite" }
    )
  end,

  ["options and scopes are completed"] = function()
    expect.equal(
      commands.complete("--mode=", "Ensemble fix --mode="),
      { "--mode=quick", "--mode=panel", "--mode=debate" }
    )
    expect.equal(commands.complete("st", "'<,'>Ensemble review st"), { "staged" })
    expect.equal(commands.complete("w", "Ensemble dismiss w"), { "wrong", "wontfix" })
    expect.equal(commands.complete("", "Ensemble nonsense "), {})
  end,

  ["every form of a location is understood"] = function()
    local range = { start = { line = 1, character = 0 }, ["end"] = { line = 1, character = 3 } }
    local one = { uri = "file:///a", range = range }
    expect.equal(context.locations(one), { one })
    expect.equal(context.locations({ one }), { one })
    expect.equal(
      context.locations({ { targetUri = "file:///a", targetRange = range, targetSelectionRange = range } }),
      { one }
    )
    expect.equal(context.locations(vim.NIL), {})
    expect.equal(context.locations(nil), {})
  end,

  ["text of a model is text in Markdown"] = function()
    expect.equal(
      why.plain("see [this](command:x) <b>now</b>\n`code`"),
      "see \\[this\\](command:x) \\<b\\>now\\</b\\> \\`code\\`"
    )
  end,

  ["wrong options of setup are named"] = function()
    local ok, problem = pcall(require("ensemble.config").set, { opn = "auto" })
    expect.equal({ ok, problem }, { false, 'ensemble.setup: there is no option "opn"' })
    ok, problem = pcall(require("ensemble.config").set, { keys = { acept = "a" } })
    expect.equal({ ok, problem }, { false, 'ensemble.setup: there is no key for "acept"' })
    assert(not pcall(require("ensemble.config").set, { open = "sometimes" }))
  end,
}
