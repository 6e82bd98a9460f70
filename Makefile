# Everything runs in .venv, which `make` creates from the lock file: Python >= 3.11, make and PyPI are all it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest
SHARED := $(PYTEST) -n auto --maxprocesses 4 --dist loadscope  # shared out among cores: tests/conftest.py
OF_STAGE = $(wildcard tests/$(STAGE) tests/test_$(STAGE).py tests/test_$(STAGE)_*.py)

# Set, each command that a test runs would compile Oakum anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := all
.PHONY: all check quick test live live-cluster demo accuracy sensitivity bench soak fuzz format lock record record-testdata clean help

all: check quick  ## the default while working: the checks and the quick suite

help:  ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Oakum needs Python 3.11 or newer; make PYTHON=python3.12 uses another one"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

check: $(READY)  ## format, lint, types, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	@for scenario in casebook/*/scenario.py; do $(BIN)/mypy --no-error-summary $$scenario || exit 1; done  # all of one name
	$(BIN)/lint-imports

quick: $(READY)  ## recorded evidence only: no Go, no network, no browser; STAGE=detect: the tests of one stage
	$(if $(STAGE),$(if $(OF_STAGE),,$(error STAGE=$(STAGE): there are no such tests; name a folder of tests/, or judge, scan, diagnose)))
	$(SHARED) -m "not live and not peer and not browser and not fuzz and not slow" $(if $(STAGE),$(OF_STAGE))

test: check $(READY)  ## the checks and every test whose tools are here or come by pip
	$(SHARED)

live: $(READY)  ## build and run the programs of the casebook now: do they still leak, or not, as they should?
	$(PYTEST) -m live tests/casebook tests/systems

live-cluster: $(READY)  ## a real API server with etcd, built once (Go 1.26, openssl, iproute2): proves and records how it is entered
	$(BIN)/python tests/cluster/run.py

accuracy: $(READY)  ## run the diagnosis over everything recorded; prints how often it was right, and writes it into the readmes and docs
	$(BIN)/python -m casebook.runner accuracy --write
	$(BIN)/python -m casebook.runner windows --write

sensitivity: $(READY)  ## change each number of the diagnosis by a third: which recordings need it? Half an hour; writes docs/numbers.md
	$(BIN)/python -m casebook.runner sensitivity

record: $(READY)  ## record a case of the casebook again: make record CASE=name (as root, in a container)
	@test -n "$(CASE)" || { echo "make record CASE=name; .venv/bin/python -m casebook.runner list names them"; exit 2; }
	$(BIN)/python -m casebook.runner record $(CASE)
	$(BIN)/python -m casebook.runner check $(CASE)

demo: $(READY)  ## five recorded incidents, diagnosed now; writes their reports
	@$(BIN)/oakum demo

bench: $(READY)  ## beside go tool pprof, panicparse and gostackparse; prints ratios
	$(BIN)/python -m bench

soak: $(READY)  ## the long forms: a writer of a store killed a thousand times, a year of 200 services, ten minutes of watching real programs, a simulated day; OAKUM_KILLS=1000
	OAKUM_KILLS=$${OAKUM_KILLS:-1000} $(PYTEST) -s tests/store -m slow
	$(BIN)/python -m bench --full history
	SOAK_SECONDS=$${SOAK_SECONDS:-600} $(PYTEST) -s tests/watch/test_watch_live.py tests/watch/test_limit_live.py tests/watch/test_soak.py

fuzz: $(READY)  ## the time-boxed fuzzer of the tests, longer: FUZZ_SECONDS=600
	FUZZ_SECONDS=$${FUZZ_SECONDS:-600} $(PYTEST) -m fuzz -s

format: $(READY)  ## rewrite the code as `make check` wants it
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

record-testdata: $(READY)  ## record tests/testdata/recorded again with several Go versions
	$(BIN)/python tests/record/record.py

lock: $(READY)  ## pin the newest versions that fit pyproject.toml
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --group dev --upgrade pyproject.toml -o requirements.lock

clean:  ## remove what make created
	rm -rf $(VENV) .cache bench/out .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
