# The two commands for a newcomer are `make demo` and `make test`; both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
.PHONY: demo test test-all coverage test-lab test-peers test-ray test-browser page screenshots docs lint format lock bench bench-exact bench-peers bench-scale bench-ray calibration mutants sessions clean

$(READY): requirements-dev.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "nerscope needs Python 3.11 or newer; say make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

demo: $(READY)
	$(BIN)/nerscope demo nerscope-demo

# Every module, without slow tests and with a tenth of the generated examples.
test: $(READY)
	$(BIN)/python -m pytest --quick

test-all: $(READY)
	$(BIN)/python -m pytest

# How much of the code the tests run, branches too: the same tests, at half the speed.
coverage: $(READY)
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# The recipes behind extras, in an environment of their own: tiny models, trained for real. Torch comes first and by itself, so
# that a build without support for graphics cards can be taken: make test-lab TORCH=FILE.whl
TORCH ?= torch==2.13.0
LAB := .venv-lab/bin
test-lab: .venv-lab/.ready
	$(LAB)/python -m pytest -o addopts="--doctest-modules --strict-markers --import-mode=importlib -q" tests/lab/extras src/nerscope/lab

.venv-lab/.ready: requirements-lab.txt pyproject.toml
	$(PYTHON) -m venv .venv-lab
	$(LAB)/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	$(LAB)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-lab.txt
	$(LAB)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# The drop-ins beside the tools they stand in for, and what other libraries hand in and take out.
PEERS := .venv-peers/bin
test-peers: .venv-peers/.ready
	$(PEERS)/python -m pytest -o addopts="--strict-markers --import-mode=importlib -q -n 2" tests/peers

.venv-peers/.ready: requirements-peers.txt pyproject.toml
	$(PYTHON) -m venv .venv-peers
	$(PEERS)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-peers.txt
	$(PEERS)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# The engine for clusters on a real one: two nodes on this machine. What Ray itself leaves open does not count.
RAY := .venv-ray/bin
test-ray: .venv-ray/.ready
	$(RAY)/python -m pytest -o addopts="--strict-markers --import-mode=importlib -q" -W ignore::ResourceWarning \
		-W ignore::pytest.PytestUnraisableExceptionWarning tests/cluster

.venv-ray/.ready: requirements-ray.txt pyproject.toml
	$(PYTHON) -m venv .venv-ray
	$(RAY)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-ray.txt
	$(RAY)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# The report in a real browser, and the page's own logic; installs Debian's chromium where it is missing.
test-browser: $(READY) web/node_modules/.ready
	command -v chromium >/dev/null || test -n "$$CHROMIUM" || apt-get install --yes --quiet chromium \
		|| { apt-get update --quiet && apt-get install --yes --quiet chromium; }
	cd web && npm run --silent check && npm run --silent test
	$(BIN)/python -m pytest -o addopts="--import-mode=importlib -q" tests/browser

web/node_modules/.ready: web/package-lock.json
	cd web && npm install --no-save --silent
	touch $@

# The template of the report from its source; users never need this.
page: web/node_modules/.ready
	cd web && npm run --silent build

# Pictures of the report for the documentation.
screenshots: $(READY)
	PYTHONPATH=. $(BIN)/python -m tests.browser.screenshots

# The documentation as a site in build/site, which opens from a disk; strict about links, and nothing is fetched from elsewhere.
docs: .venv-docs/.ready
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build  # as it is: strictness ends where warnings are not shown
	.venv-docs/bin/python -m website.check build/site

.venv-docs/.ready: requirements-docs.txt pyproject.toml
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.txt
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url \
		requirements-dev.in -o requirements-dev.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url \
		requirements-docs.in -o requirements-docs.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url \
		--override requirements-lab.overrides --no-emit-package torch requirements-lab.in -o requirements-lab.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url \
		requirements-peers.in -o requirements-peers.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url \
		requirements-ray.in -o requirements-ray.txt

bench: $(READY)
	$(BIN)/python benchmarks/run.py

# What docs/performance.md tells of; OPTIONS makes them short or long: make bench-exact OPTIONS="--tokens 200000"
bench-exact: $(READY)
	$(BIN)/python benchmarks/exact.py $(OPTIONS)

bench-peers: $(READY)
	$(BIN)/python benchmarks/peers.py $(OPTIONS)

bench-scale: $(READY)
	$(BIN)/python benchmarks/scale.py $(OPTIONS)

bench-ray: .venv-ray/.ready
	$(RAY)/python benchmarks/ray_overhead.py $(OPTIONS)

# Are p-values and intervals what they claim? DIR has test.txt, train.txt and systems/; some 25 minutes.
calibration: $(READY)
	$(BIN)/python benchmarks/calibration.py --corpus $(DIR)
	$(BIN)/python benchmarks/diagnosis_level.py --corpus $(DIR)

# Do the tests notice small changes? About half an hour.
mutants: $(READY)
	$(BIN)/python benchmarks/mutants.py

# What the commands in the documentation print, and the cells of the notebook, written into them.
sessions: $(READY)
	PYTHONPATH=. $(BIN)/python -m tests.project.sessions --write
	PYTHONPATH=. $(BIN)/python -m tests.project.notebook --write

clean:
	rm -rf $(VENV) .venv-lab .venv-peers .venv-ray .venv-docs build nerscope-demo .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
