# SPDX-License-Identifier: Apache-2.0
# The two main commands are `make demo` and `make test`. Each installs what it needs, packages included.
SPUME_WERROR ?= OFF
SPUME_OPTIONS ?=
prefix ?= /usr/local
CONFIGURE = cmake -DSPUME_WERROR=$(SPUME_WERROR) $(SPUME_OPTIONS)
JOBS ?= $(shell nproc)

.PHONY: all release debug asan fuzz page setup demo test test-setup check check-all docs format install clean
all: release

# make setup HOOK=1 also installs a commit hook that checks the format.
setup: ; @tools/setup.sh $(if $(HOOK),--hook)

# clang compiles the release: about 8 % faster than gcc in the pond's hot loops, with the same bits. gcc compiles the
# others, so that `make test` covers both. RELEASE_CC=gcc overrides this.
release: COMPILER = $${RELEASE_CC:-$$(command -v clang || command -v cc)}
debug asan: COMPILER = $${CC:-cc}
# The tests of the release need the directory of the page.
release: OPTIONS = -DSPUME_PAGE_DIR=$(CURDIR)/build/page
# The C++ for OpenVDB takes minutes to compile and is never sanitized: `make test` compiles it once, for the release,
# which therefore comes first.
.NOTPARALLEL:
asan: OPTIONS = -DSPUME_VDB_BUILD=$(VDB_BUILD)
test: VDB_BUILD = $(CURDIR)/build/release
release debug asan: setup
	@CC=$(COMPILER) $(CONFIGURE) $(OPTIONS) --preset $@ > build/$@.configure.log 2>&1 || { cat build/$@.configure.log; exit 1; }
	@cmake --build --preset $@ -j $(JOBS)

# The file readers under clang's fuzzer; a separate build because every file is instrumented.
fuzz: setup
	@CC=clang $(CONFIGURE) -G Ninja -B build/fuzz -DCMAKE_BUILD_TYPE=Debug -DSPUME_WITH_FUZZERS=ON \
	    -DSPUME_WITH_OPENMP=OFF -DSPUME_WITH_TESTS=OFF -DSPUME_WITH_EXAMPLES=OFF -DSPUME_VDB_BUILD=$(VDB_BUILD) \
	    > build/fuzz.configure.log 2>&1 || { cat build/fuzz.configure.log; exit 1; }
	@cmake --build build/fuzz -j $(JOBS) --target fuzzers

# The page: static files in build/page, for `spume page` or any web server.
page: ; @tools/setup.sh --page && tools/page.sh

demo: release ; @tools/demo.sh
# All packages at once, then the builds.
test: test-setup release asan fuzz page ; @tools/test.sh
test-setup: ; @tools/setup.sh --page --browser
check: asan ; @tools/setup.sh --check && tools/check.sh
check-all: ; @tools/setup.sh --check && tools/check_all.sh
# the scene reference, from the key tables
docs: release ; @build/release/spume reference > docs/scene.md
format: ; @tools/format.sh
# make install prefix=/opt/spume, and DESTDIR=... for packagers
install: release ; @cmake --install build/release --prefix $(prefix)
clean: ; rm -rf build
