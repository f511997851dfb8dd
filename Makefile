# SPDX-License-Identifier: BSD-2-Clause
#
# What a user or developer does, in one place. The parts have makefiles of their own.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

PYTHON := $(CURDIR)/.venv/bin/python

export PYTHONPATH := $(CURDIR)/tool
export PYTHONDONTWRITEBYTECODE := 1

C_SOURCES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.cpp' '*.h')
TIDY_FLAGS := --target=riscv64 -march=rv64imac -std=c11 -ffreestanding \
    -Imonitor -I. -Ibuild/monitor
SHELL_SOURCES = cotenant .ci/run linux/debian/make-package \
    linux/cotenantctl/completion.bash linux/cohost/completion.bash tool/share/cotenant $(wildcard tool/setup/*.sh)

VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' tool/cotenant/__init__.py)
DEBS = cotenantctl cohost

.PHONY: help setup compile build run test test-long test-loaded endurance keep-durations test-unit test-system models prove prove-docs format deb lock clean \
    lint setup-tools lint-c-format lint-c lint-layers lint-shell lint-python lint-types lint-docs

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | \
	    while IFS='|' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

setup: ## Install what is missing, fetch the FreeRTOS sources and the stock Debian images
	@tool/setup/setup.sh --images

compile: # The monitor, the tenants, cotenantctl and cohost for this machine, on a machine that is set up
	@for part in monitor tenants linux/cotenantctl linux/cohost; do \
	    $(MAKE) --silent --no-print-directory -C $$part; \
	done | tool/setup/in-one-line.sh

build: ## Compile the monitor and the tenants, setting up first
	@tool/setup/setup.sh
	@tool/setup/compile.sh

run: ## Boot Debian beside FreeRTOS on one hart, under QEMU
	@./cotenant run examples/linux-freertos.toml

test: ## Set up, build, and run every check and test; prints the totals
	@tool/setup/setup.sh --tests --images
	@$(PYTHON) -m cotenant images fetch debian-disk
	@$(PYTHON) tests/run.py

test-long: ## Run the proofs, and the system tests that have a long form, in it; takes hours
	@tool/setup/setup.sh --proofs --images
	@$(PYTHON) -m cotenant images fetch debian-disk
	@$(PYTHON) tests/run.py --long

test-loaded: ## The same as test, TIMES=5 times, beside programs that keep processors and disk busy; hours
	@tool/setup/setup.sh --tests --images
	@$(PYTHON) -m cotenant images fetch debian-disk
	@$(PYTHON) tests/harness/beside_load.py $(if $(TIMES),--times $(TIMES))

endurance: ## Restart, switch, kill and cut some thousand times; PARTS=..., TIMES=...; hours
	@tool/setup/setup.sh --tests --images
	@$(MAKE) --no-print-directory compile
	@$(PYTHON) tests/harness/endurance.py $(PARTS) $(if $(TIMES),--times $(TIMES))

keep-durations: # Begin the tests of a fresh clone with those that took longest here
	@$(PYTHON) tests/harness/durations.py

test-unit: ## Run the tests that need no QEMU: C and Python
	@tool/setup/setup.sh --tests
	@$(MAKE) --no-print-directory -C tests/unit/c
	$(PYTHON) -m pytest tests/unit/python

models: ## Check the models of what harts do together, with SPIN
	@tool/setup/setup.sh --tests
	$(PYTHON) -m pytest tests/models

prove: ## Prove parts of the monitor free of undefined behaviour, with Frama-C; takes minutes
	@tool/setup/setup.sh --proofs
	@$(PYTHON) tests/harness/prove.py

prove-docs: # The same, and the table that it prints goes to docs/proofs.md
	@tool/setup/setup.sh --proofs
	@$(PYTHON) tests/harness/prove.py --docs

test-system: ## Boot systems under QEMU and test them
	@tool/setup/setup.sh --images
	@$(MAKE) --no-print-directory compile
	$(PYTHON) -m pytest tests/system

lint: setup-tools lint-c-format lint-c lint-layers lint-shell lint-python lint-types lint-docs ## Check format, layers, types, figures and common mistakes; changes nothing

setup-tools:
	@tool/setup/setup.sh --tests

lint-c-format:
	@clang-format-14 --dry-run --Werror $(C_SOURCES)

# Only the monitor: it is what every tenant depends on. stderr counts warnings of system headers.
lint-c: compile
	@printf '%s\n' $(filter monitor/%.c,$(C_SOURCES)) | \
	    xargs -P 2 -n 8 sh -c 'exec clang-tidy-14 --quiet "$$@" -- $(TIDY_FLAGS) 2>/dev/null' tidy

# No circles of files in the monitor, and folders in one order: monitor/layers.toml.
lint-layers: compile
	@$(PYTHON) tests/harness/layers.py

lint-shell:
	@shellcheck $(SHELL_SOURCES)

lint-python:
	@$(PYTHON) -m ruff check
	@$(PYTHON) -m ruff format --check

lint-types:
	@$(PYTHON) -m mypy

lint-docs:
	@$(PYTHON) -m cotenant report --check

format: ## Format C and Python sources in place
	@tool/setup/setup.sh --tests
	clang-format-14 -i $(C_SOURCES)
	$(PYTHON) -m ruff check --fix
	$(PYTHON) -m ruff format

deb: ## Make the Debian packages of cotenantctl and cohost for riscv64, and let lintian look at them
	@tool/setup/setup.sh --tests
	@exec 9>build/.deb-lock; flock 9; \
	for name in $(DEBS); do \
	    rm -f build/$$name/riscv64; \
	    $(PYTHON) -m cotenant images copy $$name build/$$name/riscv64; \
	    package=build/$${name}_$(VERSION)_riscv64.deb; \
	    linux/debian/make-package $$name build/$$name/riscv64 $(VERSION) $$package.new; \
	    mv $$package.new $$package; \
	    lintian --fail-on info,warning,error $$package 2>/dev/null; \
	    echo $$package; \
	done

lock: ## Lock the newest versions of the Python packages (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --upgrade \
	    --no-annotate --no-emit-index-url --no-emit-find-links \
	    --custom-compile-command 'make lock' --output-file tool/requirements.txt \
	    tool/requirements.in tool/requirements-test.in

clean: ## Remove what was built; the cache and .venv stay
	rm -rf build
