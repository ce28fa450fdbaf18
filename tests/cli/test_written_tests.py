"""`test` in other frameworks: what the terminal prints of written tests, and where there can be none."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, panel
from tests.engine import test_writing_go as written
from tests.support.fake_model_server import Answer, FakeModelServer, Recorded
from tests.support.go_playback import install, load


def test_tests_for_go_are_a_diff_and_what_each_notices_stands_beside_it(
    ensemble: CommandLine,
    shop: Path,
    models: FakeModelServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
):
    programs = install(tmp_path_factory.mktemp("go"), load(written.RECORDED))
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    written.project(shop)

    def said(request: Recorded) -> Answer:
        return Answer(text=written.FIRST if request.model == "one" else written.SECOND)

    monkeypatch.setattr(models, "_script", said)
    ran = ensemble("test", "cart/cart.go:11", "--trust", "--mode", "quick", *panel("one", "two"))

    assert ran.code == 0, ran.err
    assert "one: go test 3 passed" in ran.err
    assert "cart/cart.go:9: warning [suspected-bug]" in ran.err
    assert "| `TestTotalAdds` | one | 4 of 6 |" in ran.err
    assert "verified: Test Total — 3 tests, notice 5 of 6 changes" in ran.err
    assert ran.out.startswith("diff --git a/cart/cart_test.go b/cart/cart_test.go\nnew file mode 100644\n")
    subprocess.run(["git", "apply", "-"], input=ran.out.encode(), cwd=shop, check=True)
    assert (shop / "cart/cart_test.go").read_text(encoding="utf-8") == written.TOGETHER


def test_where_no_tests_can_be_written_it_says_what_to_do(
    ensemble: CommandLine, shop: Path, models: FakeModelServer
):
    (shop / "cart.js").write_text("export const one = () => 1;\n", encoding="utf-8")
    (shop / "package.json").write_text('{"devDependencies": {"mocha": "1"}}', encoding="utf-8")
    ran = ensemble("test", "cart.js:1", "--trust", *panel("one"))

    assert (ran.code, ran.out) == (2, "")
    assert not any(request.method == "POST" for request in models.requests)
    assert "package.json uses mocha, and tests are written for vitest and jest" in ran.err
    assert "npm install --save-dev vitest" in ran.err
