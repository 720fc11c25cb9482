# Front door to the Meson build. Everything is built below build/.
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
JOBS ?= 2

RELEASE = build/release
TEST = build/test
BENCH = build/bench
CRASH = build/crash
FUZZ = build/fuzz
LINT = build/lint
SETUP = meson setup

.PHONY: all demo test crash bench fuzz lint docs install clean

all: $(RELEASE)/build.ninja
	ninja -C $(RELEASE)

$(RELEASE)/build.ninja:
	tools/setup.sh build
	$(SETUP) $(RELEASE) --buildtype=release -Doptimization=2 --prefix=$(PREFIX) -Dtests=false

demo:
	tools/demo.sh

test:
	tools/setup.sh test
	test -f $(TEST)/build.ninja || $(SETUP) $(TEST) -Db_sanitize=address,undefined -Db_lundef=false -Darena_debug=true
	ninja -C $(TEST)
	tools/run-tests --jobs $(JOBS) $(TEST)

# The long forms of tests: the whole crash matrix, the simulation of 100 000 graphs.
crash:
	tools/setup.sh test
	test -f $(CRASH)/build.ninja || $(SETUP) $(CRASH) --buildtype=release -Doptimization=2
	ninja -C $(CRASH)
	tools/run-tests --jobs $(JOBS) --suite crash $(CRASH)

bench:
	tools/setup.sh bench
	test -f $(BENCH)/build.ninja || $(SETUP) $(BENCH) --buildtype=release -Doptimization=2 -Dtests=false -Dbench=true
	ninja -C $(BENCH)
	tools/run-bench $(BENCH)

fuzz:
	tools/setup.sh fuzz
	test -f $(FUZZ)/build.ninja || CC=clang $(SETUP) $(FUZZ) -Dfuzz=true -Dexamples=false -Db_sanitize=address,undefined \
	    -Db_lundef=false
	ninja -C $(FUZZ)
	tools/run-fuzz --seconds $(FUZZ_SECONDS) --jobs $(JOBS) $(FUZZ)

lint:
	tools/setup.sh lint
	test -f $(LINT)/build.ninja || $(SETUP) $(LINT) -Dbench=true
	ninja -C $(LINT)
	tools/lint/run --jobs $(JOBS) $(LINT)

# Writes the generated documents anew from the tables in the code.
docs: all
	tools/gen-docs $(RELEASE)

install: $(RELEASE)/build.ninja
	meson configure $(RELEASE) --prefix=$(PREFIX)
	ninja -C $(RELEASE)
	DESTDIR="$(DESTDIR)" meson install -C $(RELEASE) --no-rebuild

clean:
	rm -rf build
