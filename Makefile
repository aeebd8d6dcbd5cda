# Varde. `make run` shows it, `make test` proves it; both install what they need.

SWIFT ?= swift
RELEASE := .build/release

# For each target of `make fuzz`: make fuzz SECONDS=600 TARGETS="http-request json-reader"
SECONDS ?= 60
TARGETS ?=

.PHONY: run build test test-asan test-tsan fuzz acceptance conformance conformance-client bench lint format setup clean

run: build
	@demo/run.sh

build: setup
	$(SWIFT) build -c release --static-swift-stdlib --product varde
	$(SWIFT) build -c release --static-swift-stdlib --product varde-load

test: setup
	$(SWIFT) test --disable-xctest

# The same tests under AddressSanitizer with its leak detection, and under ThreadSanitizer. Swift's own
# backtraces get in their way. What is suppressed is in Fuzz/leaks.supp, with the reason.
test-asan test-tsan: export SWIFT_BACKTRACE := enable=no
test-asan test-tsan: export DEMO_NIGHTS := 1
test-asan: setup
	LSAN_OPTIONS=suppressions=$(CURDIR)/Fuzz/leaks.supp \
		$(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build-asan

# A race is told only if both sides' stacks are known, so as many as possible are kept.
test-tsan: setup
	TSAN_OPTIONS=history_size=7 \
		$(SWIFT) test --disable-xctest --sanitize=thread --scratch-path .build-tsan

# Every parser of outside bytes, SECONDS each; fails with the input that broke one: Fuzz/README.md.
fuzz: setup
	SWIFT=$(SWIFT) Fuzz/run.sh $(SECONDS) $(TARGETS)

# The release binary against real clients and real failures: SDKs and verifiers from PyPI, kill -9.
acceptance: build
	Tests/Acceptance/run.sh

# The release binary against the Autobahn test suite, and our client role against two servers.
conformance: build conformance-client
	Tests/Conformance/run.sh

conformance-client: setup
	$(SWIFT) build -c release --static-swift-stdlib --product conformance-client

# The hub beside nginx with nchan, nats-server, node ws, Python websockets and a bare loop in C: docs/BENCHMARKS.md.
bench: build
	loadtest/bench/run.sh

lint:
	$(SWIFT) format lint --strict --configuration .swift-format --recursive \
		Package.swift Sources Tests Fuzz loadtest

format:
	$(SWIFT) format --in-place --configuration .swift-format --recursive \
		Package.swift Sources Tests Fuzz loadtest

setup:
	@./setup.sh

clean:
	rm -rf .build .build-asan .build-tsan .build-fuzz .venv .demo
