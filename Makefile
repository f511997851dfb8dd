# SPDX-License-Identifier: BSD-2-Clause
#
# What a user or developer does, in one place. The parts have makefiles of their own.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

OUT := $(CURDIR)/build
PYTHON := $(CURDIR)/.venv/bin/python
# Half-minute QEMU runs are what system tests are made of; a hung one must not eat the rest.
SYSTEM_TEST_TIMEOUT ?= 300

export PYTHONPATH := $(CURDIR)/tool
export PYTHONDONTWRITEBYTECODE := 1

C_SOURCES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')
SHELL_SOURCES = cotenant .ci/run $(wildcard tool/setup/*.sh)

.PHONY: help setup images compile build run test test-unit test-system lint format lock clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | \
	    while IFS='|' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

setup: ## Install what is missing, fetch the FreeRTOS sources and the stock Debian images
	@tool/setup/setup.sh --images

compile: # The monitor and the tenants, on a machine that is set up
	@$(MAKE) --no-print-directory -C monitor OUT=$(OUT)
	@$(MAKE) --no-print-directory -C tenants OUT=$(OUT)

build: ## Compile the monitor and the tenants, setting up first
	@tool/setup/setup.sh
	@$(MAKE) --no-print-directory compile

run: ## Boot Debian beside FreeRTOS on one hart, under QEMU
	@./cotenant run examples/linux-freertos.toml

test: ## Set up, build, and run every check and test; prints the totals
	@tool/test-all.sh

test-unit: ## Run the tests that need no QEMU: C and Python
	@tool/setup/setup.sh
	@$(MAKE) --no-print-directory -C tests/unit/c OUT=$(OUT)
	$(PYTHON) -m pytest tests/unit/python

test-system: ## Boot systems under QEMU and test them
	@tool/setup/setup.sh --images
	@$(MAKE) --no-print-directory compile
	$(PYTHON) -m pytest --timeout=$(SYSTEM_TEST_TIMEOUT) tests/system

lint: ## Check format, types and common mistakes; changes nothing
	@tool/setup/setup.sh
	clang-format-14 --dry-run --Werror $(C_SOURCES)
	shellcheck --external-sources $(SHELL_SOURCES)
	$(PYTHON) -m ruff check
	$(PYTHON) -m ruff format --check
	$(PYTHON) -m mypy

format: ## Format C and Python sources in place
	@tool/setup/setup.sh
	clang-format-14 -i $(C_SOURCES)
	$(PYTHON) -m ruff check --fix
	$(PYTHON) -m ruff format

lock: ## Lock the newest versions of the Python packages (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --upgrade \
	    --no-annotate --no-emit-index-url --no-emit-find-links \
	    --custom-compile-command 'make lock' --output-file tool/requirements.txt \
	    tool/requirements.in tool/requirements-test.in

clean: ## Remove what was built; the cache and .venv stay
	rm -rf build
