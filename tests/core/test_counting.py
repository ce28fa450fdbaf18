"""Numbers of things as a person reads them."""

import pytest

from ensemble_lsp.core.counting import counted


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 findings"), (1, "1 finding"), (2, "2 findings"), (1234, "1,234 findings")]
)
def test_only_one_is_singular(count: int, said: str):
    assert counted(count, "finding") == said
