"""One file from the model hub, fetched in a process of its own so that a cancelled job ends it at once.

Run as `python -P -m ensemble_lsp.models.hub_download REPOSITORY REVISION FILE DIRECTORY`: resumes what an
earlier run left in DIRECTORY, prints nothing on success, and one line on standard error otherwise.
Exit: 0 the file is in DIRECTORY; 3 huggingface_hub is not installed; 4 the hub cannot be reached;
5 the hub does not have that file; 6 the file cannot be written.
"""

import importlib
import sys

NOT_INSTALLED = 3
UNREACHABLE = 4
NOT_THERE = 5
UNWRITABLE = 6

_REACH_SECONDS = 8.0
"""How long the hub may take to answer at all; its own client would retry for half a minute."""


def download(repository: str, revision: str, file: str, directory: str) -> int:
    """Fetch the file and return this module's exit code."""
    try:
        # One after the other: the rest takes half a second to import, and is not needed offline.
        constants = importlib.import_module("huggingface_hub.constants")
        if constants.HF_HUB_OFFLINE:
            sys.stderr.write("HF_HUB_OFFLINE is set\n")
            return UNREACHABLE
        hub = importlib.import_module("huggingface_hub")
        errors = importlib.import_module("huggingface_hub.errors")
        httpx = importlib.import_module("httpx")
    except ImportError as problem:
        sys.stderr.write(_one_line(problem))
        return NOT_INSTALLED
    try:
        httpx.head(hub.hf_hub_url(repository, file, revision=revision), timeout=_REACH_SECONDS)
        hub.hf_hub_download(repository, file, revision=revision, local_dir=directory)
    except (errors.LocalEntryNotFoundError, httpx.TransportError) as problem:
        sys.stderr.write(_one_line(problem))
        return UNREACHABLE
    except errors.HfHubHTTPError as problem:
        sys.stderr.write(_one_line(problem))
        return NOT_THERE
    except OSError as problem:
        sys.stderr.write(_one_line(problem))
        return UNWRITABLE
    return 0


def _one_line(problem: Exception) -> str:
    return " ".join(str(problem).split())[:300] + "\n"


if __name__ == "__main__":
    sys.exit(download(*sys.argv[1:5]))
