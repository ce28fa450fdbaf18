"""Written tests for Go: by the real Go where it is on the PATH, else by one that plays back what it once said."""

import os
import shutil
from pathlib import Path

import pytest

from ensemble_lsp.core.events import Action, Mode, Status
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.results import JobResult
from tests.engine.action_jobs import after, asked, job, written
from tests.support.go_playback import Recorder, install, load

RECORDED = Path(__file__).parents[1] / "cases/go/written_tests.json"
"""Written anew by `ENSEMBLE_RECORD_GO=1 pytest tests/engine/test_writing_go.py` where Go is installed."""

CODE = """\
package cart

import "errors"

// ErrEmpty is returned for no prices.
var ErrEmpty = errors.New("no prices")

// Total returns the sum of prices, at most limit and nothing for less than nothing.
func Total(prices []int, limit int) (int, error) {
	if len(prices) == 0 {
		return 0, ErrEmpty
	}
	sum := 0
	for _, price := range prices {
		sum += price
	}
	return min(sum, limit), nil
}
"""
FIRST = """\
```go
package cart

import (
	"errors"
	"fmt"
	"testing"
)

// must fails the test for an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTotalAdds(t *testing.T) {
	got, err := Total([]int{1, 2}, 10)
	must(t, err)
	if got != 3 {
		t.Errorf("Total = %d, want 3", got)
	}
}

func TestTotalWithoutPrices(t *testing.T) {
	if _, err := Total(nil, 10); !errors.Is(err, ErrEmpty) {
		t.Errorf("err = %v, want ErrEmpty", err)
	}
}

func TestTotalPrints(t *testing.T) {
	fmt.Sprint(Total(nil, 1))
}
```
"""
SECOND = """\
```go
package cart

import "testing"

func TestTotalAdds(t *testing.T) {
	for _, c := range []struct {
		name   string
		prices []int
		want   int
	}{{"at the limit", []int{4, 6}, 10}, {"above the limit", []int{5, 6}, 10}} {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := Total(c.prices, 10); got != c.want {
				t.Errorf("Total(%v) = %d, want %d", c.prices, got, c.want)
			}
		})
	}
}

func TestTotalOfNothing(t *testing.T) {
	var prices []int
	if prices[0] != 0 {
		t.Error("Total")
	}
}

// Less than nothing is nothing.
func TestTotalBelowNothing(t *testing.T) {
	if got, _ := Total([]int{-3}, 10); got != 0 {
		t.Errorf("Total = %d, want 0", got)
	}
}
```
"""


TOGETHER = """\
package cart

import (
	"errors"
	"testing"
)

// must fails the test for an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTotalAdds(t *testing.T) {
	got, err := Total([]int{1, 2}, 10)
	must(t, err)
	if got != 3 {
		t.Errorf("Total = %d, want 3", got)
	}
}

func TestTotalWithoutPrices(t *testing.T) {
	if _, err := Total(nil, 10); !errors.Is(err, ErrEmpty) {
		t.Errorf("err = %v, want ErrEmpty", err)
	}
}

func TestTotalAdds2(t *testing.T) {
	for _, c := range []struct {
		name   string
		prices []int
		want   int
	}{{"at the limit", []int{4, 6}, 10}, {"above the limit", []int{5, 6}, 10}} {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := Total(c.prices, 10); got != c.want {
				t.Errorf("Total(%v) = %d, want %d", c.prices, got, c.want)
			}
		})
	}
}
"""


def project(root: Path, **files: str) -> Path:
    """Make a module with one package."""
    return written(root, {"go.mod": "module example.org/shop\n\ngo 1.21\n", "cart/cart.go": CODE, **files})


async def written_tests(root: Path, prompts: list[str]) -> JobResult:
    """Let two members write tests for `Total`."""
    return await job(
        project(root),
        Action.TEST,
        {"a": FIRST, "b": SECOND},
        path="cart/cart.go",
        lines=(10, 11),
        prompts=prompts,
        mode=Mode.QUICK,
        # A cache of compiled packages that is empty takes a minute to fill.
        budget={"seconds": 400},
    )


def is_right(result: JobResult) -> None:
    """Look at what came out of it."""
    assert result.status is Status.DONE, result.notes
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert after(result) == {"cart/cart_test.go": TOGETHER}
    assert result.proposal.strength is not None
    assert (result.proposal.strength.killed, result.proposal.strength.total) == (5, 6)
    (bug,) = result.findings
    assert bug.title.endswith("TestTotalBelowNothing")
    assert (bug.evidence[0].witness, bug.evidence[0].summary) == ("go test", "Total = -3, want 0")
    assert "cart_test.go:29: Total = -3, want 0" in bug.evidence[0].log
    assert "// Less than nothing is nothing.\nfunc TestTotalBelowNothing" in bug.detail
    (broken,) = (note for note in result.notes if "cannot run" in note)
    assert broken.startswith("TestTotalOfNothing of b cannot run")


async def test_tests_of_two_members_become_one_file_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    programs = install(tmp_path / "go", load(RECORDED))
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    prompts: list[str] = []
    result = await written_tests(tmp_path / "work", prompts)

    assert asked(prompts, "begins with `package cart`, the package of the code")
    is_right(result)


@pytest.mark.skipif(
    shutil.which("go") is None, reason="Go is not installed: only its recorded output was read"
)
@pytest.mark.timeout(600)
async def test_the_real_go_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    recorder = Recorder(monkeypatch, "cart")
    result = await written_tests(tmp_path, [])

    is_right(result)
    if os.environ.get("ENSEMBLE_RECORD_GO"):
        recorder.save(RECORDED)


async def test_without_go_the_tests_are_shown_unverified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", os.defpath)
    result = await written_tests(tmp_path, [])

    assert result.proposal is not None
    assert result.proposal.standing is Standing.UNVERIFIED
    assert "Go (`go`) is not on the PATH" in result.proposal.would_settle
