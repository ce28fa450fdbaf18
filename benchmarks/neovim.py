"""What the Neovim plugin costs: start-up, the live lanes, opening a proposal of forty files.

    python -m benchmarks.neovim [--seconds 5] [--json]

Everything runs in a real Neovim with a screen attached (160 × 50), so that redrawing is paid for. Milliseconds.
`require` and the plugin's file are medians of 30 loads in one Neovim, with the file's bytecode not kept anywhere.
The lanes get what the server sends of fifteen members at 100 tokens a second each: one event a member every 50 ms with
five tokens; each callback of the plugin (a handled event, a redraw of the lanes) is timed by itself.
"""

import argparse
import json
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

PLUGIN = Path(__file__).resolve().parents[1] / "editors" / "neovim"

NVIM = shutil.which("nvim", path=f"{Path(sys.executable).parent}") or shutil.which("nvim")

START = """
local plugin = ...
vim.opt.runtimepath:prepend(plugin)
local function median(run)
  local times = {}
  for at = 1, 30 do
    local began = vim.uv.hrtime()
    run()
    times[at] = (vim.uv.hrtime() - began) / 1e6
  end
  table.sort(times)
  return times[15]
end
return {
  require_ms = median(function()
    package.loaded["ensemble"] = nil
    require("ensemble")
  end),
  setup_ms = median(function()
    package.loaded["ensemble"], package.loaded["ensemble.config"] = nil, nil
    require("ensemble").setup({ enable = false, cmd = { "ensemble-lsp", "serve" } })
  end),
  plugin_file_ms = median(function()
    vim.g.loaded_ensemble = nil
    vim.cmd.source(plugin .. "/plugin/ensemble.lua")
  end),
}
"""

LANES = """
local seconds, members = ...
_G.spans = {}
local function timed(run)
  return function(...)
    local began = vim.uv.hrtime()
    local results = { run(...) }
    table.insert(_G.spans, (vim.uv.hrtime() - began) / 1e6)
    return unpack(results)
  end
end
-- The plugin's own timers schedule what they do: wrapped here, each is timed.
local wrap = vim.schedule_wrap
package.loaded["ensemble.watch"] = nil
vim.schedule_wrap = function(run)
  return wrap(timed(run))
end
local watch = require("ensemble.watch")
local handler = timed(require("ensemble.handlers").event)
local seq = 0
local function send(event)
  event.job, event.seq, event.time = "bench", seq, os.time()
  seq = seq + 1
  handler(nil, event, { client_id = 1 })
end
local panel = {}
for number = 1, members do
  panel[number] = { member = "member-" .. number, family = "family-" .. number, model = "m", ["local"] = false }
end
send({ kind = "started", action = "debate", uri = "file:///cart.py", mode = "debate", panel = panel, notes = {},
  estimate = { callsExpected = 30, callsBound = 31, usdExpected = 0.1, usdBound = 0.4 } })
watch.open()
send({ kind = "phase", phase = "draft", round = 0, note = "" })
for _, seat in ipairs(panel) do
  send({ kind = "memberStarted", member = seat.member, family = seat.family, purpose = "draft" })
end
local rounds, total = 0, seconds * 20
local timer = vim.uv.new_timer()
timer:start(50, 50, function()
  rounds = rounds + 1
  local round = rounds
  for number, seat in ipairs(panel) do
    -- As the client does it: each message in a callback of its own.
    vim.schedule(function()
      send({ kind = "memberDelta", member = seat.member, tokensPerSecond = 100,
        text = ("round %d of %d says naïve "):format(round, number) .. (round % 4 == 0 and "\\n" or "") })
    end)
  end
  if rounds == total then
    timer:stop()
    vim.schedule(function()
      send({ kind = "finished", status = "done", reason = "over", seconds = seconds,
        spend = { calls = 15, tokensIn = 1, tokensOut = 1, usd = 0 } })
      _G.bench_over = true
    end)
  end
end)
"""

SPANS = """
table.sort(_G.spans)
local spans = _G.spans
return { callbacks = #spans, median_ms = spans[math.ceil(#spans / 2)],
  p99_ms = spans[math.ceil(#spans * 0.99)], longest_ms = spans[#spans] }
"""

PROPOSAL = """
local folder, count = ...
require("ensemble.config").options.open = "never"
local files = {}
for number = 1, count do
  local path = ("%s/order_%02d.py"):format(folder, number)
  local lines = {}
  for line = 1, 300 do
    lines[line] = ("value_%d = %d"):format(line, line)
  end
  vim.fn.writefile(lines, path)
  files[number] = { uri = vim.uri_from_fname(path), version = nil, kind = "change", conflict = "", hunks = {} }
  for hunk = 1, 3 do
    local at = hunk * 50
    files[number].hunks[hunk] = { id = ("%d-%d"):format(number, hunk), oldStart = at, conflict = false, why = "",
      oldLines = { lines[at + 1] .. "\\n" }, newLines = { "changed = True\\n", "twice = True\\n" }, evidence = {} }
  end
end
vim.cmd.edit(folder .. "/order_01.py")
local times = {}
for at = 1, 7 do
  local id = "proposal-" .. at
  require("ensemble.proposals").receive({
    proposal = id, revision = 0, job = "bench", title = "Rename it everywhere", status = "agreed", weak = false,
    candidate = "c", files = files, dissent = {}, wouldSettle = "",
    candidates = { { id = "c", members = { "a" }, families = { "a" }, checks = {}, cost = 0, changedLines = 240,
      chosen = true, rejected = "" } },
    spend = { calls = 1, tokensIn = 1, tokensOut = 1, usd = 0 },
  }, 1)
  local review = require("ensemble.review")
  local began = vim.uv.hrtime()
  review.open(require("ensemble.proposals").get(id))
  vim.cmd.redraw()
  times[at] = (vim.uv.hrtime() - began) / 1e6
  assert(#review.here().places == 3 and #vim.api.nvim_buf_get_lines(review.here().bufs.files, 0, -1, false) == count)
  review.close(review.here())
end
table.sort(times)
return { files = count, open_ms_median = times[4], open_ms_longest = times[7] }
"""


def measure(seconds: int, folder: Path) -> dict[str, object]:
    """Return all figures; files are written below `folder`."""
    import pynvim

    argv = [str(NVIM), "--embed", "--clean", "-n", "-i", "NONE"]
    nvim: Any = pynvim.attach("child", argv=argv)
    try:
        nvim.ui_attach(160, 50, rgb=True)
        figures: dict[str, object] = {"start": nvim.exec_lua(START, str(PLUGIN))}
        figures["forty_files"] = nvim.exec_lua(PROPOSAL, str(folder), 40)
        nvim.exec_lua(LANES, seconds, 15)
        waited = f"return vim.wait({(seconds + 60) * 1000}, function() return _G.bench_over end, 5)"
        assert nvim.exec_lua(waited)
        figures["lanes"] = nvim.exec_lua(SPANS)
        return figures
    finally:
        with suppress(EOFError, OSError):
            nvim.command("qa!")
        nvim.close()


def main() -> None:
    """Measure and print."""
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=int, default=5, help="how long the lanes stream")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(options.seconds, Path(folder))
    if options.json:
        print(json.dumps(figures))
        return
    for name, values in figures.items():
        print(name, json.dumps(values))


if __name__ == "__main__":
    main()
