"""What may be imported without paying for litellm."""

import subprocess
import sys

import pytest

FRONT_FACING = ("gateway", "discovery", "families", "scripted", "pricing", "local_servers", "litellm_calls")


@pytest.mark.parametrize("module", FRONT_FACING)
def test_importing_it_does_not_import_litellm(module: str) -> None:
    code = (
        f"import sys, ensemble_lsp.models.{module}; "
        "print(sorted({'litellm', 'openai', 'tiktoken'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.strip() == "[]"
