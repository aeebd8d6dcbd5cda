# Varde. `make run` shows it, `make test` proves it; both install what they need. `make help` lists all
# targets: each has its line of help after `##`.

SWIFT ?= swift
RELEASE := .build/release

# For each target of `make fuzz`: make fuzz SECONDS=600 TARGETS="http-request json-reader"
SECONDS ?= 60
TARGETS ?=

# Worlds of `make simulate`: make simulate SEEDS=20000 FIRST=1001
SEEDS ?= 1000
FIRST ?= 1

# Only the tests that a regular expression matches: make test FILTER=AuroraAppTests.AuroraServiceTests
FILTER ?=

# WHOLE=1 compiles each module of the tests as a whole, on one thread. A complete build takes less time by it, a
# build after an edit more: docs/DECISIONS/044-complete-builds.md.
ifdef WHOLE
override BUILD_FLAGS += -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 1 \
	-Xswiftc -no-emit-module-separately-wmo
export BUILD_FLAGS
endif

.PHONY: help check run cluster build varde varde-load test test-one-thread test-asan test-tsan fuzz simulate acceptance abuse radar-app news-app activity-app upstream-check conformance conformance-client bench lint notices check-notices sbom format completions man reference protobuf setup setup-tests clean package package-test console-files console-test walks site check-observability

# From the beginning of the night; make run RESUME=1 continues where the hub stopped.
run: varde ## run the demo: a recorded night, with a webhook receiver; RESUME=1 continues it
	@demo/run.sh

# PostgreSQL, the hubs and HAProxy, if it is installed, end with Ctrl-C; their files are in .build/cluster.
cluster: build setup-tests ## run three hubs with one store in PostgreSQL, to kill some of them
	@demo/cluster.py

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: ## check a change before it lands; takes about three quarters of an hour
	.ci/run

# Linked with the locale data that is used, a tenth of ICU's: docs/DECISIONS/007-linking.md.
varde varde-load: setup ## build the release binary of that name
	flags=$$(SWIFT=$(SWIFT) linking/locale-data.sh .build/locale-data) && \
	$(SWIFT) build -c release --static-swift-stdlib --product $@ $$flags

# One after the other: they share the build directory.
build: varde ## build the release binaries varde and varde-load
	@$(MAKE) --no-print-directory varde-load

# Tests/run.sh has the reason.
test-asan test-tsan: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := 4

test test-one-thread: export SWIFT := $(SWIFT)
test: export FILTER := $(FILTER)
test: setup-tests ## run the tests; FILTER=REGEX runs only those that match
	Tests/run.sh "$$FILTER"

# Tests on one processor. Swift's cooperative pool has a thread for each processor that the process may use,
# so a call that blocks its one thread until another task has run never returns.
# LIBDISPATCH_COOPERATIVE_POOL_STRICT would do the same, but has no effect on Linux. Test targets without a
# lock, such as those of parsers and models, have nothing to wait for: only `make test` runs them.
test-one-thread: export WITHOUT_PURE := 1
test-one-thread: setup-tests ## run the tests of concurrent code on one processor
	$(SWIFT) build --build-tests --disable-xctest $(BUILD_FLAGS)
	taskset --cpu-list "$$(taskset --cpu-list --pid $$$$ | sed 's/.*: *//; s/[-,].*//')" Tests/run.sh

# The same tests under AddressSanitizer with its leak detection, and under ThreadSanitizer. Swift's own
# backtraces get in their way. What is suppressed is in Fuzz/leaks.supp, with the reason.
test-asan test-tsan: export SWIFT_BACKTRACE := enable=no
test-asan test-tsan: export DEMO_NIGHTS := 1
test-asan: setup-tests ## run the tests under AddressSanitizer
	LSAN_OPTIONS=suppressions=$(CURDIR)/Fuzz/leaks.supp \
		Tests/postgres.sh $(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build-asan

# A race is told only if both sides' stacks are known, so as many as possible are kept.
test-tsan: setup-tests ## run the tests under ThreadSanitizer
	TSAN_OPTIONS=history_size=7 \
		Tests/postgres.sh $(SWIFT) test --disable-xctest --sanitize=thread --scratch-path .build-tsan

# Every parser of outside bytes, SECONDS each; fails with the input that broke one: Fuzz/README.md.
fuzz: setup ## fuzz the parsers; SECONDS for each of TARGETS
	SWIFT=$(SWIFT) Fuzz/run.sh $(SECONDS) $(TARGETS)

# The hub in worlds where everything breaks, one for each seed: docs/SIMULATION.md.
simulate: setup ## run the hub in SEEDS simulated worlds, from seed FIRST
	$(SWIFT) build -c release --static-swift-stdlib --product simulate
	$(RELEASE)/simulate $(FIRST) $(SEEDS)
	$(RELEASE)/simulate cluster $(FIRST) $(SEEDS)

# The release binary against real clients and real failures: SDKs and verifiers from PyPI, kill -9.
acceptance: build radar-app news-app activity-app upstream-check ## test the release binary with real clients and failures
	Tests/Acceptance/run.sh

# Attacks and faults at full size, with what others notice of them; sizes: docs/SHARES.md.
abuse: build radar-app ## attack a hub from many addresses, for 90 minutes
	ABUSE=full MINUTES=90 WORKERS=1 TESTS=Tests/Acceptance/abuse Tests/Acceptance/run.sh

# The radar's app, which the acceptance tests show what the hub has sent.
radar-app news-app activity-app: setup ## build the apps of the acceptance tests
	$(SWIFT) build -c release --static-swift-stdlib --product $@

# The client of outgoing requests, which the acceptance tests send to other servers.
upstream-check: setup ## build the client of outgoing requests for the acceptance tests
	$(SWIFT) build -c release --static-swift-stdlib --product upstream-check

# The release binary against the Autobahn test suite, and our client role against two servers.
conformance: build conformance-client ## run the Autobahn test suite
	Tests/Conformance/run.sh

conformance-client: setup ## build the client of the conformance tests
	$(SWIFT) build -c release --static-swift-stdlib --product conformance-client

# The hub beside nginx with nchan, nats-server, node ws, Python websockets and a bare loop in C: docs/BENCHMARKS.md.
bench: build ## compare with other servers, and write docs/BENCHMARKS.md
	loadtest/bench/run.sh

# .deb, tarball and OCI image file in .build/packages: packaging/README.md. The version is that of `Version.text`.
VERSION ?= $(shell sed -n 's/.*static let text = "\(.*\)"/\1/p' Sources/Service/HTTPService/Version.swift)
PACKAGES := .build/packages

package: build completions man ## make a Debian package, a tarball and an OCI image file
	packaging/deb.sh $(VERSION) $(RELEASE)/varde $(PACKAGES)
	packaging/tarball.sh $(VERSION) $(RELEASE)/varde $(PACKAGES)
	packaging/oci.py $(VERSION) $(RELEASE)/varde $(PACKAGES)

# Needs root, mmdebstrap and lintian; installs from Debian's mirror.
package-test: ## install, start, reload, upgrade and remove what make package has made
	packaging/test.sh $(VERSION) $(RELEASE)/varde $(PACKAGES)

# A reader's way to the first live message, by three tutorials; reading at 200 words a minute. The third needs root
# and a package of `make package`.
walks: build ## time the tutorials up to their first live message
	rm -rf .build/walks
	TESTS=Tests/Acceptance/test_pages.py WORKERS=1 Tests/Acceptance/run.sh
	$(MAKE) --no-print-directory package-test
	@echo '| tutorial | words | reading | commands | together |' && cat .build/walks/*.md

lint: ## check the format of the Swift sources, and the language of all texts
	python3 Tests/Prose/test_prose.py
	python3 Tests/Prose/test_changelog.py
	python3 Tests/Prose/changelog.py
	python3 Tests/Prose/prose.py --check
	Tests/Simulation/mutations.sh check
	$(SWIFT) format lint --parallel --strict --configuration .swift-format --recursive \
		Package.swift Sources Tests Fuzz loadtest

# Licences of everything that the programs contain: licences/README.md. The generators need only Python.
notices check-notices sbom: export SWIFT := $(SWIFT)
notices: setup ## write THIRD-PARTY-NOTICES
	$(SWIFT) package resolve
	python3 licences/notices.py

check-notices: setup ## check THIRD-PARTY-NOTICES
	python3 licences/tests.py
	$(SWIFT) package resolve
	python3 licences/notices.py --check

# .build/varde.cdx.json, in CycloneDX 1.6.
sbom: setup ## write a bill of materials to .build/varde.cdx.json
	$(SWIFT) package resolve
	python3 licences/sbom.py

# ops/prometheus with promtool, and ops/grafana against the metrics of the hub: docs/how-to/monitoring.md.
check-observability: ## check the alert rules and the dashboard
	ops/check.sh

site: ## make a static site of the documentation in .build/site, and check its links
	site/build.sh

format: ## format the Swift sources
	$(SWIFT) format --parallel --in-place --configuration .swift-format --recursive \
		Package.swift Sources Tests Fuzz loadtest

# The binary that shell completions and man pages are made from, and where they go.
VARDE ?= $(RELEASE)/varde
completions man: $(if $(filter $(RELEASE)/varde,$(VARDE)),build)

# In Debian's Chromium; CONSOLE_SHOTS=DIR keeps the screenshots.
console-test: ## test the console of the release binary in a browser
	TESTS=Tests/Console/Acceptance Tests/Acceptance/run.sh

console-files: ## write the list of the files of console/ that the program contains
	console/embed.sh

completions: ## write shell completions for bash, zsh and fish to .build/completions
	mkdir -p .build/completions
	$(VARDE) --generate-completion-script bash > .build/completions/varde.bash
	sed --in-place '1{/^#!/d}' .build/completions/varde.bash
	$(VARDE) --generate-completion-script zsh > .build/completions/_varde
	$(VARDE) --generate-completion-script fish > .build/completions/varde.fish

man: ## write the man pages to .build/man
	rm -rf .build/man
	python3 manual/man.py $(VARDE) .build/man

# docs/reference: configuration.md from the fields of the configuration's sections, metrics.md from the metrics,
# log-entries.md from the calls that write entries.
reference: setup ## write the generated pages in docs/reference
	$(SWIFT) build --build-tests --disable-xctest
	WRITE_REFERENCE=1 $(SWIFT) test --disable-xctest --skip-build --filter "ConfigurationReferenceTests|MetricsTextTests|LogEntriesReferenceTests"

# Writes the messages of the client protocol anew after a change of their definition. It needs Debian's
# protobuf-compiler; the generator comes with swift-protobuf.
protobuf: PROTOBUF := Sources/ClientWire/Centrifuge/Protobuf
protobuf: setup ## generate the messages of the client protocol
	$(SWIFT) package resolve
	$(SWIFT) build --package-path .build/checkouts/swift-protobuf --scratch-path .build/protobuf \
		--product protoc-gen-swift
	protoc --plugin=.build/protobuf/debug/protoc-gen-swift --proto_path=$(PROTOBUF) \
		--swift_opt=Visibility=Package --swift_out=$(PROTOBUF) $(PROTOBUF)/centrifuge.proto

setup: ## install the Debian packages that the build needs
	@./setup.sh

setup-tests: setup
	@./setup.sh postgres

clean: ## remove everything that was built
	rm -rf .build .build-asan .build-tsan .build-fuzz .build-mutations .venv .demo
