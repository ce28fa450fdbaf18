"""What reads as a placeholder for code, and what only sounds like one."""

import pytest

from ensemble_lsp.core.refusals import is_placeholder

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
