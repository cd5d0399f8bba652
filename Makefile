# The one door to this repository. It needs make and Python 3.11 to 3.13; everything else goes into .venv, and into
# node_modules what comes from npm.

PYTHON ?= python3
PYTEST_ARGS ?=
LOCK_ARGS ?=
BENCH_ARGS ?=
FUZZ_TIME ?= 60
FUZZ_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
READY := $(VENV)/.ready
ROOTS := contract policies bridge stacks
CDKTF := node_modules/.ready
CDKTN := tools/cdktn/node_modules/.ready
NPM := $(shell command -v npm)

MAKEFLAGS += --no-print-directory
# A recipe that fails leaves no half-written target behind that would look finished.
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: $(READY) ## Make .venv with the locked versions and pcsguard itself (editable)

.PHONY: demo
demo: ## Show what pcsguard does: from Python to a cluster on this machine, and back
	@$(MAKE) --jobs=2 --keep-going setup cdktf || { $(MAKE) setup; echo "the demo goes on without cdktf" >&2; }
	@PATH="$(CURDIR)/node_modules/.bin:$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

.PHONY: test
test: setup cdktf cdktn .venv-checkov/.ready .venv-checkov-oldest/.ready ## Run the tests (PYTEST_ARGS="-k name" narrows them)
	@$(BIN)/pytest -n auto $(PYTEST_ARGS)

# A system package, so no part of the set-up: the tests that need it are skipped, with the reason, where it is not there.
.PHONY: browser
browser: ## Install Debian's chromium, for the tests of the HTML report (needs apt-get, and root)
	@command -v chromium >/dev/null || { apt-get update --quiet=2 && \
		DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --no-install-recommends chromium >/dev/null; }

.PHONY: lint
lint: setup ## Check style, types, import directions and what may be committed
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python tools/check_repository.py

.PHONY: format
format: setup ## Format the code and apply the safe fixes
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format

.PHONY: docs
docs: setup ## Write the generated pages of docs/ again, and build the site from them
	@$(BIN)/python -m pcs_policies.docs
	@$(BIN)/python -m pcs_stacks.docs
	@$(BIN)/python -m pcs_bridge.provider.docs
	@$(MAKE) site

.PHONY: site
site: .venv-site/.ready ## Build the documentation site in build/site, refusing dead links
	@# From scratch: what a page was warned of is not told again while the page stays as it is.
	@rm -rf build/site build/doctrees
	@.venv-site/bin/sphinx-build --quiet --fail-on-warning --keep-going --doctree-dir build/doctrees docs build/site
	@echo "the site is in build/site: open build/site/index.html"

.PHONY: pictures
pictures: setup ## Take the pictures of docs/images/ again, with the chromium of this machine
	@$(BIN)/python tools/take_pictures.py

.PHONY: contract
contract: setup ## Extract the PCS contract from the installed botocore
	@$(BIN)/python -m pcs_contract.extract

.PHONY: proto
proto: setup ## Generate the messages of Terraform's plugin protocol
	@cd bridge && ../$(BIN)/python -m grpc_tools.protoc --proto_path=. --python_out=. --pyi_out=. \
		pcs_bridge/plugin/tfplugin6.proto

.PHONY: bench
bench: setup .venv-bench/.ready .venv-checkov/.ready ## Measure what other tools find, and what they cost
	@PYTHONPATH=tests $(BIN)/python benchmarks/neighbours.py
	@PYTHONPATH=tests $(BIN)/python benchmarks/run.py $(BENCH_ARGS)

.PHONY: compare
compare: setup .venv-cfnlint/.ready ## Compare with cfn-lint, run for real: docs/inputs/cfn-lint.md
	@$(BIN)/python tools/compare_with_cfn_lint.py .venv-cfnlint/bin/cfn-lint

.PHONY: fuzz
fuzz: setup .venv-fuzz/.ready ## Fuzz the whole check for FUZZ_TIME seconds (60); what it finds goes to tests/fuzz/found
	@PYTHONPATH=tests $(BIN)/python tests/fuzz/seeds.py .fuzz/seeds
	@mkdir -p .fuzz/corpus
	@PYTHONPATH=contract:policies .venv-fuzz/bin/python tests/fuzz/fuzz_check.py .fuzz/corpus .fuzz/seeds tests/fuzz/found \
		-dict=tests/fuzz/json.dict -max_total_time=$(FUZZ_TIME) -max_len=20000 -timeout=20 -artifact_prefix=.fuzz/ $(FUZZ_ARGS)

.PHONY: snapshots
snapshots: setup ## Write the golden files again; review the diff before you commit it
	@$(BIN)/pytest tests --update-snapshots -q

# Needs uv only, not a finished set-up: that may be what a new lock is going to mend.
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-config \
	--custom-compile-command "make lock"

.PHONY: lock
lock: $(UV) ## Lock the versions again (LOCK_ARGS=--upgrade takes newer ones)
	@echo "==> locking package-lock.json"
	@$(NPM_LOCK)
	@cd tools/cdktn && $(NPM_LOCK)
	@echo "==> locking requirements/"
	@$(COMPILE) $(LOCK_ARGS) --group bootstrap --output-file requirements/uv.txt
	@$(COMPILE) $(LOCK_ARGS) pyproject.toml --extra all --group dev --output-file requirements/main.txt
	@$(COMPILE) $(LOCK_ARGS) pyproject.toml --extra checkov --group test --output-file requirements/checkov.txt
	@$(COMPILE) $(LOCK_ARGS) --group checkov-oldest --output-file requirements/checkov-oldest.txt
	@$(COMPILE) $(LOCK_ARGS) pyproject.toml --extra hcl --extra cfn --group action --output-file requirements/action.txt
	@$(COMPILE) $(LOCK_ARGS) --group site --output-file requirements/site.txt
	@$(COMPILE) $(LOCK_ARGS) --group bench --output-file requirements/bench.txt
	@$(COMPILE) $(LOCK_ARGS) pyproject.toml --extra cfn --group fuzz --output-file requirements/fuzz.txt
	@$(COMPILE) $(LOCK_ARGS) --group cfnlint --output-file requirements/cfnlint.txt

.PHONY: clean
clean: ## Remove .venv, node_modules, caches and build output
	@rm -rf $(VENV) $(dir $(CDKTF)) $(dir $(CDKTN)) .venv-* .fuzz build dist cdktf.out .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find $(ROOTS) tests tools -type d -name __pycache__ -prune -exec rm -rf {} +

# Tools that cannot or need not share an environment with pcsguard have one each: checkov, and what `make bench` compares.
.venv-%/.ready: $(UV) requirements/%.txt
	@echo "==> making .venv-$*"
	@$(UV) venv --quiet --clear --python $(BIN)/python .venv-$*
	@$(UV) pip sync --quiet --python .venv-$*/bin/python --require-hashes --compile-bytecode requirements/$*.txt
	@touch $@

# The commands of cdktf and cdktn, and the Node that both run in. Whoever has no npm can do without: tests skip, and the
# demo says, what needs them. No script of a package runs, so nothing is compiled, or fetched from elsewhere.
.PHONY: cdktf cdktn
ifdef NPM
cdktf: $(CDKTF)
cdktn: $(CDKTN)
else
cdktf cdktn:
	@echo "npm is not on PATH; without the command $@, then" >&2
endif
NPM_LOCK := npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved --no-audit --no-update-notifier --loglevel=error

$(CDKTF): package.json package-lock.json
$(CDKTN): tools/cdktn/package.json tools/cdktn/package-lock.json
$(CDKTF) $(CDKTN):
	@echo "==> installing the packages of $<"
	@npm ci --prefix $(dir $<) --ignore-scripts --no-audit --no-fund --no-progress --no-update-notifier --loglevel=error >/dev/null
	@touch $@

$(UV): requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
		echo "pcsguard needs Python 3.11 to 3.13, and '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." \
			"Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "==> making $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

# Bytecode is compiled here, once: Python compiles on first use otherwise, or at every start where it may not write.
$(READY): $(UV) requirements/main.txt pyproject.toml
	@echo "==> installing the locked packages"
	@$(UV) pip sync --quiet --python $(BIN)/python --require-hashes --compile-bytecode requirements/main.txt
	@echo "==> installing pcsguard"
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q $(ROOTS)
	@# python-hcl2 builds its grammar on first use and keeps it beside the package: seconds saved in every process.
	@$(BIN)/python -c 'import hcl2; hcl2.loads("a = 1\n")'
	@touch $@
