# `make paper` and `make test` set up everything they need in .venv and reuse it afterwards.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
ORANGE := .orange-venv

.PHONY: paper test docs lint format types layers unit kernels golden orange-cuts clean

$(STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[all,dev,docs]'
	@touch $(STAMP)

paper: $(STAMP)
	$(BIN)/skcredal reproduce

test: lint types layers unit kernels

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
	$(BIN)/python -m pytest -n auto

# The same kernel tests with the JIT off, where coverage can see into the kernels.
kernels: $(STAMP)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto -m kernel --cov --cov-report=term tests

# The pages in docs/_build/html: their code is executed first, then they are built, warnings as errors.
docs: $(STAMP)
	$(BIN)/python -m pytest -q -o addopts= --doctest-glob='*.rst' docs --ignore=docs/_build --ignore=docs/api --ignore=docs/gallery
	$(BIN)/python -m sphinx -b html -W --keep-going -q -j 2 docs docs/_build/html

# The numbers that tests compare with; only where a change of them is meant. SKCREDAL_DATA names the data.
golden: $(STAMP)
	$(BIN)/python tests/expected/make_golden.py

# Expected values of an independent implementation of the MDL cuts. Orange3 does not admit the numpy and pandas of
# .venv, so that it has an environment of its own.
$(ORANGE)/.installed:
	@test -x $(ORANGE)/bin/python || $(PYTHON) -m venv $(ORANGE)
	$(ORANGE)/bin/python -m pip install --quiet 'Orange3==3.40.0'
	@touch $@

orange-cuts: $(ORANGE)/.installed
	$(ORANGE)/bin/python tests/expected/make_orange_cuts.py

clean:
	rm -rf $(VENV) $(ORANGE) docs/_build docs/api docs/gallery .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache dist
