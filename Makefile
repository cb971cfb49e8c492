# Every target sets itself up in $(VENV), from requirements.lock; nothing else on the machine is touched.

# Hundreds of processes in the tests would compile every module that they import.
unexport PYTHONDONTWRITEBYTECODE

VENV ?= .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
SPARK := $(VENV)/.spark
READY := $(VENV)/.ready
PIP = $(BIN)/python -m pip --disable-pip-version-check -qq install --no-compile --constraint requirements.lock
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then command -v $$p; break; fi; done)
PYTEST_ARGS ?= -q
FUZZ_MINUTES ?= 5
RTEC ?= ../RTEC
# The tests on Spark are one group: one of the workers starts a JVM and runs them, beside the workers that run the rest.
# That one waits for the JVM much of the time, so there is one worker more than cores.
WORKERS = $(shell $(BIN)/python -c 'import os; print(1 + len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else "auto")')
pytest = sh tests/spark/postgresql.sh; JAVA_HOME=$$(sh tests/spark/java.sh) || true; export JAVA_HOME; \
	$(if $(ROTATION),HOLDSFOR_ROTATION=$(ROTATION)) $(if $(FIRST_SEED),HOLDSFOR_FIRST_SEED=$(FIRST_SEED)) $(1) \
	$(BIN)/python -m pytest -n $(WORKERS) --durations 10 $(PYTEST_ARGS) $(2)
measure = for name in $(1); do printf '\n%s\n\n' "$$name" && $(BIN)/python benchmarks/$$name.py $(2) || exit 1; done

.DEFAULT_GOAL := help
.PHONY: help demo demo-spark test test-short test-long test-pythons test-spark test-rtec rtec-checkout lint lint-format lint-style lint-types hooks bench bench-cliffs bench-spark bench-rtec bench-incremental bench-long docs fuzz lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(CORE) ## run the toy day and city transport, and draw their timelines
	@mkdir -p build/demo
	@$(BIN)/holdsfor run apps/toy/rules.prolog apps/toy/background.prolog --input apps/toy/events.txt \
		--start 0 --end 30 --timeline build/demo/toy.png --timeline build/demo/toy.svg
	@$(BIN)/holdsfor run apps/ctm/rules.prolog apps/ctm/background.prolog --input apps/ctm/events.txt \
		--window 100 --final --timeline build/demo/ctm.png --timeline build/demo/ctm.svg
	@echo "The pictures are in build/demo."

demo-spark: $(SPARK) ## run a stream on Spark, and the same history as a job; Java is installed where that is possible
	@JAVA_HOME=$$(sh tests/spark/java.sh) && export JAVA_HOME && $(BIN)/python -m demo.spark.demo build/demo-spark

test: lint-format lint-style ## run every check: lint, types, unit, golden, property and documentation tests, those on Spark beside them
	@$(MAKE) --no-print-directory -j2 lint-types test-short
	@$(BIN)/python -m tests.pythons syntax

test-short: $(READY)
	@$(call pytest,,-m "not long")

test-long: lint ## the same with all seeds, ten times the examples, and clusters of several processes
	@$(call pytest,HOLDSFOR_LONG=1)

test-pythons: $(READY) ## run the tests without Spark on the other versions of Python that are installed
	@$(BIN)/python -m tests.pythons all

test-spark: $(READY) ## run the tests on Spark alone: most in one JVM, some on clusters of several processes
	@$(call pytest,,tests/spark)

test-rtec: rtec-checkout $(READY) ## compare with RTEC: its examples and unit tests, from a checkout in RTEC (../RTEC)
	@sh tests/rtec/swipl.sh
	@RTEC="$(abspath $(RTEC))" $(BIN)/python -m pytest -q tests/rtec

rtec-checkout:
	@test -f "$(RTEC)/src/RTEC.prolog" || { echo "No checkout of RTEC in $(RTEC). Get one, then say where it is:" >&2; \
		echo "    git clone https://github.com/aartikis/RTEC && make $(firstword $(MAKECMDGOALS)) RTEC=RTEC" >&2; exit 1; }

lint: lint-format lint-style lint-types ## check formatting, style and types

lint-format: $(READY)
	@$(BIN)/ruff format --check .

lint-style: $(READY)
	@$(BIN)/ruff check .

lint-types: $(READY)
	@$(BIN)/mypy --strict

hooks: $(READY) ## check formatting, style and types before every commit
	@$(BIN)/pre-commit install

bench: $(READY) ## measure parsing, loading, recognition, how they scale, Allen's relations and memory
	@$(call measure,front loading recognition onoff irrelevant allen allen_patterns memory live_memory curves delays evaluations feedback overlapping_windows)

bench-cliffs: $(READY) ## measure how the cost of every operator, kernel and shape of rules grows
	@$(call measure,cliffs)

bench-spark: $(READY) ## measure Spark beside the embedded engine; Java 17 is needed
	@$(call measure,spark scale)

bench-rtec: rtec-checkout $(READY) ## measure RTEC's applications on RTEC and on holdsfor, from a checkout in RTEC (../RTEC)
	@sh tests/rtec/swipl.sh
	@RTEC="$(abspath $(RTEC))" $(BIN)/python benchmarks/rtec.py --ten

bench-incremental: $(READY) ## measure late, revised and retracted records in windows of a million records
	@$(call measure,incremental)

bench-long: $(READY) ## measure up to ten million records, and draw the curves of the documentation anew
	@$(call measure,front loading recognition onoff irrelevant allen allen_patterns memory live_memory)
	@$(call measure,curves delays evaluations feedback overlapping_windows,--long --pictures docs/images)

docs: $(READY) ## build the documentation into build/site
	@$(BIN)/mkdocs build --strict --quiet --site-dir build/site
	@echo "The documentation is in build/site/index.html."

fuzz: $(READY) ## feed random text to the parser for FUZZ_MINUTES minutes (5)
	@$(BIN)/python -m tests.fuzz.run --minutes $(FUZZ_MINUTES)

lock: $(READY) ## pin the newest dependencies that fit in requirements.lock
	@$(BIN)/python -m pip --disable-pip-version-check -qq install uv
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev \
		--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
		--output-file requirements.lock pyproject.toml >/dev/null
	@echo "requirements.lock is up to date."

clean: ## remove what the other targets made
	@rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis src/*.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What the demo needs comes first, with the versions of requirements.lock; the tools are added to it.
$(CORE): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer not found; say where it is: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Setting up $(VENV) with $$($(PYTHON) --version)."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) setuptools
	@$(PIP) --no-build-isolation --editable '.[plot]'
	@touch $@

$(SPARK): $(CORE)
	@echo "Adding Spark to $(VENV)."
	@$(PIP) --no-build-isolation --editable '.[plot,spark]'
	@touch $@

$(READY): $(CORE)
	@echo "Adding the tools to $(VENV)."
	@$(PIP) --requirement requirements.lock
	@touch $@
