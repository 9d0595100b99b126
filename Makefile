# Every target sets up what it needs.  A stamp file for each group of extras makes the second call quick;
# a change of pyproject.toml or of the C++ sources installs again.

PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin/python
SANITIZED := build/sanitized

# One BLAS thread in each test worker: the workers share the cores.
PYTEST = OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN) -m pytest

BUILD_INPUTS := pyproject.toml $(wildcard CMakeLists.txt src/pdprox/_kernels/*.[ch]pp)
BENCHMARKS := $(filter-out benchmarks/make_shipped_data.py,$(wildcard benchmarks/*.py))

.PHONY: help demo test test-all bench bench-quick bench-kernels docs lint sanitize clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:
	@echo "make demo      fit a sparse SVM on real data, print its certificate, draw demo.png"
	@echo "make test      run the tests            make test-all  ... and the slow ones"
	@echo "make bench     race against the peers   make bench-quick  ... in a few minutes"
	@echo "make docs      build the documentation  make bench-kernels  time the kernels and the methods"
	@echo "make lint      style and types          make sanitize  kernels under sanitizers"
	@echo "make clean     remove all that was made"

demo: $(VENV)/installed-plot
	$(RUN) -m pdprox.demo

test: $(VENV)/installed-test
	$(PYTEST) -n auto

test-all: $(VENV)/installed-test
	$(PYTEST) -n auto -m ""

# RACE holds options: make bench RACE="--resume --only covtype"
bench: $(VENV)/installed-bench
	$(RUN) benchmarks/race/race.py $(RACE)

bench-quick: $(VENV)/installed-bench
	$(RUN) benchmarks/race/race.py --quick $(RACE)

bench-kernels: $(VENV)/installed-bench
	for script in $(BENCHMARKS); do echo "== $$script"; $(RUN) $$script || exit 1; done

docs: $(VENV)/installed-docs
	$(RUN) -m sphinx -W --keep-going -b html docs docs/_build/html
	@echo "built docs/_build/html/index.html"

lint: $(VENV)/installed-lint
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy

# GCC's sanitizers must be loaded before Python is; libstdc++ along with them, or exceptions are not seen.
sanitize: $(SANITIZED)/installed-test
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 OMP_NUM_THREADS=2 $(SANITIZED)/bin/python -m pytest tests/test_kernels.py tests/test_threads.py

clean:
	rm -rf $(VENV) .ci/venv build dist demo.png docs/_build docs/generated docs/auto_gallery \
		docs/sg_execution_times.rst .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUN):
	@$(PYTHON) -c 'import sys; sys.exit("pdprox needs Python >= 3.11, and this is " + sys.version.split()[0] + \
	"; name another one: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed-%: $(RUN) $(BUILD_INPUTS)
	$(RUN) -m pip install --quiet --editable ".[$*]"
	@touch $@

$(SANITIZED)/installed-test: $(BUILD_INPUTS)
	$(PYTHON) -m venv $(SANITIZED)
	$(SANITIZED)/bin/python -m pip install --quiet --editable ".[test]" \
		--config-settings=cmake.define.PDPROX_SANITIZE=ON --config-settings=build-dir=$(SANITIZED)/cmake
	@touch $@
