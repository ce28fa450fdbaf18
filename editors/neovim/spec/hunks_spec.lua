local hunks = require("ensemble.hunks")
local expect = dofile(vim.fs.joinpath(vim.fs.dirname(vim.uv.fs_realpath(arg[0])), "expect.lua"))

local function hunk(id, start, old, new, conflict)
  return {
    id = id,
    oldStart = start,
    oldLines = old,
    newLines = new,
    conflict = conflict or false,
    why = "",
    evidence = {},
  }
end

local first = hunk("first", 1, { "b\n" }, { "B\n", "B2\n" })
local second = hunk("second", 3, { "d\n" }, {})
local LINES = { "a\n", "b\n", "c\n", "d\n", "e\n" }

local proposal = {
  files = {
    { uri = "file:///one", kind = "change", conflict = "", hunks = { first, second } },
    { uri = "file:///two", kind = "create", conflict = "", hunks = { hunk("third", 0, {}, { "x\n" }) } },
  },
  candidates = { { id = "1", families = { "a", "b" }, chosen = true } },
  status = "verified",
  weak = false,
}

return {
  ["hunks are applied from the first to the last"] = function()
    expect.equal(hunks.applied(LINES, { first, second }), { "a\n", "B\n", "B2\n", "c\n", "e\n" })
  end,

  ["a conflict is passed over"] = function()
    local clash = hunk("clash", 1, { "b\n" }, { "X\n" }, true)
    expect.equal(hunks.applied(LINES, { clash, second }), { "a\n", "b\n", "c\n", "e\n" })
  end,

  ["an insertion at the end of a text"] = function()
    expect.equal(hunks.applied({ "a\n" }, { hunk("end", 1, {}, { "b\n" }) }), { "a\n", "b\n" })
  end,

  ["hunks fit only the lines that they speak of"] = function()
    expect.equal(hunks.fits(LINES, { first, second }), true)
    expect.equal(hunks.fits({ "a\n", "other\n" }, { first }), false)
    expect.equal(hunks.fits({ "a\n" }, { first }), false)
  end,

  ["places in the new text are behind what came before"] = function()
    local places = hunks.places_after({ first, second })
    expect.equal({ places[1].start, places[1].count, places[2].start, places[2].count }, { 1, 2, 4, 0 })
  end,

  ["a conflict takes its own lines' room in the new text"] = function()
    local clash = hunk("clash", 1, { "b\n" }, { "X\n", "Y\n" }, true)
    local places = hunks.places_after({ clash, second })
    expect.equal({ places[1].count, places[2].start }, { 1, 3 })
  end,

  ["the hunk at a line is the one around it, else the nearest"] = function()
    local places = hunks.places_after({ first, second })
    local function at(line)
      local found, inside = hunks.at(places, line)
      return { found.id, inside }
    end
    expect.equal(at(2), { "first", true })
    expect.equal(at(0), { "first", false })
    expect.equal(at(4), { "second", true })
    expect.equal(hunks.at({}, 0), nil)
  end,

  ["next and previous go round over the files"] = function()
    local function neighbour(id, step)
      return hunks.neighbour(proposal, id, step).hunk.id
    end
    expect.equal(neighbour("first", 1), "second")
    expect.equal(neighbour("second", 1), "third")
    expect.equal(neighbour("third", 1), "first")
    expect.equal(neighbour("first", -1), "third")
    expect.equal(neighbour("gone", 1), "first")
    expect.equal(hunks.neighbour({ files = {} }, "first", 1), nil)
  end,

  ["hunks touch lines that they share, an insertion its place"] = function()
    local file = proposal.files[1]
    expect.equal(hunks.touching(file, 0, 1), { "first" })
    expect.equal(hunks.touching(file, 2, 2), {})
    expect.equal(hunks.touching(file, 0, 9), { "first", "second" })
    expect.equal(hunks.touching({ hunks = { hunk("in", 2, {}, { "x\n" }) } }, 2, 2), { "in" })
  end,

  ["a line for the screen has neither an ending nor control characters that break it"] = function()
    expect.equal(hunks.bare("a\r\n"), "a")
    expect.equal(hunks.bare("a\rb\n"), "a b")
  end,

  ["the headline says how many stand behind it and what was run"] = function()
    local function headline(fields)
      return hunks.headline(vim.tbl_extend("force", proposal, fields))
    end
    expect.equal(headline({}), "2 families, tests pass")
    expect.equal(headline({ weak = true }), "2 families, tests pass, but they would miss most changes here")
    expect.equal(headline({ status = "agreed" }), "2 families agree, nothing was executed")
    local one = { { id = "1", families = { "a" }, chosen = true } }
    expect.equal(headline({ status = "unverified", candidates = one }), "one family, unverified")
  end,
}
