# SPDX-License-Identifier: Apache-2.0
# The two commands: `make demo` and `make test`. Each sets up what it needs, packages included.
SPUME_WERROR ?= OFF
SPUME_OPTIONS ?=
CONFIGURE = cmake -DSPUME_WERROR=$(SPUME_WERROR) $(SPUME_OPTIONS) --preset
JOBS ?= $(shell nproc)

.PHONY: all release debug asan setup demo test check check-all format install clean
all: release

setup: ; @tools/setup.sh

release debug asan: setup
	@$(CONFIGURE) $@ > build/$@.configure.log 2>&1 || { cat build/$@.configure.log; exit 1; }
	@cmake --build --preset $@ -j $(JOBS)

demo: release ; @tools/demo.sh
test: release asan ; @tools/test.sh
check: ; @tools/check.sh
check-all: setup ; @tools/check_all.sh
format: ; @tools/format.sh
install: release ; cmake --install build/release
clean: ; rm -rf build
