# make run: the dashboard.  make test: all tests.  Both set up what they need; repeats start at once.
# make test-long: also bands of simulated rates, what takes long by nature, and over twenty thousand hostile inputs.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
PORT ?= 8501
ARGS ?=
# What an editable install is made of; any other change needs none.
PACKAGE := pyproject.toml requirements.txt hatch_build.py mtsig_core/version.py

# Where this is set, every process of the tests compiles all modules anew: servers, workers, commands.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test test-long test-lowest mutants bench setup check-python clean

run: $(VENV)/run.stamp
	$(VENV)/bin/python -m mtsig_core serve --port $(PORT) $(ARGS)

test: $(VENV)/test.stamp
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy & types=$$!; \
		$(VENV)/bin/python -m pytest -n auto --no-loadscope-reorder --durations=40; tested=$$?; \
		wait $$types || { echo "mypy found errors: see above." >&2; exit 1; }; exit $$tested

test-long: $(VENV)/test.stamp
	sh tests/store/install.sh
	$(VENV)/bin/python -m pytest -n auto -m "statistics or long"
	$(VENV)/bin/python -m pytest -n auto --hypothesis-profile thorough tests/readers tests/store tests/simulation tests/test_*.py tests/hostile tests/stats tests/metrics

# The tests but those of browser, server and types, with the lowest versions that requirements.txt allows.
test-lowest: | check-python
	$(PYTHON) -m venv $(VENV)-lowest
	sed -E 's/#.*//; s/>=([^,]+),.*/==\1/' requirements.txt > $(VENV)-lowest/lowest.txt
	$(VENV)-lowest/bin/python -m pip install --quiet --no-compile -c $(VENV)-lowest/lowest.txt -e '.[test]'
	$(VENV)-lowest/bin/python -m pytest -n auto tests --ignore=tests/browser --ignore=tests/server

# Breaks each estimator and the decision once, as tests/mutants.toml lists; ARGS=holm for some of the rows.
mutants: $(VENV)/test.stamp
	$(VENV)/bin/python -m tests.mutants $(ARGS)

bench: $(VENV)/test.stamp
	$(VENV)/bin/python -m benchmarks

setup: $(VENV)/run.stamp $(VENV)/test.stamp

$(VENV)/bin/python: | check-python
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip

$(VENV)/run.stamp: $(PACKAGE) | $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet --no-compile -e '.[dashboard]'
	touch $@

# What the tests need beside is installed while code is compiled (else each worker and server of the tests does it at
# once), and types are checked: that is quick once it was done.
# The tests are read once, which pytest rewrites then: else each of its workers does, in twice the time; and not before
# all is compiled, or that would be done twice.
# Python compiles what is imported when it is; to compile all that is installed takes half a minute more.
$(VENV)/test.stamp: $(VENV)/run.stamp tests/browser/install.sh tests/server/install.sh
	$(VENV)/bin/python -m mtsig_core compile --processes 1 & compiled=$$!; \
		{ sh tests/server/install.sh && sh tests/browser/install.sh; } & packages=$$!; \
		$(VENV)/bin/python -m pip install --quiet --no-compile -e '.[test]' && { \
			{ $(VENV)/bin/mypy >/dev/null || true; } & types=$$!; \
			wait $$packages && sh tests/browser/install.sh $(VENV)/bin/python && wait $$compiled && \
			{ $(VENV)/bin/python -m pytest --collect-only -q >/dev/null || true; } && wait $$types; }
	touch $@

check-python:
	@test -n "$(PYTHON)" || { echo "mtsig needs Python 3.11 or later, and found none." \
		"Install it, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }

clean:
	rm -rf $(VENV)
