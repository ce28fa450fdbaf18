local job_events = require("ensemble.job_events")
local lanes = require("ensemble.lanes")
local protocol = require("ensemble.protocol")
local expect = dofile(vim.fs.joinpath(vim.fs.dirname(vim.uv.fs_realpath(arg[0])), "expect.lua"))

local SPEND = { calls = 2, tokensIn = 1000, tokensOut = 100, usd = 0.0042 }

local EVENTS = {
  {
    kind = "started",
    time = 1,
    action = "fix",
    uri = "file:///cart.py",
    mode = "panel",
    panel = { { member = "alpha", family = "a" }, { member = "beta", family = "b" } },
    estimate = { callsExpected = 4, callsBound = 8, usdExpected = 0, usdBound = 0 },
    notes = { "one family only" },
  },
  { kind = "phase", phase = "draft", round = 0, note = "" },
  { kind = "memberStarted", member = "alpha", family = "a", purpose = "draft" },
  { kind = "memberDelta", member = "alpha", text = "The loop ", tokensPerSecond = 80 },
  { kind = "memberDelta", member = "alpha", text = "forgets." },
}

local FINISH = {
  kind = "memberFinished",
  member = "alpha",
  purpose = "draft",
  spend = SPEND,
  seconds = 1.5,
  cached = false,
  cancelled = false,
}

local function job(events)
  local made = job_events.new("1", 1)
  for _, event in ipairs(events) do
    job_events.reduce(made, event)
  end
  return made
end

local function with(...)
  return vim.list_extend(vim.list_extend({}, EVENTS), { ... })
end

return {
  ["every kind of event is understood, and no other is claimed"] = function()
    expect.equal(job_events.kinds(), protocol.events)
  end,

  ["lanes are in the order of the panel"] = function()
    local made = job(EVENTS)
    expect.equal({ made.lanes[1].member, made.lanes[2].member }, { "alpha", "beta" })
  end,

  ["what a member says is joined"] = function()
    expect.equal(job_events.text_of(job(EVENTS).lanes[1]), "The loop forgets.")
  end,

  ["of a long text the end is kept, from a whole character on"] = function()
    local events = with()
    for _ = 1, 3000 do
      events[#events + 1] = { kind = "memberDelta", member = "alpha", text = "日本語 " }
    end
    local text = job_events.text_of(job(events).lanes[1])
    assert(#text <= job_events.LANE_BYTES and #text > job_events.LANE_BYTES - 8, #text)
    expect.equal(vim.str_utf_start(text, 1), 0)
    assert(text:byte(1) < 0x80 or text:byte(1) >= 0xC0)
  end,

  ["a second call of a member stands below its first"] = function()
    local made =
      job(with(FINISH, { kind = "memberStarted", member = "alpha", family = "a", purpose = "critique" }, {
        kind = "memberDelta",
        member = "alpha",
        text = "NO FAULT",
      }))
    expect.equal(job_events.text_of(made.lanes[1]), "The loop forgets.\n\nNO FAULT")
  end,

  ["a summary says phase, who is done, tokens and money"] = function()
    local made =
      job(with(FINISH, { kind = "memberStarted", member = "beta", family = "b", purpose = "draft" }, {
        kind = "spend",
        spend = SPEND,
      }))
    expect.equal(job_events.summary(made), "fix draft 1/2 · 1.1k tokens · $0.004")
  end,

  ["the end stops every lane that still speaks"] = function()
    local made =
      job(with({ kind = "finished", status = "cancelled", reason = "you", spend = SPEND, seconds = 3 }))
    expect.equal({ made.status, made.lanes[1].state }, { "cancelled", "cancelled" })
  end,

  ["a critique says who went at whom and what came of it"] = function()
    local made = job(with({
      kind = "critique",
      from = "beta",
      about = "c1",
      against = { "alpha" },
      claim = "fails for []",
      evidence = "IndexError",
      broke = true,
    }))
    local line = made.log[#made.log]
    expect.equal(
      { line.text, line.tone },
      { "beta → alpha: fails for [] (broke it) — IndexError", "bad" }
    )
  end,

  ["a position that moved without evidence says so"] = function()
    local made = job(
      with({ kind = "position", member = "alpha", stance = "keep it", round = 1, moved = true, because = "" })
    )
    expect.equal(made.log[#made.log].text, "alpha: moved without evidence keep it")
  end,

  ["an unknown kind changes nothing"] = function()
    local made = job(EVENTS)
    local before = made.drawn
    job_events.reduce(made, { kind = "somethingNew" })
    expect.equal(made.drawn, before)
  end,

  ["the log is bounded"] = function()
    local events = with()
    for number = 1, job_events.LOG_LINES + 50 do
      events[#events + 1] = { kind = "phase", phase = "check", round = number, note = "" }
    end
    expect.equal(#job(events).log, job_events.LOG_LINES)
  end,

  ["a live view fits its window"] = function()
    local made = job(EVENTS)
    for _, size in ipairs({ { 120, 30 }, { 40, 12 }, { 200, 60 } }) do
      local lines = lanes.compose(made, size[1], size[2])
      assert(#lines <= size[2], ("%d lines in %d"):format(#lines, size[2]))
      for _, line in ipairs(lines) do
        assert(vim.fn.strdisplaywidth(line) <= size[1], line)
      end
    end
  end,

  ["fifteen lanes fit, wide characters and all"] = function()
    local events = { vim.deepcopy(EVENTS[1]) }
    events[1].panel = {}
    for number = 1, 15 do
      events[1].panel[number] = { member = "member" .. number, family = "f" }
      events[#events + 1] = {
        kind = "memberDelta",
        member = "member" .. number,
        text = ("漢字かな "):rep(100) .. "\27[31m\tend",
      }
    end
    local lines, marks = lanes.compose(job(events), 120, 40)
    assert(#lines <= 42, #lines)
    for _, mark in ipairs(marks) do
      assert(mark.to <= #lines[mark.line + 1], vim.inspect(mark))
    end
    for _, line in ipairs(lines) do
      assert(not line:find("[%z\1-\31]"), line)
      assert(vim.fn.strdisplaywidth(line) <= 120, line)
    end
  end,

  ["the last lines of a wrapped text"] = function()
    expect.equal(lanes.tail("one two three", 4, 2), { "thre", "e" })
    expect.equal(lanes.tail("a\nb\nc\n\n", 10, 2), { "b", "c" })
    expect.equal(lanes.tail("", 10, 2), {})
  end,

  ["padding fills exactly"] = function()
    expect.equal(lanes.padded("漢字", 5), "漢字 ")
    expect.equal(lanes.padded("漢字", 3), "漢 ")
    expect.equal(lanes.padded("abcdef", 3), "abc")
  end,
}
