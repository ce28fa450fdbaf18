#!/usr/bin/env bash
# Installs Ensemble LSP into an environment of its own, outside of the checkout. For action.yml.
#
# Reads INPUT_PYTHON, INPUT_VERSION, INPUT_LOCAL, ACTION_PATH and RUNNER_TEMP. Nothing of the checkout is imported: Python runs
# isolated (-I) and in a folder of ours, since a stranger's `venv.py` would else be taken for the standard library's.
set -euo pipefail

home="${RUNNER_TEMP:?}/ensemble-lsp"
mkdir -p "$home"
cd "$home"
"${INPUT_PYTHON:-python3}" -I -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Ensemble LSP needs Python 3.11 or newer: use actions/setup-python")'
"${INPUT_PYTHON:-python3}" -I -m venv "$home/venv"

extra=""
if [ "${INPUT_LOCAL:-}" = true ]; then extra="[embedded]"; fi

case "${INPUT_VERSION:-}" in
  "") wanted="${ACTION_PATH:?}$extra" ;;
  *[!0-9A-Za-z.+!-]*)
    echo "::error title=Ensemble review::the input version is no version number"
    exit 2
    ;;
  *) wanted="ensemble-lsp$extra==$INPUT_VERSION" ;;
esac
"$home/venv/bin/python" -I -m pip install --quiet --disable-pip-version-check --no-input "$wanted"
