# Everything that a developer runs. `make demo` and `make test` need only Python 3.11, make and a C compiler.
VENV ?= .venv
PYTHON ?= python3.11
BIN := $(VENV)/bin
DEMO_HOME ?= demo-arena
# The preset that the demo is played by, one of those that `kawuxing rules list` prints.
RULES ?= xiangyang
# More for pytest, such as make test PYTEST_ARGS="-k wall".
PYTEST_ARGS ?=

.DEFAULT_GOAL := help

.PHONY: help
help: ## Say what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 24

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(VENV)/installed: $(BIN)/python pyproject.toml constraints.txt
	@echo "Installing Kawuxing Arena into $(VENV) …"
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[arena]'
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[arena]' --group dev
	@touch $@

.PHONY: install
install: $(VENV)/installed ## Make a virtual environment with the arena

.PHONY: install-dev
install-dev: $(VENV)/installed-dev ## The same with all that developing needs

.PHONY: demo
demo: $(VENV)/installed ## Play a small tournament between shipped bots and print the leaderboard; RULES=preset
	$(BIN)/kawuxing run examples/demo.toml --rules $(RULES) --home $(DEMO_HOME)

.PHONY: test
test: $(VENV)/installed-dev ## Run the tests that need only Python and little time
	$(BIN)/python -m pytest -m "not servers and not languages and not long" $(PYTEST_ARGS)

.PHONY: test-all
test-all: $(VENV)/installed-dev ## Run the tests that need servers, other languages or minutes too
	$(BIN)/python -m pytest $(PYTEST_ARGS)

.PHONY: coverage
coverage: $(VENV)/installed-dev ## Measure which lines and branches the tests run
	$(BIN)/python -m pytest -m "not servers and not languages and not long" --cov --cov-report=term --cov-report=html $(PYTEST_ARGS)

.PHONY: lint
lint: $(VENV)/installed-dev ## Lint, types, layers, protocol
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy tests benchmarks proto/generate.py proto/reference.py
	$(BIN)/lint-imports --no-cache
	$(BIN)/buf lint proto
	$(BIN)/buf breaking proto --against proto/baseline.binpb

.PHONY: format
format: $(VENV)/installed-dev ## Format the code
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

.PHONY: proto
proto: $(VENV)/installed-dev ## Generate the Python code of the protocol
	$(BIN)/python proto/generate.py

.PHONY: protocol-docs
protocol-docs: $(VENV)/installed-dev ## Write the protocol reference for authors of bots
	$(BIN)/python proto/reference.py

.PHONY: proto-baseline
proto-baseline: $(VENV)/installed-dev ## Make today's protocol the one that changes are checked against: only at a release
	$(BIN)/buf build proto --exclude-source-info -o proto/baseline.binpb

.PHONY: golden
golden: $(VENV)/installed-dev ## Play the golden tournament and wire vectors of every preset again and pin what comes out
	$(BIN)/python -m tests.golden.tournaments
	$(BIN)/python -m tests.golden.wire

.PHONY: rules-docs
rules-docs: $(VENV)/installed-dev ## Write the option table of the rules
	$(BIN)/python -c 'from kawuxing.cli.rules_table import options_page; print(options_page(), end="")' > docs/rules/options.md

.PHONY: constraints
constraints: $(VENV)/installed-dev ## Write the installed versions down as those to install
	@echo '# The versions that this project is tested with, on Python 3.11. `make constraints` writes this file.' > constraints.txt
	$(BIN)/python -m pip freeze --exclude-editable | LC_ALL=C sort -f >> constraints.txt

.PHONY: benchmark
benchmark: $(VENV)/installed-dev ## Measure hands and decisions a CPU second
	$(BIN)/python benchmarks/engine_hands.py
	$(BIN)/python benchmarks/grpc_decisions.py
	$(BIN)/python benchmarks/rules_tools.py
	$(BIN)/python benchmarks/kit.py
