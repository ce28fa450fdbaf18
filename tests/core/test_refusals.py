"""What reads as a placeholder for code, and what only sounds like one."""

import pytest

from ensemble_lsp.core.refusals import is_placeholder, unwritable
from ensemble_lsp.core.text import SourceText

PLACEHOLDERS = """\
# ... existing code ...
// ... rest of the code
# rest of the function remains unchanged
/* ... */
<!-- existing content -->
# ... (rest of the code)
// existing code
# ...
... existing code ...
[rest of the file unchanged]
# (unchanged)
// Rest of the class remains the same
# Remaining code unchanged
# same as before
-- ... rest of query ...
{/* ... existing JSX ... */}
# The rest of the code remains the same
# existing implementation here
// … other methods …
# [existing code]
# omitted for brevity
# other methods...
# Your existing code here
// other functions remain unchanged
<existing code>
# Existing imports"""

NONE_OF_THEM = """\
# keep the rest of the list sorted
# existing code paths call this twice
x = ...
...
# TODO: remove the existing code once migrated
// the other lines are skipped
# same as above but for floats: see total()
def f(*args): ...
print('...')
# Loading...
// e.g. foo...
<div>...</div>
[1, 2, ...]
(rest of the args)
# the original value is kept
# Returns the rest of the list
* existing users keep their settings
# Code is generated; do not edit
# unchanged files are skipped
# Remaining budget in USD
(existing, new) = split(x)
<code>x</code>
[code for code in codes]
#include <existing>"""


@pytest.mark.parametrize("line", PLACEHOLDERS.splitlines())
def test_placeholder(line: str) -> None:
    assert is_placeholder("    " + line)


@pytest.mark.parametrize("line", NONE_OF_THEM.splitlines())
def test_no_placeholder(line: str) -> None:
    assert not is_placeholder("    " + line)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("half", [0xD83D, 0xDE00, 0xDCFF])
def test_half_of_a_surrogate_pair_from_a_model_was_written_into_files(encoding: str, half: int) -> None:
    refused = unwritable([f"a = '{chr(half)}'"], SourceText("a = ''\n", encoding))

    assert refused is not None
    assert "half of a surrogate pair" in refused
    assert unwritable(["a = '😀'"], SourceText("a = ''\n")) is None


def test_a_byte_that_is_no_text_may_stay_where_it_was() -> None:
    assert unwritable(["b = '\udce9'"], SourceText("# é\na = '\udce9'\n")) is None
    assert unwritable(["b = '\udce8'"], SourceText("# é\na = '\udce9'\n")) is not None
