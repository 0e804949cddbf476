# resthost
#
#   make run             install what is missing, build, run the quick start
#   make test            install what is missing, build, run every suite, the dearest tests in a quick form
#   make quick           the static checks and the suites that need no sockets
#   make check           what .ci/run does: static checks, release build, examples, fuzzing, all suites whole
#   make simulate        leases, limits and invalidations of many hosts on a virtual network, SEEDS (100) runs
#   make examples        the examples, with the release program
#   make fuzz            each fuzz target for FUZZ_SECONDS (1)
#   make plugins         the plugins against real servers, with packages of Python
#   make bench           performance beside nginx, HAProxy, curl and lua-cjson; writes bench-results/
#   make bench-check     the same; fails if a ratio is a tenth worse than recorded
#   make bench-plots     draw how cost grows with services, blocks and so on into docs/internals/growth
#   make bench-partners  install those partners
#   make profile         make the profile for compiling the release program anew
#   make format          rewrite the sources with swift format
#   make attack          attack the release program beside a client that must not notice, then send
#                        malformed requests and compare with nginx
#   make asan            suites that touch C, with the sanitizers of addresses and undefined behaviour
#   make tsan            suites that use threads, with the thread sanitizer
#   make docs            the site of the documents, into .build/site
#   make docs-swift      the symbols of the Swift libraries beside it, into .build/site/symbols
#   make build           the release program, which needs no Swift on the machine it runs on
#   make install         that program to PREFIX/bin (PREFIX is /usr/local), its manual pages and completions
#
# Targets are only names; the work is in scripts/.

PREFIX ?= /usr/local
DESTDIR ?=

# Further arguments of scripts/run-tests, for example: make test TEST_FLAGS='--filter Scheduler'
TEST_FLAGS ?=

# Enough to build and start each target. A real search takes minutes.
FUZZ_SECONDS ?= 1

# Enough for a change. A search for rare orders of events takes 10,000.
SEEDS ?= 100

.DEFAULT_GOAL := help
.PHONY: help run test quick check simulate examples plugins fuzz bench bench-check bench-plots bench-partners profile attack format asan tsan build install bootstrap static docs docs-swift

help:
	@awk '!/^#/ { exit } { sub(/^# ?/, ""); print }' Makefile

bootstrap:
	@scripts/bootstrap

run: build
	examples/quickstart/run

test: bootstrap
	@scripts/run-tests $(TEST_FLAGS)

# Cheap to dear: what takes a second fails first.
static: bootstrap
	@scripts/check-layers
	@scripts/check-length
	@scripts/check-rules
	@scripts/test-check-rules
	@scripts/docs/limits --check
	@scripts/check-prose
	@scripts/test-check-prose
	@scripts/check-unsafe
	@scripts/check-format

quick: static
	@scripts/run-tests --filter CJSONTests --filter RestEngineTests --filter LuaRuntimeTests --filter SQLiteCacheTests --filter RestScriptTests

# The tests are last, because their summary must be the last line.
check: static simulate examples fuzz
	@RESTHOST_TESTS=whole scripts/run-tests $(TEST_FLAGS)

simulate:
	@scripts/simulate --seeds $(SEEDS)

examples: build
	@scripts/check-examples

plugins:
	@scripts/check-plugins

fuzz: bootstrap
	@scripts/fuzz all $(FUZZ_SECONDS)

bench: build
	@scripts/bench/run

bench-check: build
	@scripts/bench/run --check

bench-plots: build
	@scripts/bench/run --plots

bench-partners:
	@scripts/bench/partners

profile: bootstrap
	@scripts/profile/run

attack: build
	@scripts/attack
	@scripts/attack-table

format:
	swift format --in-place --parallel --recursive Package.swift Sources Tests examples/*/Package.swift examples/*/Sources

docs:
	@scripts/docs/build

docs-swift: bootstrap
	@scripts/docs/symbols

asan: bootstrap
	@scripts/sanitize address

tsan: bootstrap
	@scripts/sanitize thread

build: bootstrap
	@scripts/build-release

install: build
	@scripts/install-program "$(DESTDIR)$(PREFIX)"
