# The one door for commands; CI calls the same targets. Every target works in a fresh clone with python3, make and git.
#   PYTEST_ARGS   more for pytest, e.g. make test PYTEST_ARGS='-k ledger -x'
#   BENCH_ARGS    more for the benchmarks
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3.11 || command -v python3)
UV_VERSION := 0.13.9
BIN := .venv/bin
READY := .venv/.ready
PYTEST_ARGS ?=
BENCH_ARGS ?=
KILLS ?= 200
REPEATS ?= 500
ROUNDS ?= 10
PATIENCE ?= 10

.PHONY: help demo gallery up test test-fast check bench browser pgbouncer chaos chaos-bus chaos-up clean fmt schemas lint format-check \
  types imports schemas-check

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(READY) ## one sentence through the whole product, with a plan, tools and a report
	@$(BIN)/dream demo

gallery: $(READY) ## everything the marketing pack makes, in Korean and in English, with an index page (out/gallery)
	@$(BIN)/python -m dream.gallery --out out/gallery

up: $(READY) ## start servers, services, gateway and console on this machine
	@$(BIN)/dream up

# File by file in processes that have servers of their own; one more than there are processors, because tests wait.
test: $(READY) browser pgbouncer ## run the tests
ifeq ($(strip $(PYTEST_ARGS)),)
	@$(BIN)/pytest -n 3 --dist loadfile
else
	@$(BIN)/pytest $(PYTEST_ARGS)
endif

test-fast: $(READY) ## run the tests of the inner loop: unit, contract, architecture
	@$(BIN)/pytest -n 2 --dist loadfile tests/unit tests/contract tests/architecture $(PYTEST_ARGS)

pgbouncer: ## PgBouncer for the tests of pooled databases, from Debian packages when it is missing and we are root
	@command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ] \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	       && { echo "setup: pgbouncer"; apt-get update -qq \
	            && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends pgbouncer >/dev/null; }; } \
	  || echo "no PgBouncer: its test will fail; on Debian: apt-get install pgbouncer"

browser: ## Chromium for the tests that look at pages, from Debian packages when it is missing and we are root
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	       && { echo "setup: chromium"; apt-get update -qq \
	            && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null; }; } \
	  || echo "no Chromium: tests of pages will fail; on Debian: apt-get install chromium"

check: lint format-check types imports schemas-check ## lint, format, types, import rules, schemas and documents

chaos: $(READY) ## kill services at random, 200 times (KILLS=n), and check that every run balances
	@DREAM_CHAOS_KILLS=$(KILLS) $(BIN)/pytest tests/chaos -m chaos --timeout 7200 $(PYTEST_ARGS)

chaos-bus: $(READY) ## a bus that repeats, shuffles and forgets, until REPEATS=n effects are counted for each accident
	@DREAM_CHAOS_REPEATS=$(REPEATS) $(BIN)/pytest tests/chaos/test_bus_repeats.py --timeout 14400 $(PYTEST_ARGS)

chaos-up: $(READY) ## kill each server and service of a dream up ten times (ROUNDS=n): all is back within 10 s (PATIENCE=n)
	@DREAM_CHAOS_ROUNDS=$(ROUNDS) DREAM_CHAOS_PATIENCE=$(PATIENCE) $(BIN)/pytest tests/chaos/test_up_looks_after.py \
	  --timeout 7200 -o log_cli=true -o log_cli_level=WARNING $(PYTEST_ARGS)

bench: $(READY) ## run the benchmarks
	@$(BIN)/python -m bench all $(BENCH_ARGS)

fmt: $(READY) ## format the code and mend what ruff can mend
	@$(BIN)/ruff check --fix-only --quiet
	@$(BIN)/ruff format

schemas: $(READY) ## rewrite golden schemas, AsyncAPI, OpenAPI and the settings table
	@$(BIN)/python -m dream.documents write

clean: ## remove what was built: environment, caches, packages. The ledger in .dream/ stays
	@echo "clean: .venv, caches, dist, out"
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist out
	@find . -name __pycache__ -type d -not -path './.dream/*' -prune -exec rm -rf {} +

# --- the parts of check, side by side under make -j ---

lint: $(READY)
	@echo "check: ruff"
	@$(BIN)/ruff check --quiet --output-format concise

format-check: $(READY)
	@echo "check: format"
	@$(BIN)/ruff format --check --quiet || { echo "not formatted; run: make fmt"; exit 1; }

types: $(READY)
	@echo "check: types"
	@$(BIN)/mypy

imports: $(READY)
	@echo "check: direction of imports"
	@$(BIN)/lint-imports --no-logo

schemas-check: $(READY)
	@echo "check: golden schemas and documents"
	@$(BIN)/python -m dream.documents check

# --- the environment: made once, again only when the lock or the project file changes ---

$(READY): uv.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
	  || { echo "Python 3.11, 3.12 or 3.13 is needed; $(PYTHON) is another. Set PYTHON=/path/to/python3.11"; exit 1; }
	@[ -x $(BIN)/python ] || { echo "setup: .venv with $$($(PYTHON) --version)"; $(PYTHON) -m venv .venv \
	  || { rm -rf .venv; echo "no venv module: on Debian, apt-get install python3-venv"; exit 1; }; }
	@$(BIN)/uv --version 2>/dev/null | grep -q '^uv $(UV_VERSION) ' \
	  || { echo "setup: uv $(UV_VERSION)"; $(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION); }
	@echo "setup: packages of uv.lock"
	@$(BIN)/uv sync --quiet --frozen --extra all --python $(BIN)/python --no-python-downloads
	@touch $@
