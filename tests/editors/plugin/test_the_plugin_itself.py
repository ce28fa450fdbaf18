"""What the plugin is made of: specs, help, the mirror of the messages, start-up, health. No server is started."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ensemble_lsp.lsp.schema import schema
from tests.editors.plugin.stage import NVIM, PLUGIN, REPOSITORY, environment_for

LUA = sorted(path for path in PLUGIN.rglob("*.lua") if "node_modules" not in path.parts)


def nvim(*arguments: str, home: Path, code: str = "") -> str:
    """Run a Neovim until it quits and return what it printed."""
    if code:
        (home / "code.lua").write_text(code, encoding="utf-8")
        arguments = (*arguments, "-l", str(home / "code.lua"))
    done = subprocess.run(
        [str(NVIM), "--clean", "--headless", "-n", "-i", "NONE", *arguments],
        capture_output=True,
        text=True,
        env=environment_for(home),
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_specs_pass(tmp_path: Path) -> None:
    told = nvim("-l", str(PLUGIN / "spec" / "run.lua"), home=tmp_path)
    passed = re.search(r"(\d+) passed, 0 failed", told)
    assert passed is not None
    assert int(passed[1]) > 40


def test_the_types_of_the_messages_are_those_of_the_server() -> None:
    script = PLUGIN / "scripts" / "protocol_types.py"
    done = subprocess.run([sys.executable, str(script), "--check"], check=False, timeout=60)
    assert done.returncode == 0, f"run {script.relative_to(REPOSITORY)}"


def test_every_command_of_the_server_is_used() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in LUA if path.name != "protocol.lua")
    for name in schema()["commands"]:
        short = name.removeprefix("ensemble.")
        assert re.search(rf'"{short}"|\b{short} = \{{', source), f"{name} is nowhere in the plugin"


def test_the_names_of_messages_are_the_servers() -> None:
    known = set(schema()["messages"])
    for path in LUA:
        used = set(re.findall(r'"(ensemble/\w+)"', path.read_text(encoding="utf-8")))
        assert used <= known, path


def test_help_has_tags_for_everything_and_no_dead_link(tmp_path: Path) -> None:
    doc = tmp_path / "doc"
    shutil.copytree(PLUGIN / "doc", doc)
    nvim("-c", f"helptags {doc}", "-c", "quitall", home=tmp_path)
    own = {line.split("\t")[0] for line in (doc / "tags").read_text(encoding="utf-8").splitlines()}
    runtime = nvim("-c", "lua io.write(vim.env.VIMRUNTIME)", "-c", "quitall", home=tmp_path).strip()
    theirs = {
        line.split("\t")[0]
        for line in (Path(runtime) / "doc" / "tags").read_text(encoding="utf-8").splitlines()
    }
    text = (doc / "ensemble.txt").read_text(encoding="utf-8")
    for link in re.findall(r"\|([^|\s]+)\|", text):
        assert link in own | theirs, link
    names = nvim(
        home=tmp_path,
        code=f"vim.opt.rtp:prepend([[{PLUGIN}]])\n"
        "for _, name in ipairs(require('ensemble.commands').names()) do print(name) end\n"
        "for name in pairs(require('ensemble.highlights').LINKS) do print('hl-' .. name) end\n"
        "for name in pairs(require('ensemble')) do print('ensemble.' .. name .. '()') end\n",
    ).split()
    for name in names:
        tag = name if name.startswith(("hl-", "ensemble.")) else f":Ensemble-{name}"
        assert tag in own, f"{tag} is not in the help"
    plugs = set(
        re.findall(
            r"<Plug>\(ensemble-\w+\)",
            nvim(
                home=tmp_path,
                code=f"""
            vim.cmd.source([[{PLUGIN}/plugin/ensemble.lua]])
            for _, map in ipairs(vim.list_extend(vim.api.nvim_get_keymap("n"), vim.api.nvim_get_keymap("x"))) do
              print(map.lhs)
            end
        """,
            ),
        )
    )
    assert plugs
    assert plugs <= own


def test_defaults_in_the_help_are_the_defaults(tmp_path: Path) -> None:
    told = nvim(
        home=tmp_path,
        code=f"vim.opt.rtp:prepend([[{PLUGIN}]])\nprint(vim.json.encode(require('ensemble.config').defaults))",
    )
    defaults = json.loads(told)
    text = (PLUGIN / "doc" / "ensemble.txt").read_text(encoding="utf-8")
    for name in (*defaults, *defaults["keys"]):
        assert re.search(rf"\b{name}\b", text), f"{name} is not in the help"


def test_nothing_is_loaded_at_start_up(tmp_path: Path) -> None:
    init = tmp_path / "init.lua"
    init.write_text(
        f"""
        vim.opt.rtp:prepend([[{PLUGIN}]])
        vim.lsp.enable("ensemble")
        vim.api.nvim_create_autocmd("VimEnter", {{ callback = function()
          for name in pairs(package.loaded) do
            if name:match("^ensemble") then io.write("loaded " .. name .. "\\n") end
          end
          io.write(vim.fn.exists(":Ensemble") .. " " .. vim.lsp.config.ensemble.cmd[1])
          vim.cmd("quitall")
        end }})
        """,
        encoding="utf-8",
    )
    assert nvim("-u", str(init), home=tmp_path) == "2 ensemble-lsp"


def test_setting_up_loads_only_the_options(tmp_path: Path) -> None:
    told = nvim(
        home=tmp_path,
        code=f"""
            vim.opt.rtp:prepend([[{PLUGIN}]])
            require("ensemble").setup({{ enable = false, cmd = {{ "other", "serve" }} }})
            print(vim.lsp.config.ensemble.cmd[1])
            for name in vim.spairs(package.loaded) do
              if name:match("^ensemble") then print(name) end
            end
        """,
    )
    assert told.split() == ["other", "ensemble", "ensemble.config"]


def test_health_says_what_is_missing_and_never_a_key(tmp_path: Path) -> None:
    environment = environment_for(tmp_path)
    environment["OPENAI_API_KEY"] = "sk-not-to-be-shown"
    told: dict[str, str] = {}
    for name, command in (("installed", "ensemble-lsp"), ("missing", "no-such-program")):
        code = tmp_path / f"{name}.lua"
        code.write_text(
            f"""
            vim.opt.rtp:prepend([[{PLUGIN}]])
            vim.lsp.config("ensemble", {{ cmd = {{ "{command}", "serve" }} }})
            vim.cmd("checkhealth ensemble")
            print(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n"))
            """,
            encoding="utf-8",
        )
        done = subprocess.run(
            [str(NVIM), "--clean", "--headless", "-n", "-i", "NONE", "-l", str(code)],
            capture_output=True,
            text=True,
            env=environment,
            timeout=90,
            check=False,
        )
        told[name] = done.stdout + done.stderr
    assert "no-such-program cannot be run" in told["missing"]
    assert "uv tool install ensemble-lsp" in told["missing"]
    assert "ensemble-lsp 0." in told["installed"]
    assert "sandbox" in told["installed"]
    assert "OPENAI_API_KEY" in told["installed"]
    assert "sk-not-to-be-shown" not in told["installed"]


def test_a_command_without_a_server_says_what_to_do(tmp_path: Path) -> None:
    told = nvim(
        home=tmp_path,
        code=f"""
            vim.opt.rtp:prepend([[{PLUGIN}]])
            vim.cmd.source([[{PLUGIN}/plugin/ensemble.lua]])
            vim.notify = print
            vim.cmd("Ensemble fix")
            vim.cmd("edit {tmp_path}/cart.py")
            vim.cmd("Ensemble fix")
            vim.cmd("help | Ensemble explain")
            vim.cmd("Ensemble nonsense")
            vim.cmd("Ensemble apply")
        """,
    )
    assert "give the buffer a name first" in told
    assert ":checkhealth ensemble" in told
    assert "this buffer is no file" in told
    assert "there is no :Ensemble nonsense" in told
    assert "no proposal waits" in told


@pytest.mark.system
@pytest.mark.skipif(shutil.which("luacheck") is None, reason="luacheck is not installed")
def test_luacheck_finds_nothing() -> None:
    done = subprocess.run(
        ["luacheck", ".", "--quiet"], cwd=PLUGIN, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
