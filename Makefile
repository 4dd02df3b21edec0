# The course's commands: `make` lists them. GNU make 3.81 or newer; on Windows see README.md.

VENV    ?= .venv
BIN     := $(VENV)/bin
IN_RANGE := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))
PYTHON  ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
             $$p -c '$(IN_RANGE)' 2>/dev/null && { echo $$p; break; }; done)
# TORCH_INDEX=ADDRESS: take PyTorch from there. On Linux without a GPU the address that pytorch.org shows
# under "Get Started" for CPU saves several gigabytes.
TORCH_INDEX ?=
# uv installs faster than pip, where it is there (UV=: do without it)
UV      ?= $(shell command -v uv)
# NAME=04_elmo: one notebook instead of all
NAME    ?=
# EDITION=ko: the Korean notebooks
EDITION ?= en
CHAPTER ?= 0

KO      := $(if $(filter ko,$(EDITION)),ko/)
INSTALLER := $(if $(UV),$(UV) pip install -q --python $(BIN)/python,$(BIN)/python -m pip install -q --disable-pip-version-check --no-warn-conflicts)
READY   := $(VENV)/.ready
TESTED  := $(VENV)/.ready-to-test
REPORTS := build/reports
export JUPYTER_PREFER_ENV_PATH := 1
export PYTHONDONTWRITEBYTECODE :=# else each process of the tests compiles the course anew, where a machine sets it

.PHONY: help lab test unit browser check notebooks run-notebooks bench latency slow gpu walk pictures site format clean
.DEFAULT_GOAL := help
.NOTPARALLEL:

help:                ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1	\2/p' Makefile | expand -t 20

lab: $(READY)        ## open the course in JupyterLab (CHAPTER=4: there; the first time it is installed into .venv: some minutes)
	@$(BIN)/course lab $(CHAPTER)

test: $(TESTED)      ## everything CI does: style, unit tests, widgets in a browser, all notebooks without network
	@rm -rf $(REPORTS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tests.javascript --check
	@$(MAKE) unit browser check run-notebooks
	@$(BIN)/python -m tests.summary $(REPORTS)

unit: $(TESTED)      ## the unit tests, two at a time
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -p no:nbval -m "not browser and not slow and not gpu" \
	    -n 2 --dist loadfile --no-loadscope-reorder \
	    --junitxml $(REPORTS)/unit.xml tests

# Only files with such tests: else each of the two processes imports all others, too.
BROWSER = tests/browser $(filter-out tests/browser/%,$(sort $(shell grep -rl --include 'test_*.py' 'mark\.browser' tests)))

browser: $(TESTED)   ## the widgets in Chromium, two files at a time
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -p no:nbval -m "browser and not slow" -n 2 --dist loadgroup \
	    --junitxml $(REPORTS)/browser.xml $(BROWSER)

check: $(TESTED)     ## is every stored notebook what its text says, and the Korean what the English says? (no kernel)
	$(BIN)/python -m tests.notebooks.build check $(NAME)

# Korean notebooks have the English code, which a test proves, and ran when they were built: some run each time, all by EDITION=ko
KO_RUN := $(patsubst %,notebooks/ko/%.ipynb,00_start_here A1_data)

run-notebooks: $(TESTED)  ## run every stored notebook, network blocked, two at a time (EDITION=ko: all Korean ones)
	PYTHONPATH="$(CURDIR)/tests/offline" OMP_NUM_THREADS=1 $(BIN)/python -m pytest \
	    --nbval-lax --nbval-current-env --nbval-cell-timeout 600 --nbval-kernel-startup-timeout 120 \
	    -n 2 --dist loadscope --no-loadscope-reorder -p tests.notebooks.guard -o filterwarnings=default \
	    --junitxml $(REPORTS)/notebooks.xml $(if $(NAME),notebooks/$(KO)$(NAME).ipynb,$(if $(KO),notebooks/ko,notebooks/*.ipynb $(KO_RUN)))

notebooks: $(TESTED) ## build notebooks/*.ipynb from notebooks/text/*.md, executed (NAME=04_elmo: that one; EDITION=ko)
	$(BIN)/python -m tests.notebooks.build build $(NAME) --edition $(EDITION)

bench: $(TESTED)     ## the speed table; writes bench.json (run nothing beside it)
	$(BIN)/python -m tests.bench

latency: $(TESTED)   ## from a key press to the picture, for each widget; into bench.json (run nothing beside it)
	$(BIN)/python -m tests.bench.latency

slow: $(TESTED)      ## the tests that take minutes
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m slow tests

gpu: $(TESTED)       ## the tests that need a CUDA device
	$(BIN)/python -m pytest -m gpu tests

walk: $(TESTED)      ## every chapter by Run All in a real JupyterLab, with a picture of each output in build/walk
	$(BIN)/python -m tests.notebooks.walk $(NAME)

pictures: $(TESTED)  ## the pictures of both READMEs and the heights of the site's frames anew, from the stored notebooks (needs Chromium)
	$(BIN)/python -m tests.notebooks.pictures

site: $(TESTED)      ## the course as a website in build/site: static pages, widgets live, no network; checked
	@$(BIN)/course site

format: $(TESTED)    ## put the code into the one format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python -m tests.javascript

clean:               ## remove .venv and everything that can be made again
	rm -rf $(VENV) build .pytest_cache .ruff_cache .hypothesis *.egg-info
	find course course_lib tests -name __pycache__ -prune -exec rm -rf {} +

# On Python 3.11 the versions are those of constraints.txt, on newer ones the newest that fit.
# PyTorch comes first and alone: a command that names it among others may choose another build of it.
$(READY): pyproject.toml constraints.txt
	@test -x $(BIN)/python || { test -n "$(PYTHON)" || { \
	    echo "No Python 3.11, 3.12, 3.13 or 3.14 was found. Install one, or name it: make lab PYTHON=/path/to/python"; exit 1; }; \
	    echo "Making $(VENV) with $(PYTHON)"; $(PYTHON) -m venv $(VENV) || { \
	    echo "Python cannot make environments here (on Debian: apt-get install python3-venv)."; exit 1; }; }
	@$(BIN)/python -c '$(IN_RANGE)' || { echo "$(VENV) has another Python than 3.11 to 3.14: make clean, then again."; exit 1; }
	$(call install,torch $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)))
	$(call install,-e .)
	$(call install,--no-deps bertviz)
	@touch $@

$(TESTED): $(READY)
	$(call install,-e ".[test]")
	@touch $@

# bertviz comes without what it asks for, so pip is not to warn of that.
install = @echo "Installing $(1)"; pins=; $(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' \
    && pins="-c constraints.txt"; $(INSTALLER) $$pins $(1)
