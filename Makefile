# The way from clone to book. `make help` lists the targets.

PYTHON ?= python3
JOBS ?= $(shell $(PYTHON) -c 'import os; print(os.cpu_count())')
PAGES ?=
PYTEST_ARGS ?=
NBVAL_ARGS ?=
# of random slips: another seed every day
SEED ?= $(shell date +%Y%m%d)
COUNT ?= 100

CHROMIUM := $(shell command -v chromium)
BIN := .venv/bin
TOOL := $(BIN)/python -m userdp_book
PIP := $(BIN)/python -m pip install --quiet -c constraints.txt
ALL := -e . -e 'src[book,peers,teach,test]'
QUICK := not browser and not slow and not long and not statistical and not slips
NBVAL = $(BIN)/pytest --nbval -n $(JOBS) --dist loadfile $(NBVAL_ARGS) notebooks
BUILD := $(TOOL) html --jobs $(JOBS)
# Python beside the pages: the figures that move.
FIGURES := $(wildcard book/*.py book/*/*.py)

# One thread a process, since there is a process a core; nothing in outputs that changes from run to run.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
# Keep freed memory: arrays of a megabyte come and go, and giving each back to the system costs a fifth of the time.
export MALLOC_TRIM_THRESHOLD_ := 1000000000
export MALLOC_MMAP_THRESHOLD_ := 1000000000
export TQDM_DISABLE := 1
export PYTHONHASHSEED := 0
# Compiled modules and kernels are kept beside their sources: most processes start on the same ones.
unexport PYTHONDONTWRITEBYTECODE
export JUPYTER_PREFER_ENV_PATH := 1
export PYDEVD_DISABLE_FILE_VALIDATION := 1
# A reader's own IPython profile shall not change what a page prints.
export IPYTHONDIR := $(CURDIR)/.venv/ipython

# Where there is a browser the tests look at the book, so it is built first; CI must have one,
# and runs pages in it.
BOOK_IF_BROWSER := $(if $(filter true,$(CI)),live,$(if $(CHROMIUM),book))

.PHONY: help live check-live serve book pdf epub errata execute test check unit lint nbval check-launch sync run proofs seconds labs course bench \
  deployable release mutants held flakes clean distclean
.DEFAULT_GOAL := help

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

book: execute ## run what has changed, then build the book into _build/html
	$(BUILD)
	@echo "The book is at _build/html/index.html"

# All three take pages from the built book, and the book is built again to offer them.
pdf: book ## print the book with Chromium into _build/downloads/userdp.pdf
	$(TOOL) pdf
	$(BUILD)

epub: book ## make _build/downloads/userdp.epub with Chromium
	$(TOOL) epub
	$(BUILD)

errata: book ## write the errata for the papers' authors into _build/downloads, as PDF and LaTeX
	$(TOOL) errata
	$(BUILD)

execute: .venv/.ready ## run what has changed, say which stored outputs differ
	$(TOOL) execute --jobs $(JOBS)

test: lint execute .venv/ibis/.ready $(BOOK_IF_BROWSER) ## everything: style, spelling, all tests, what was run against what is stored
	$(BIN)/pytest -n $(JOBS) --dist loadgroup -rs $(PYTEST_ARGS)
	$(NBVAL) --nbval-recorded

# The engines of ibis need Arrow, which changes how pandas keeps text: it lies beside what the pages import.
.venv/ibis/.ready: .venv/.ready
	$(PIP) --target .venv/ibis --upgrade --no-deps atpublic ibis-framework parsy pyarrow pyarrow-hotfix regex sqlglot
	touch $@

check: .venv/.ready ## in a minute: style, types, spelling and the unit tests that are quick
	$(MAKE) --no-print-directory --jobs 2 lint unit

# Each of $(JOBS) processes takes its share of the files: to hand tests out one by one costs a sixth more, and
# nbval each process half a second. pytest ends with 5 where a share has no test that is asked for.
unit: .venv/.ready
	seq $(JOBS) | xargs -P $(JOBS) -I{} sh -c '$(BIN)/pytest -q -p no:nbval -n 0 -m "$(QUICK)" $(PYTEST_ARGS) \
	  $$(find tests -name "test_*.py" | sort | awk "NR % $(JOBS) + 1 == {}") || [ $$? = 5 ]'

nbval: .venv/.ready ## run every notebook afresh, each in its own interpreter, and compare with its stored outputs
	$(NBVAL) --nbval-current-env

lint: .venv/.ready ## ruff, the plan of the imports, types and codespell
	$(BIN)/ruff check src tests tools notebooks $(FIGURES)
	$(BIN)/ruff format --check src tests tools $(FIGURES)
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/codespell book src tests tools *.md

live: .venv/.ready ## build a book whose pages run in the browser without internet (50 MB more)
	$(BIN)/python tools/fetch_live.py
	$(MAKE) book

check-live: live ## run all quick pages in Chromium (20 minutes); a failure says what differs.csv should say
	USERDP_LIVE=all $(BIN)/pytest -n $(JOBS) --dist loadgroup tests/book/test_live.py tests/book/test_course.py -k Chromium

serve: book ## show the book at http://localhost:8000, where its pages can run
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html 8000

check-launch: .venv/.ready ## what Colab and Binder do, in empty environments (downloads them twice)
	USERDP_LAUNCH=1 $(BIN)/pytest -p no:cacheprovider tests/book/test_launch.py

sync: .venv/.ready ## write notebooks/ from book/ without running; outputs after a changed cell are dropped
	$(TOOL) sync $(PAGES)

run: .venv/.ready ## run afresh and store the outputs (PAGES="book/a.md book/b.md": only these)
	$(TOOL) run --jobs $(JOBS) $(PAGES)

# Coq checks a proof in seconds and says in as many what it rests on.
proofs: .venv/.ready ## compile the proofs, ask each theorem what it rests on, store it (needs Coq)
	$(BIN)/python tools/prove.py $(JOBS)

seconds: .venv/.ready ## note the seconds of the last runs, from which later ones are foretold
	$(BIN)/python tools/seconds.py

labs: .venv/.ready ## write the student copies of the labs into book/teach/student
	$(TOOL) labs

TEACHER = $(firstword $(wildcard $(BIN)/python) $(PYTHON))

course: ## DIR=../course: a folder to teach from with nbgrader (SECRET="words" that hidden checks draw from)
	@echo "This needs the tools for teaching, but no built book and no internet. It takes a minute."
	$(TEACHER) -m userdp_book course $(if $(SECRET),--secret "$(SECRET)") $(DIR)
	$(TEACHER) tools/examination.py $(DIR)
	$(TEACHER) tools/slides.py $(DIR)/slides

bench: .venv/.ready ## time the same work by this package and by others; memory for 10^8 records
	$(BIN)/python tools/bench.py

# What Colab opens is what is stored: after the address has changed, `make sync labs` and a commit.
deployable: ## fail if a link or a notebook still leads to nobody's repository
	@! grep -rlF 'github.com/OWNER/' _build/html notebooks book/teach/student

release: .venv/.ready ## VERSION=1.2.0: set it, date the changelog, make and try the wheel and the sdist, commit, tag
	$(BIN)/python tools/release.py $(VERSION)
	rm -rf _build/dist && $(BIN)/uv build --quiet --out-dir _build/dist
	USERDP_LAUNCH=1 $(BIN)/pytest -p no:cacheprovider tests/book/test_launch.py -k distribution
	git commit --quiet --message "Release $(VERSION)" CHANGELOG.md CITATION.cff src/userdp/__init__.py
	git tag v$(VERSION)
	@echo "git push --follow-tags origin HEAD v$(VERSION) publishes it"

mutants: .venv/.ready ## plant random slips, run the tests that could see each, store what came of it (SEED=1 COUNT=100)
	$(BIN)/python tools/campaign.py --jobs $(JOBS) --seed $(SEED) --count $(COUNT)

held: .venv/.ready ## before stored numbers are written anew: which slips and mutants nothing else would see
	$(BIN)/python tools/held.py --jobs $(JOBS)

# What may not run beside itself, Coq in its folder, is left out.
flakes: .venv/.ready ## the unit tests ten times, five rounds at once: each beside four busy processes (two hours)
	mkdir -p _build/flakes
	seq 10 | xargs -P 5 -I{} sh -c '$(BIN)/pytest -q -n 0 -p no:cacheprovider -p no:nbval \
	  -m "not browser and not slips and not xdist_group" --ignore tests/book $(PYTEST_ARGS) > _build/flakes/{}.log; \
	  code=$$?; echo "round {}: $$(tail -n 1 _build/flakes/{}.log)"; exit $$code'

clean: ## remove what was built
	rm -rf _build

distclean: clean ## remove the environment as well
	rm -rf .venv

# uv installs in a tenth of the time; where it cannot be had, or cannot reach what pip can, pip does it.
.venv/.ready: pyproject.toml src/pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PIP) uv==0.13.9 && UV_NATIVE_TLS=1 $(BIN)/uv pip install -q --python $(BIN)/python -c constraints.txt $(ALL) \
	|| $(PIP) $(ALL)
	@touch $@
