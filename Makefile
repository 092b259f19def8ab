# Short names for what people do here; Meson does the building.
PYTHON := /usr/bin/python3

all: build/build.ninja
	@ninja -C build

build/build.ninja:
	@tools/packages build
	@meson setup build >build-setup.log || (cat build-setup.log; exit 1)
	@rm -f build-setup.log

# Sets everything up and shows the product.
demo: all
	@tools/demo

# Sets everything up and proves it. PEERS=required: a real program that could be built but is missing is a failure.
test:
	@tools/packages build test
	@$(PYTHON) tests/run

# The same with everything where `make test` takes a representative part: every CRD of every provider, Terraform 1.14, every recorded answer
# of the real CLI asked again, the analyzer without a limit (an hour more).
test-full:
	@tools/packages build test
	@tests/peers/build terraform-1.14
	@TERRANE_TEST_FULL=1 $(PYTHON) tests/run

# The same as a newcomer would see it: bare systems of the Debian releases, a clone with nothing beside it, `make demo`, unit tests.
test-fresh:
	@tools/packages fresh
	@tests/fresh/run

# Builds the real programs that tests meet (OpenTofu, providers, a Kubernetes API server) into the cache.
peers:
	@tools/packages build
	@tests/peers/build

# Ratios to the real tools, in one run.
bench: all
	@tools/packages bench
	@tests/bench/run
	@tests/bench/up
	@tests/bench/import
	@tests/bench/controller

# Runs every fuzz target for SECONDS each.
SECONDS := 60
fuzz:
	@tools/packages build fuzz
	@tests/fuzz/run $(SECONDS)

format:
	@tools/packages test
	@git ls-files '*.c' '*.h' | xargs clang-format-19 -i

# PREFIX and DESTDIR as usual; manual pages and completions come out of the program.
install: all
ifdef PREFIX
	@meson configure build --prefix=$(PREFIX)
endif
	@meson install -C build

# The Debian package, in build-deb.
deb:
	@tools/packages build deb
	@tools/deb

clean:
	@rm -rf build build-asan build-tsan build-fuzz build-deb

.PHONY: all demo test test-full test-fresh peers bench fuzz format install deb clean
