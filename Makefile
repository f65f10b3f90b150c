# `make paper`, `make test` and `make bench` set up everything they need in .venv and reuse it afterwards.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
ORANGE := .orange-venv
PGMPY := .pgmpy-venv
OLDEST := .oldest-venv

# Two targets at once, each on one core, what they print kept apart where make can.
TOGETHER := $(MAKE) --no-print-directory -j 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

# What is compiled is kept, for the many processes that the tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install paper test docs bench lint format types layers unit doc-tests pages
.PHONY: soak golden net orange-cuts peers dist oldest clean

$(STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[all,dev,docs]'
	@touch $(STAMP)

install: $(STAMP)

paper: $(STAMP)
	$(BIN)/skcredal reproduce

test: $(STAMP)
	$(TOGETHER) lint layers types
	$(MAKE) --no-print-directory unit

# Speed and memory beside Weka, plain C and others, into benchmarks/results: some minutes on a machine that does
# nothing else. It compiles the C and Java of benchmarks/ and downloads Debian's Weka into benchmarks/build, and
# goes on without what cannot be had.
bench: $(STAMP)
	$(BIN)/python -m benchmarks.run

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(STAMP)
	$(BIN)/mypy

layers: $(STAMP)
	$(BIN)/lint-imports

unit: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist worksteal

# Random tables for ten minutes, strange ones with every classifier, and an experiment and every command interrupted
# and killed, for an hour or so:
# `make soak SOAK="--minutes 60 --moments 0 --kills 0"` has other plans.
soak: $(STAMP)
	PYTHONPATH=tests $(BIN)/python tests/soak.py $(SOAK)

# The pages in docs/_build/html: their code is executed, and they are built, warnings as errors.
docs: $(STAMP)
	$(TOGETHER) pages doc-tests

doc-tests: $(STAMP)
	$(BIN)/python -m pytest -q -o addopts= --doctest-glob='*.rst' docs --ignore=docs/_build --ignore=docs/api --ignore=docs/gallery

pages: $(STAMP)
	$(BIN)/python -m sphinx -b html -W --keep-going -q -j 2 docs docs/_build/html

# The numbers that tests compare with; only where a change of them is meant. SKCREDAL_DATA names the data.
golden: $(STAMP)
	$(BIN)/python tests/expected/make_golden.py

# All answers on messy tables; only where a change of them is meant.
net: $(STAMP)
	PYTHONPATH=tests $(BIN)/python tests/expected/make_net.py

# Expected values of an independent implementation of the MDL cuts. Orange3 does not admit the numpy and pandas of
# .venv, so that it has an environment of its own.
$(ORANGE)/.installed:
	@test -x $(ORANGE)/bin/python || $(PYTHON) -m venv $(ORANGE)
	$(ORANGE)/bin/python -m pip install --quiet 'Orange3==3.40.0'
	@touch $@

orange-cuts: $(ORANGE)/.installed
	$(ORANGE)/bin/python tests/expected/make_orange_cuts.py

# Our answers beside those of other implementations, into the tables of docs/experiment/results.rst: some minutes.
# Debian's Weka is downloaded into benchmarks/build; Orange and pgmpy have environments of their own. What cannot
# be had is left out, and the table says so. SKCREDAL_DATA names the data; without it, those of the package.
$(PGMPY)/.installed:
	@test -x $(PGMPY)/bin/python || $(PYTHON) -m venv $(PGMPY)
	$(PGMPY)/bin/python -m pip install --quiet 'pgmpy==1.1.2'
	@touch $@

peers: $(STAMP)
	-$(MAKE) --no-print-directory $(ORANGE)/.installed
	-$(MAKE) --no-print-directory $(PGMPY)/.installed
	$(BIN)/python -m benchmarks.peers.run

# A source distribution and a wheel, checked and used in an environment of their own.
dist: $(STAMP)
	.ci/check_dist $(BIN)/python

# The tests with the oldest versions that pyproject.toml admits.
$(OLDEST)/.installed: pyproject.toml tests/oldest.txt
	@test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --constraint tests/oldest.txt --editable '.[all,test]'
	@touch $@

oldest: $(OLDEST)/.installed
	$(OLDEST)/bin/python -m pytest -n auto --dist worksteal

clean:
	rm -rf $(VENV) $(ORANGE) $(PGMPY) $(OLDEST) docs/_build docs/api docs/gallery benchmarks/build dist
	rm -rf .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
