# make deck: build the PyTorch deck into build/. make test: run the quick tests. Both first install what they need.
# make quick: the tests of the core's rooms in less than a minute, for every edit; not those of whole commands or histories.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find cards -type f -not -name deck.lock) $(shell find src -type f -name '*.*' -not -name '*.pyc')

.PHONY: addon bench deck desktop dist pictures quick release scorecard site test test-core verify-gpu verify-newest
deck: build/pytorch.apkg

build/pytorch.apkg: $(VENV)/installed $(SOURCES)
	@$(BIN)/ptcards build cards -o build
	@touch $@

test: $(VENV)/installed-tests
	@$(BIN)/python -m pytest -q -n auto -m "not slow and not browser and not sandbox and not desktop"

quick: $(VENV)/installed-tests
	@$(BIN)/python -m pytest -q -n auto -m "not slow and not browser and not sandbox and not desktop" tests/test_bad.py \
		$(addprefix tests/,anki diagnostics files lint markdown notes search source writers)

# make test-core: run the quick tests of the core in a copy of the repository without the extensions. TESTS: only these files.
test-core: $(VENV)/installed-tests
	@core=$$(mktemp -d) && git ls-files -z | grep -zv '^src/ptcards/extensions/.*/' | tar --null -T - -c | tar -x -C $$core \
		&& cd $$core && PYTHONPATH=$$core/src $(CURDIR)/$(BIN)/python -m pytest -q -n auto \
		-m "not slow and not browser and not sandbox and not desktop" $(TESTS); status=$$?; rm -r $$core; exit $$status

$(VENV)/installed: pyproject.toml
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed-tests: $(VENV)/installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

# make desktop: run the tests that need a desktop Anki. DESKTOP_PYTHON: a Python (3.12 or later) that has `aqt`;
# ANKICONNECT: the folder of the add-on.
desktop: $(VENV)/installed-tests
	@DESKTOP_PYTHON="$(or $(DESKTOP_PYTHON),$(error set DESKTOP_PYTHON to a Python that has aqt))" \
		ANKICONNECT="$(or $(ANKICONNECT),$(error set ANKICONNECT to the folder of the add-on))" \
		$(BIN)/python -m pytest -q -m desktop tests

# make scorecard: measure reliability and write docs/reliability.md. LONG=1: the long form; ROW=9: only that row;
# SEED: other random numbers; JOBS: parallel processes.
scorecard: $(VENV)/installed-tests
	@PYTHONPATH=tests $(BIN)/python -m scorecard --write $(if $(LONG),--long) $(foreach row,$(ROW),--row $(row)) \
		$(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS))

# make pictures: draw the pictures of README.md and docs/ again, in Chromium and a terminal; look at them before you commit.
# With DESKTOP_PYTHON and ANKICONNECT (see `make desktop`), it also draws Anki's windows.
pictures: $(VENV)/installed-browser
	@$(BIN)/python -m pytest -q tests/test_pictures.py --update
	@$(BIN)/python pictures/model.py
	@PYTHONPATH=tests:. $(BIN)/python pictures/cards.py
	@PYTHONPATH=tests:. $(BIN)/python pictures/cheat_sheet.py
	@PYTHONPATH=tests $(BIN)/python pictures/demo.py
	@$(if $(DESKTOP_PYTHON),PYTHONPATH=tests DESKTOP_PYTHON="$(DESKTOP_PYTHON)" ANKICONNECT="$(ANKICONNECT)" $(BIN)/python pictures/push.py)
	@$(if $(DESKTOP_PYTHON),PYTHONPATH=tests:tests/extensions/publish/addon:. DESKTOP_PYTHON="$(DESKTOP_PYTHON)" ANKICONNECT="$(ANKICONNECT)" $(BIN)/python pictures/subscribe.py)

$(VENV)/installed-browser: $(VENV)/installed-tests
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[browser]'
	@touch $@

# make verify-newest: run the code on the cards on the oldest PyTorch that they support and on the newest release, and compare.
# The newest one brings several gigabytes of CUDA libraries, so .ci/run only has the oldest.
verify-newest: $(VENV)/installed
	@[ -d .venv-torch ] || $(PYTHON) -m venv .venv-torch
	@.venv-torch/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0 numpy
	@[ -d .venv-newest ] || $(PYTHON) -m venv .venv-newest
	@.venv-newest/bin/python -m pip install --quiet --disable-pip-version-check --upgrade torch numpy
	@$(BIN)/ptcards verify cards --strict --python .venv-torch/bin/python --python .venv-newest/bin/python
	@echo "Read these notes again for the newest release, and give them its number:"
	@grep -ho 'id=[^ ]* .*volatile::[0-9.]*' cards/*.md | sed 's/id=\([^ ]*\).*volatile::/  \1 /' | sort

# make verify-gpu: run the code on the cards that needs a GPU. GPU_PYTHON: a Python with torch, on a machine with an NVIDIA
# GPU; outputs of such code on the cards are recorded by hand.
verify-gpu: $(VENV)/installed
	@$(BIN)/python tests/verify_gpu.py cards "$(or $(GPU_PYTHON),$(error set GPU_PYTHON to a Python that has torch and a GPU))"

# make site: build a website from docs/ into build/site; a dead link is an error.
site: $(VENV)/installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@$(BIN)/zensical build --strict

# make addon: pack the add-on for Anki, which follows releases, into build/ptcards_subscribe.ankiaddon.
addon: $(VENV)/installed
	@$(BIN)/python addon/make.py build/ptcards_subscribe.ankiaddon

# make dist: build a wheel and an sdist into dist/, and check them.
dist: $(VENV)/installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check build twine
	@$(BIN)/python -m build --outdir dist .
	@$(BIN)/twine check --strict dist/*

# make release: release the PyTorch deck of the tag at HEAD into build/release/. VERSION=1.4: without a tag; FIRST=1: the first release.
release: $(VENV)/installed
	@$(BIN)/ptcards release cards $(VERSION) -o build/release $(if $(FIRST),--first)

# make bench: compare the speed of ptcards with other tools. NOTES=1000: smaller decks; CASES="cold check": only cases with
# one of these words. BASE=COMMIT: compare the CPU time with that of another commit instead.
ifdef BASE
bench: .venv-wheel/installed .venv-base-$(BASE)/installed
	@.venv-wheel/bin/python bench/pair.py .venv-base-$(BASE)/bin/ptcards $(if $(NOTES),--notes $(NOTES))
else
bench: .venv-wheel/installed .venv-bench/installed
	@.venv-wheel/bin/python bench/run.py $(if $(NOTES),--notes $(NOTES)) $(CASES)
endif

.venv-base-%/installed:
	@$(PYTHON) -m venv --clear .venv-base-$*
	@mkdir .venv-base-$*/source && git archive $* | tar -x -C .venv-base-$*/source
	@.venv-base-$*/bin/python -m pip install --quiet --disable-pip-version-check ./.venv-base-$*/source
	@touch $@

.venv-wheel/installed: pyproject.toml $(SOURCES)
	@$(PYTHON) -m venv --clear .venv-wheel
	@.venv-wheel/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir .venv-wheel .
	@.venv-wheel/bin/python -m pip install --quiet --disable-pip-version-check .venv-wheel/ptcards-*.whl
	@touch $@

.venv-bench/installed:
	@$(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check ankdown==0.7.1 markdown-anki-decks==1.1.1 click==8.0.4
	@touch $@
