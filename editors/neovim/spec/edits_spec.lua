local edits = require("ensemble.edits")
local expect = dofile(vim.fs.joinpath(vim.fs.dirname(vim.uv.fs_realpath(arg[0])), "expect.lua"))

local function edit(from, to, text)
  return {
    range = {
      start = { line = from[1], character = from[2] },
      ["end"] = { line = to[1], character = to[2] },
    },
    newText = text,
  }
end

return {
  ["lines end at LF, CRLF and CR, and nowhere else"] = function()
    expect.equal(edits.line_starts("a\nb\r\nc\rd\226\128\168e\12f"), { 0, 2, 5, 7 })
  end,

  ["a text that ends with a newline has an empty last line"] = function()
    expect.equal(edits.line_starts("a\n"), { 0, 2 })
  end,

  ["whole lines are replaced"] = function()
    expect.equal(edits.apply("a\nb\nc\n", { edit({ 1, 0 }, { 2, 0 }, "B\nB2\n") }, "utf-8"), "a\nB\nB2\nc\n")
  end,

  ["edits speak of the text before all of them, in whatever order they come"] = function()
    local both = { edit({ 2, 0 }, { 3, 0 }, ""), edit({ 0, 0 }, { 0, 0 }, "new\n") }
    expect.equal(edits.apply("a\nb\nc\n", both, "utf-8"), "new\na\nb\n")
  end,

  ["two insertions at one place keep their order"] = function()
    local both = { edit({ 0, 0 }, { 0, 0 }, "1\n"), edit({ 0, 0 }, { 0, 0 }, "2\n") }
    expect.equal(edits.apply("a\n", both, "utf-8"), "1\n2\na\n")
  end,

  ["overlapping edits are refused"] = function()
    local text, problem =
      edits.apply("a\nb\nc\n", { edit({ 0, 0 }, { 2, 0 }, ""), edit({ 1, 0 }, { 3, 0 }, "") }, "utf-8")
    expect.equal({ text, problem }, { nil, "two edits overlap" })
  end,

  ["an edit that ends before it starts is refused"] = function()
    local _, problem = edits.apply("abc\n", { edit({ 0, 2 }, { 0, 1 }, "") }, "utf-8")
    expect.equal(problem, "an edit ends before it starts")
  end,

  ["characters are counted in the client's encoding"] = function()
    local text = "🎈x = 1\n"
    expect.equal(edits.apply(text, { edit({ 0, 2 }, { 0, 3 }, "y") }, "utf-16"), "🎈y = 1\n")
    expect.equal(edits.apply(text, { edit({ 0, 4 }, { 0, 5 }, "y") }, "utf-8"), "🎈y = 1\n")
    expect.equal(edits.apply(text, { edit({ 0, 1 }, { 0, 2 }, "y") }, "utf-32"), "🎈y = 1\n")
  end,

  ["a position behind the last line is the text's end"] = function()
    expect.equal(edits.apply("a", { edit({ 1, 0 }, { 1, 0 }, "\nb") }, "utf-8"), "a\nb")
  end,

  ["a position behind its line is the line's end"] = function()
    expect.equal(edits.apply("ab\r\nc\r\n", { edit({ 0, 99 }, { 0, 99 }, "!") }, "utf-8"), "ab!\r\nc\r\n")
  end,

  ["lines of a buffer and back are the same text"] = function()
    for _, case in ipairs({
      { "a\nb\n", "\n" },
      { "a\nb", "\n" },
      { "a\r\nb\r\n", "\r\n" },
      { "\n\n", "\n" },
      { "a\rb\r", "\r" },
    }) do
      local lines, ended = edits.to_lines(case[1], case[2])
      expect.equal(edits.to_text(lines, case[2], ended), case[1])
    end
  end,

  ["a line feed of its own cannot stand in a file of format dos"] = function()
    expect.equal(edits.to_lines("a\r\nb\nc\r\n", "\r\n"), nil)
  end,

  ["a zero byte cannot be told from a line feed in a buffer"] = function()
    expect.equal(edits.to_lines("a\0b\n", "\n"), nil)
  end,

  ["lines keep their endings when a text is split"] = function()
    expect.equal(edits.split("a\r\nb\n\rc"), { "a\r\n", "b\n", "\r", "c" })
    expect.equal(edits.split(""), {})
  end,

  ["what two lines have in common ends between characters"] = function()
    expect.equal({ edits.common("x = é", "x = è") }, { 4, 0 })
    expect.equal({ edits.common("total = a", "total = ab") }, { 9, 0 })
    expect.equal({ edits.common("aXb", "aYb") }, { 1, 1 })
    expect.equal({ edits.common("aa", "aaa") }, { 2, 0 })
    expect.equal({ edits.common("", "a") }, { 0, 0 })
  end,

  ["the middle of a line is all that changes"] = function()
    for _, case in ipairs({
      { "aé", "aè" },
      { "éa", "èa" },
      { "日本", "日木" },
      { "aa", "aaaa" },
      { "abc", "" },
    }) do
      local old, new = case[1], case[2]
      local before, behind = edits.common(old, new)
      local middle = new:sub(before + 1, #new - behind)
      expect.equal(old:sub(1, before) .. middle .. old:sub(#old - behind + 1), new)
      if before < #new then
        expect.equal(vim.str_utf_start(new, before + 1), 0)
      end
    end
  end,
}
