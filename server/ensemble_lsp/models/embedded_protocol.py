"""What the engine and the embedded model's process agree on; imports nothing, since both sides import it."""

from typing import Final

KEY_VARIABLE: Final = "ENSEMBLE_EMBEDDED_KEY"
"""Environment variable that carries the key which callers must present."""
NOT_INSTALLED: Final = 3
"""Exit code: xllamacpp is not installed."""
LOAD_FAILED: Final = 4
"""Exit code: the model did not load; the reason is the last line on standard error."""
