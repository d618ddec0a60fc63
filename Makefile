# `make` lists the targets. Each sets up the environment that it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
.DEFAULT_GOAL := help
.PHONY: help demo test test-all coverage test-lab test-peers test-ray test-browser page screenshots docs lint format lock \
	release bench bench-exact bench-peers bench-scale bench-ray calibration mutants sessions clean

# The text behind `##` of a target is its help; a line that begins with `##@` is a heading.
help:
	@awk 'BEGIN {FS = ":.*## "} /^##@ / {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# install ENVIRONMENT GROUP: an environment with the locked packages of a group and this checkout. `--no-deps` belongs to
# the group lab alone: its torch was installed before and is not in the lock.
PIP := -m pip install --quiet --disable-pip-version-check
define install
	$(1)/bin/python $(PIP) $(3) --require-hashes -r requirements/$(2).txt
	$(1)/bin/python $(PIP) --no-deps --no-build-isolation -e .
	touch $(1)/.ready
endef

$(READY): requirements/dev.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "nerscope needs Python 3.11 or newer; say make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(call install,$(VENV),dev)

##@ A first day
demo: $(READY)  ## write demonstration data, results and a report to nerscope-demo/
	$(BIN)/nerscope demo nerscope-demo

test: $(READY)  ## quick tests of every module, under three minutes
	$(BIN)/python -m pytest --quick

lint: $(READY)  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)  ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

##@ Before a change lands (.ci/run calls these and lint)
test-all: $(READY)  ## every test that needs no environment of its own
	$(BIN)/python -m pytest

# Torch comes first and alone, so that a build without support for graphics cards can be taken: make test-lab TORCH=FILE.whl
TORCH ?= torch==2.13.0
LAB := .venv-lab/bin
test-lab: .venv-lab/.ready  ## recipes behind extras: tiny models, really trained
	$(LAB)/python -m pytest -o addopts="--doctest-modules --strict-markers --import-mode=importlib -q" tests/lab/extras src/nerscope/lab

.venv-lab/.ready: requirements/lab.txt pyproject.toml
	$(PYTHON) -m venv .venv-lab
	$(LAB)/python $(PIP) $(TORCH)
	$(call install,.venv-lab,lab,--no-deps)

PEERS := .venv-peers/bin
test-peers: .venv-peers/.ready  ## drop-ins beside the tools that they replace
	$(PEERS)/python -m pytest -o addopts="--strict-markers --import-mode=importlib -q -n 2" tests/peers

.venv-peers/.ready: requirements/peers.txt pyproject.toml
	$(PYTHON) -m venv .venv-peers
	$(call install,.venv-peers,peers)

# Ray leaves sockets and processes open when it shuts down; their warnings do not count.
RAY := .venv-ray/bin
test-ray: .venv-ray/.ready  ## the engine for clusters, on two nodes of this machine
	$(RAY)/python -m pytest -o addopts="--strict-markers --import-mode=importlib -q" -W ignore::ResourceWarning \
		-W ignore::pytest.PytestUnraisableExceptionWarning tests/cluster

.venv-ray/.ready: requirements/ray.txt pyproject.toml
	$(PYTHON) -m venv .venv-ray
	$(call install,.venv-ray,ray)

# Installs Debian's chromium where no browser is found.
test-browser: $(READY) web/node_modules/.ready  ## the report in a real browser (needs Node.js)
	command -v chromium >/dev/null || test -n "$$CHROMIUM" || apt-get install --yes --quiet chromium \
		|| { apt-get update --quiet && apt-get install --yes --quiet chromium; }
	cd web && npm run --silent check && npm run --silent test
	$(BIN)/python -m pytest -o addopts="--import-mode=importlib -q" tests/browser

web/node_modules/.ready: web/package-lock.json
	cd web && npm install --no-save --silent
	touch $@

##@ After a change
sessions: $(READY)  ## write what commands print into the documentation and the notebook
	PYTHONPATH=. $(BIN)/python -m tests.project.sessions --write
	PYTHONPATH=. $(BIN)/python -m tests.project.notebook --write
	PYTHONPATH=. $(BIN)/python -m tests.project.picture --write

page: $(READY) web/node_modules/.ready  ## build the template of the report from web/
	$(BIN)/python web/page_types.py
	cd web && npm run --silent build

screenshots: $(READY)  ## pictures of the report for the documentation
	PYTHONPATH=. $(BIN)/python -m tests.browser.screenshots

docs: .venv-docs/.ready  ## the documentation as a site in build/site
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build  # not --quiet: strictness ends where warnings are not shown
	.venv-docs/bin/python -m website.check build/site

.venv-docs/.ready: requirements/docs.txt pyproject.toml
	$(PYTHON) -m venv .venv-docs
	$(call install,.venv-docs,docs)

LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url \
	pyproject.toml
lock:  ## pin the dependency groups of pyproject.toml under requirements/ (needs uv)
	$(LOCK) --group dev -o requirements/dev.txt
	$(LOCK) --group docs -o requirements/docs.txt
	$(LOCK) --group lab --override requirements/lab.overrides --no-emit-package torch -o requirements/lab.txt
	$(LOCK) --group peers -o requirements/peers.txt
	$(LOCK) --group ray -o requirements/ray.txt

##@ Before a release
coverage: $(READY)  ## which code the tests run, branches too; as test-all at half the speed
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

mutants: $(READY)  ## whether the tests notice small changes; half an hour
	$(BIN)/python benchmarks/mutants.py

release: $(READY)  ## build wheel and source archive into dist/, and test them
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/python -m pytest tests/project/test_distribution.py tests/project/test_workflows.py

##@ Measurements (docs/performance.md, docs/statistics.md); OPTIONS makes them short or long
bench: $(READY)  ## speed beside other tools
	$(BIN)/python benchmarks/run.py

bench-exact: $(READY)  ## exact scores of a large corpus: make bench-exact OPTIONS="--tokens 200000"
	$(BIN)/python benchmarks/exact.py $(OPTIONS)

bench-peers: $(READY)  ## drop-ins beside the tools that they replace
	$(BIN)/python benchmarks/peers.py $(OPTIONS)

bench-scale: $(READY)  ## time and memory as the corpus grows
	$(BIN)/python benchmarks/scale.py $(OPTIONS)

bench-ray: .venv-ray/.ready  ## what a cluster costs beside the pool
	$(RAY)/python benchmarks/ray_overhead.py $(OPTIONS)

calibration: $(READY)  ## are p-values and intervals what they claim? DIR has test.txt, train.txt, systems/; 25 minutes
	$(BIN)/python studies/calibration.py --corpus $(DIR)
	$(BIN)/python studies/diagnosis_level.py --corpus $(DIR)
	$(BIN)/python studies/dependence.py $(DIR)

clean:  ## remove environments, caches and what was built
	rm -rf $(VENV) .venv-lab .venv-peers .venv-ray .venv-docs build dist nerscope-demo .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
