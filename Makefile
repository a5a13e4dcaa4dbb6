# make demo: a chain trained on digits, everything one can do with it, and a report to look at.
# make test: linters, types, the whole suite and the documentation. make docs: the documentation alone, in
# docs/_build/html/index.html; its examples run, which takes a minute or two. Each makes a virtual environment first, on a
# fresh machine.
# make test needs Python 3.11 or newer; Node 20 or newer with npm for the checks of the studio's page; Chromium for the
# browser tests, which it installs where it may. Without the last two it runs everything else and says what it left out;
# where NK_REQUIRE_ALL or CI is set, that is a failure. tests/needs.py says what is there and how to get the rest.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test needs lint types unit docs page page-checks install bench bench-quick clean

DEMO ?= demo
.DEFAULT_GOAL := test

demo: $(VENV)/.demo
	$(BIN)/nk demo --out $(DEMO) --force

test: needs lint types page unit docs
	@$(PYTHON) tests/needs.py --left-out

# The browser is installed first, so that what is said of it is true.
needs:
	@$(PYTHON) tests/needs.py --browser
	@$(PYTHON) tests/needs.py

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed
	$(BIN)/mypy

unit: needs $(VENV)/.installed
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --durations 10

# The studio's page: its types, its style, and the tests of what is pure in it. The page itself needs none of this.
page:
	@if $(PYTHON) tests/needs.py --has node; then $(MAKE) --no-print-directory page-checks; else $(PYTHON) tests/needs.py; fi

page-checks: node_modules/.installed
	npm run --silent types
	npm run --silent lint
	npm run --silent test

node_modules/.installed: package.json package-lock.json .npmrc
	npm ci
	touch $@

# Warnings are errors: a dead link, a name that is gone, an example that fails. Nothing is downloaded.
docs: $(VENV)/.installed
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --jobs auto -d docs/_build/doctrees docs docs/_build/html
	@echo "the documentation: docs/_build/html/index.html"

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

$(VENV)/.demo: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	test -e $(VENV)/.installed || $(BIN)/python -m pip install --quiet --editable ".[demo]"
	touch $@

# make bench-quick: a slice of every study, in minutes. make bench DATA=FOLDER: all studies, in hours; a run that was
# stopped continues. FOLDER holds fashion-mnist/ and mnist/ with their idx files, and cifar10.npz. The results of a study
# are one JSON-lines file.
bench-quick: $(VENV)/.bench
	$(BIN)/python benchmarks/bench.py --quick
	$(BIN)/python benchmarks/bench_report.py --quick

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/bench.py --data $(DATA)
	$(BIN)/python benchmarks/step_cost.py --summary
	$(BIN)/python benchmarks/bench_report.py

# The rivals. torchcfm asks for packages that its mathematics does not need, so without them.
$(VENV)/.bench: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet "POT>=0.9,<1"
	$(BIN)/python -m pip install --quiet --no-deps "torchcfm>=1.0,<2"
	touch $@

clean:
	rm -rf $(VENV) node_modules docs/_build docs/gallery docs/reference/rooms .mypy_cache .pytest_cache .ruff_cache
