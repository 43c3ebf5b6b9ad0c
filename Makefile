# make            set up .venv          make test    lint, types and tests
# make slow       the tests that take long, which `make test` leaves out
# make tpch       TPC-H against DuckDB, every cell checked: make tpch SF=10 QUERIES=1,6-9 THREADS=4
# make device     part of the tests on a simulated accelerator; make device-all: all that can run there
# make predict    models in SQL: demonstration, then times against DuckDB + pandas: make predict PREDICT_SF=1
# make fuzz       random queries against DuckDB for a while: make fuzz MINUTES=10 SEED=1 KINDS=shapes,columns
# make docs       the documentation as pages of HTML in site/
# make dist       a wheel in dist/, tried in a virtual environment of its own
# An active virtual environment is used instead of .venv; a torch>=2.8 that is already there stays.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c

PYTHON ?= python3
VENV ?= $(or $(VIRTUAL_ENV),.venv)
BIN := $(VENV)/bin
READY := $(VENV)/.tqp-installed

SF ?= 1
PREDICT_SF ?= 0.1
QUERIES ?= 1-22
DEVICE ?= cpu
THREADS ?= $(shell getconf _NPROCESSORS_ONLN)
REPEAT ?= 5
BACKEND ?= eager
ENGINES ?= tqp,duckdb
MINUTES ?= 10
SEED ?=
KINDS ?=
ARGS ?=

# What runs on the simulated accelerator: a share of a few minutes, and all that makes sense there.
DEVICE_SHARE := tests/device tests/data/test_transfer.py tests/sql/test_cases.py tests/tpch/test_queries.py::test_validation_parameters tests/operators tests/runtime/test_listing.py::test_tpch
DEVICE_ALL := tests/device tests/sql tests/operators tests/io tests/predict tests/tpch tests/fuzz tests/runtime/test_listing.py

# The files that mark tests slow: to collect all others takes longer than some of the tests.
SLOW = $(shell grep -rlE 'mark\.slow|tests\.shares' tests --include='test_*.py')

# Prints the version of a torch that is new enough to stay; fails if there is none.
TORCH := import importlib.metadata as m; v = m.version("torch"); \
	tuple(map(int, v.split(".")[:2])) >= (2, 8) or exit(1); print(v)

.PHONY: all .venv test lint types format unit slow device device-all fuzz tpch predict bench docs dist clean

all: .venv

.venv: $(READY)

$(READY): pyproject.toml constraints.txt
	@if [ ! -x $(BIN)/python ]; then \
	    if $(PYTHON) -c '$(TORCH)' >/dev/null 2>&1; then shared=--system-site-packages; else shared=; fi; \
	    $(PYTHON) -m venv $$shared $(VENV); \
	fi
	@if kept=$$($(BIN)/python -c '$(TORCH)' 2>/dev/null); then torch="torch==$$kept"; else torch=; fi; \
	sed "s/^torch==.*/$${torch:-&}/" constraints.txt > $(VENV)/constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(VENV)/constraints.txt -e '.[dev]'
	@touch $@

test: lint types unit device

# Tests start hundreds of processes: each would compile all of tqp anew. And two that wait for threads in a loop, as OpenMP does unless
# it is told, take turns at standing in each other's way.
unit slow device device-all: export PYTHONDONTWRITEBYTECODE :=
unit slow device device-all: export OMP_WAIT_POLICY := passive

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(READY)
	$(BIN)/mypy --strict tqp

unit: $(READY)
	$(BIN)/python -m pytest -q -m 'not slow' -n $(THREADS) --dist worksteal

slow: $(READY)
	$(BIN)/python -m pytest -q -m slow $(SLOW) -n $(THREADS) --dist worksteal

# Processes of its own, as the device is there for good; a time limit, as nothing else ends one that hangs.
device: $(READY)
	timeout -k 10 900 $(BIN)/python -m pytest -q --device sim -n $(THREADS) --dist worksteal $(DEVICE_SHARE) --cases 5 --ignore tests/operators/test_early_stop.py

device-all: $(READY)
	timeout -k 10 3600 $(BIN)/python -m pytest -q --device sim -n $(THREADS) --dist worksteal $(DEVICE_ALL)

fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) $(if $(KINDS),--kinds $(KINDS)) $(ARGS)

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

tpch: $(READY)
	$(BIN)/python -m tpch run --sf $(SF) --queries $(QUERIES) --device $(DEVICE) --threads $(THREADS) \
	    --repeat $(REPEAT) --backend $(BACKEND) --engines $(ENGINES) $(ARGS)

predict: $(READY)
	$(BIN)/python -m benchmarks.demo_predict --sf $(PREDICT_SF) --threads $(THREADS) $(ARGS)

bench: $(READY)
	$(BIN)/python -m benchmarks.tpch_peers --sf $(SF) --threads $(THREADS) --repeat $(REPEAT)
	$(BIN)/python -m benchmarks.ops
	$(BIN)/python -m benchmarks.overheads
	$(BIN)/python -m benchmarks.shapes --threads $(THREADS) --repeat $(REPEAT)
	$(BIN)/python -m benchmarks.scaling --threads $(THREADS) --repeat $(REPEAT)

docs: $(READY)
	@$(BIN)/python -c 'import material, mkdocs, mkdocstrings_handlers.python' 2>/dev/null || \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(VENV)/constraints.txt -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo 'open site/index.html; for its search, $(PYTHON) -m http.server -d site'

# What lies in build/ from before would get into the wheel. The environment has the versions of constraints.txt and nothing else;
# where pip looks for them is a matter of its own settings.
dist: $(READY)
	rm -rf build dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
	$(BIN)/python -m venv build/wheel
	build/wheel/bin/python -m pip install --quiet --disable-pip-version-check -c $(VENV)/constraints.txt dist/*.whl
	cd build && wheel/bin/python -I $(CURDIR)/tests/smoke.py $(CURDIR)/README.md

clean:
	rm -rf build dist site *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
	rm -rf .venv
