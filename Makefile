# make demo: a chain trained on digits, everything one can do with it, and a report to look at.
# make test: linters, types and the whole suite. Either makes a virtual environment first, on a fresh machine.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types unit install bench bench-quick clean

# The browser that the studio's tests drive: the system's own, installed once, as root or by sudo.
SUDO := $(shell test "$$(id -u)" = 0 || echo sudo -n)
CHROMIUM := command -v chromium >/dev/null || { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq chromium >/dev/null; }

DEMO ?= demo
.DEFAULT_GOAL := test

demo: $(VENV)/.demo
	$(BIN)/nk demo --out $(DEMO) --force

test: lint types unit

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed
	$(BIN)/mypy

unit: $(VENV)/.installed
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --durations 10

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	$(CHROMIUM) || echo "chromium could not be installed: the browser tests will fail and say so" >&2
	touch $@

$(VENV)/.demo: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	test -e $(VENV)/.installed || $(BIN)/python -m pip install --quiet --editable ".[demo]"
	touch $@

# make bench-quick: a slice of every study, in minutes. make bench DATA=FOLDER: all studies, in hours; a run that was
# stopped continues. FOLDER holds fashion-mnist/ with its idx files. The results of a study are one JSON-lines file.
bench-quick: $(VENV)/.bench
	$(BIN)/python benchmarks/bench.py --quick
	$(BIN)/python benchmarks/bench_report.py --quick

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/bench.py --data $(DATA)
	$(BIN)/python benchmarks/step_cost.py --summary
	$(BIN)/python benchmarks/bench_report.py

# The rivals. torchcfm asks for packages that its mathematics does not need, so without them.
$(VENV)/.bench: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet "diffusers>=0.30,<1" "POT>=0.9,<1"
	$(BIN)/python -m pip install --quiet --no-deps "torchcfm>=1.0,<2"
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache
