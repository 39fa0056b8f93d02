# What a developer does with Cycloud. `make` or `make help` lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV ?= .venv
BIN := $(VENV)/bin
# the first Python here that Cycloud supports and that runs (a version manager's stub may not)
SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
  $$p -c '$(SUPPORTED)' >/dev/null 2>&1 && echo $$p && break; done)
WORKERS ?= 2
UP ?=
# make test tries every so-many-th point of the crash matrix; make crash tries all
export CYCLOUD_CRASH_STRIDE ?= 6
PYTEST := $(BIN)/pytest
CLOUDS ?= a:2025.1 b:2026.2
CLOUDS_YAML ?= $(HOME)/.cache/cycloud-testbed/run/clouds.yaml
KUBE_KIT := tests/e2e/kubernetes/kit
TEST_SETTINGS := DJANGO_SETTINGS_MODULE=cycloud.settings.test
PACKAGES := cycloud catalog networking compute

.PHONY: help
help: ## List these targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# -- running it

.PHONY: up
up: $(VENV)/.embedded ## Run everything in one process: portal and two simulated clouds (UP="--port 8001")
	@exec $(BIN)/python manage.py up $(UP)

.PHONY: setup
setup: $(VENV)/.dev ## Make the virtual environment with all development tools

$(VENV)/.python:
	@[ -n "$(PYTHON)" ] && $(PYTHON) -c '$(SUPPORTED)' || { \
	  echo "Cycloud needs Python 3.11, 3.12 or 3.13, and finds none. Set PYTHON=/path/to/one."; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) -V)"
	@$(PYTHON) -m venv $(VENV) || { echo "On Debian: apt-get install -y python3-venv"; exit 1; }
	@touch $@

$(VENV)/.embedded: requirements/embedded.txt | $(VENV)/.python
	@echo "Installing what the embedded portal needs into $(VENV)"
	@$(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(VENV)/.dev: requirements/dev.txt | $(VENV)/.python
	@echo "Installing portal, tests and tools into $(VENV)"
	@$(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r $<
	@touch $@ $(VENV)/.embedded

# -- tests

.PHONY: packages
packages:
	@missing=""; \
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$$missing postgresql"; \
	command -v chromium >/dev/null || missing="$$missing chromium"; \
	[ -z "$$missing" ] || { echo "The tests need packages that this machine lacks. As root: apt-get install -y$$missing"; exit 1; }

.PHONY: test
test: setup packages ## Run the fast suites, with coverage (no cloud, no network)
	$(PYTEST) -n $(WORKERS) --cov --cov-report=term:skip-covered $(ARGS)

.PHONY: crash
crash: setup ## The whole crash matrix on the simulated clouds: every point, not a sample
	CYCLOUD_CRASH_STRIDE=1 $(PYTEST) tests/crash -n $(WORKERS) $(ARGS)

.PHONY: cover
cover: setup ## Fail under 95 % of all branches or 100 % of domain/, by what the last make test saw
	@echo "covered, of all lines and branches:"
	$(BIN)/coverage report --fail-under=95 --format=total
	$(BIN)/coverage report --include='*/domain/*' --fail-under=100

.PHONY: e2e
e2e: setup packages ## Run the suites for real clouds and a real Kubernetes API (after testbed-up and kube-up)
	CYCLOUD_REAL_CLOUDS=1 OS_CLIENT_CONFIG_FILE=$(CLOUDS_YAML) $(PYTEST) tests/contracts tests/e2e -m "real or not real" -p no:cacheprovider $(ARGS)

.PHONY: e2e-kubernetes
e2e-kubernetes: setup ## Run only the suites for a real Kubernetes API (after kube-up; what needs clouds is skipped)
	CYCLOUD_REAL_KUBERNETES=1 $(PYTEST) tests/e2e/kubernetes -p no:cacheprovider $(ARGS)

.PHONY: grpc-clients
grpc-clients: setup ## Try clients that are not ours over gRPC: grpcurl and one in Go (needs Go)
	$(PYTEST) tests/rpc/clients -p no:cacheprovider $(ARGS)

.PHONY: testbed-up
testbed-up: ## Start two real OpenStack clouds over one Ceph (builds them at first)
	tests/e2e/testbed/up.sh $(CLOUDS)

.PHONY: testbed-down
testbed-down: ## Stop them; what was built is kept
	tests/e2e/testbed/down.sh

.PHONY: kube-up
kube-up: ## Start a real Kubernetes API server (builds it at first: 4 to 8 minutes; needs Go)
	$(KUBE_KIT)/up.sh

.PHONY: kube-down
kube-down: ## Stop it; what was built is kept
	$(KUBE_KIT)/down.sh

.PHONY: bench
bench: setup ## Print the figures of docs/benchmarks.md (real clouds for some of them)
	OS_CLIENT_CONFIG_FILE=$(CLOUDS_YAML) $(BIN)/python -m tests.load $(ARGS)

# -- checks

.PHONY: check
check: format-check lint types contracts migrations proto-check crds-check test cover ## All that a change must pass

.PHONY: fmt
fmt: setup ## Format the code and mend what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: format-check
format-check: setup
	$(BIN)/ruff format --check .

.PHONY: lint
lint: setup ## ruff
	$(BIN)/ruff check .

.PHONY: types
types: setup ## mypy, strict
	$(BIN)/mypy $(PACKAGES) tests

.PHONY: contracts
contracts: setup ## Which way imports may go (import-linter)
	$(BIN)/lint-imports --no-cache

.PHONY: migrations
migrations: setup ## Whether the migrations say what the models say
	$(TEST_SETTINGS) $(BIN)/python manage.py makemigrations --check --dry-run

.PHONY: proto
proto: setup ## Make the Python code of the protos anew (cycloud/*/v1)
	proto/generate.sh $(BIN)/python .

.PHONY: proto-check
proto-check: setup ## Whether that code is what the protos give
	@rm -rf build/proto
	@proto/generate.sh $(BIN)/python build/proto
	@for package in $$(cd proto && ls -d cycloud/*/v1); do \
	  diff -r -x __init__.py -x __pycache__ build/proto/$$package $$package >/dev/null || { \
	    echo "$$package is not what the protos give. Run: make proto"; exit 1; }; \
	done; echo "The generated code is up to date."

.PHONY: crds
crds: setup ## Make the custom resource definitions anew (deploy/kubernetes/crds)
	$(TEST_SETTINGS) $(BIN)/python -m cycloud.kubernetes.crds deploy/kubernetes/crds

.PHONY: crds-check
crds-check: setup ## Whether they are what the protos and the kinds' definitions give
	@$(TEST_SETTINGS) $(BIN)/python -m cycloud.kubernetes.crds deploy/kubernetes/crds --check
	@echo "The custom resource definitions are up to date."

.PHONY: proto-lint
proto-lint: ## buf: lint, format and breaking changes against proto/baseline.binpb
	proto/buf.sh lint
	proto/buf.sh format --diff --exit-code --path proto/cycloud
	proto/buf.sh breaking --against proto/baseline.binpb

.PHONY: lock
lock: $(VENV)/.python ## Make requirements/*.txt anew from requirements/*.in
	@command -v uv >/dev/null || { echo "This needs uv: $(BIN)/python -m pip install uv, and its folder in PATH"; exit 1; }
	for name in base embedded production test dev; do \
	  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	    --custom-compile-command "make lock" requirements/$$name.in -o requirements/$$name.txt || exit 1; \
	done
