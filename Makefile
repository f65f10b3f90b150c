# `make paper` and `make test` set up everything they need in .venv and reuse it afterwards.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: paper test lint format types layers unit kernels clean

$(STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[all,dev]'
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

clean:
	rm -rf $(VENV) .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache dist
