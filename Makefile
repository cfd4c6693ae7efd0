# Every verb of the project. `make demo` and `make test` work in a fresh clone: they first make the environment
# from requirements/dev.txt, whose hashes pip checks.

VENV ?= .venv
PYTHON ?= $(shell for p in python3 python python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := $(VENV)/bin
PY := $(BIN)/python
STAMP := $(VENV)/.installed
TESTS ?=
AUDIT_FLAGS ?=
BENCH ?= speed

.DEFAULT_GOAL := help
.PHONY: help demo models test test-system check bench audit lock upgrade docs format clean

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

$(STAMP): requirements/dev.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python" >&2; exit 1; }
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --require-hashes -r requirements/dev.txt
	$(PY) -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

## make demo         ingest, search, read and cite a sample corpus
demo: $(STAMP)
	$(BIN)/drawwell demo

## make models       make the small model that tests and benchmarks use, unless it is there (in the user's cache)
models: $(STAMP)
	$(PY) -m tools.make_models

## make test         all tests that need no system program (TESTS=path selects)
test: $(STAMP) models
	$(PY) -m pytest -m "not system" $(TESTS)

## make test-system  tests with other programs' clients; installs what they need where it can
test-system: $(STAMP)
	sh tools/system_deps.sh
	$(PY) -m pytest -m system $(TESTS)

## make check        format, lint, types, layers, sizes, lock, docs, packages
check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy tests/typing/api.py
	$(BIN)/lint-imports --no-cache
	$(PY) tools/check_sizes.py
	$(PY) tools/lock.py --check
	$(PY) tools/gen_reference.py --check
	$(PY) tools/check_packages.py

## make bench        measure speed on the sample corpus (BENCH="speed DIR" for a folder of yours)
bench: $(STAMP)
	$(BIN)/drawwell bench $(BENCH)

## make audit        look for known faults in all that is locked; needs a network and fails when it cannot tell
##                   (AUDIT_FLAGS="..." goes to pip-audit: "-s osv --osv-url URL" asks a service of yours)
audit: $(STAMP)
	$(PY) -m tools.audit $(AUDIT_FLAGS)

## make lock         resolve the dependencies again after a change of pyproject.toml (needs a network)
lock: $(STAMP)
	$(PY) tools/lock.py

## make upgrade      the same, taking the newest versions
upgrade: $(STAMP)
	$(PY) tools/lock.py --upgrade

## make docs         write docs/reference from the code
docs: $(STAMP)
	$(PY) tools/gen_reference.py

## make format       format the code and repair what the linter can
format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

## make clean        remove the environment, caches and built packages
clean:
	rm -rf .venv* dist build node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
