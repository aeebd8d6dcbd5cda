# Varde. `make run` shows it, `make test` proves it; both install what they need.

SWIFT ?= swift
RELEASE := .build/release

.PHONY: run build test acceptance conformance lint format setup clean

run: build
	@demo/run.sh

build: setup
	$(SWIFT) build -c release --static-swift-stdlib --product varde

test: setup
	$(SWIFT) test --disable-xctest

# The release binary against real clients and real failures: SDKs and verifiers from PyPI, kill -9.
acceptance: build
	Tests/Acceptance/run.sh

# The release binary against the Autobahn test suite, and our client role against two servers.
conformance: build
	$(SWIFT) build -c release --static-swift-stdlib --product conformance-client
	Tests/Conformance/run.sh

lint:
	$(SWIFT) format lint --strict --configuration .swift-format --recursive \
		Package.swift Sources Tests

format:
	$(SWIFT) format --in-place --configuration .swift-format --recursive \
		Package.swift Sources Tests

setup:
	@./setup.sh

clean:
	rm -rf .build .venv .demo
