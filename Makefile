# make demo: a chain trained on digits, everything one can do with it, and a report to look at.
# make test: linters, types, the whole suite and the documentation. make docs: the documentation alone, in
# docs/_build/html/index.html; its examples run, which takes a minute or two. Each makes a virtual environment first, on a fresh machine.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types unit docs install bench bench-quick clean

# The browser that the studio's tests drive: the system's own, installed once, as root or by sudo.
SUDO := $(shell test "$$(id -u)" = 0 || echo sudo -n)
CHROMIUM := command -v chromium >/dev/null || { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq chromium >/dev/null; }

DEMO ?= demo
.DEFAULT_GOAL := test

demo: $(VENV)/.demo
	$(BIN)/nk demo --out $(DEMO) --force

test: lint types unit docs

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed
	$(BIN)/mypy

unit: $(VENV)/.installed
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --durations 10

# Warnings are errors: a dead link, a name that is gone, an example that fails. Nothing is downloaded.
docs: $(VENV)/.installed
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --jobs auto -d docs/_build/doctrees docs docs/_build/html
	@echo "the documentation: docs/_build/html/index.html"

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

# make bench-quick: a slice of every comparison, in minutes. make bench DATA=FOLDER: all of them, in hours, to be stopped
# and resumed at will; FOLDER holds fashion-mnist/ with its idx files.
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
	rm -rf $(VENV) docs/_build docs/gallery docs/reference/rooms .mypy_cache .pytest_cache .ruff_cache
