"""The settings model as JSON, for editors' own settings: `python -m ensemble_lsp.settings_schema`.

The document has `schema` (JSON schema, snake_case keys) and `restricted` (dotted keys).
"""

import json
import sys

from ensemble_lsp.settings import RESTRICTED_KEYS, Settings


def document() -> dict[str, object]:
    """Return the whole document."""
    return {"schema": Settings.model_json_schema(), "restricted": sorted(RESTRICTED_KEYS)}


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")
