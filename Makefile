# SPDX-License-Identifier: Apache-2.0

# The pinned tools. The Rust toolchain is in libpaimon_c/rust-toolchain.toml.
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

BIN := $(CURDIR)/bin
CRATE := libpaimon_c
# One folder for all Rust builds but the reproducible one of `make lib`.
export CARGO_TARGET_DIR ?= $(CURDIR)/$(CRATE)/target
FUZZTIME ?= 20
# Absolute: compose takes a bare name for a volume, and go test changes its folder.
WAREHOUSE := $(abspath $(or $(PAIMON_TEST_WAREHOUSE),tests/spark/warehouse))

.PHONY: help
help: ## Say what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: test
test: ## Run the Go tests
	go test ./...
	go test -C bench ./...

.PHONY: race
race: ## Run the Go tests under the race detector
	go test -race -short ./...

.PHONY: debug
debug: ## Run the Go tests with pointer checks, with memory clobbered when it is freed, with leaks reported
	go test -short -gcflags=all=-d=checkptr ./...
	GOGC=1 GODEBUG=clobberfree=1,invalidptr=1 go test -short -count=1 -tags paimon_debug . ./tests

.PHONY: cross
cross: ## Vet the package for every platform it names, embedded or not
	for target in linux/amd64 linux/arm64 darwin/arm64 darwin/amd64 windows/amd64; do \
		echo "vet $$target"; CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} go vet . ./predicate ./internal/... ./tests ./examples/... || exit 1; \
	done

.PHONY: lint
lint: $(BIN)/golangci-lint ## Run go vet and the linters
	go vet ./...
	go vet -tags paimon_debug . ./tests
	$(BIN)/golangci-lint run
	go vet -C bench ./...
	cd bench && $(BIN)/golangci-lint run

$(BIN)/golangci-lint: Makefile
	GOBIN=$(BIN) go install $(GOLANGCI_LINT)
	@touch $@

.PHONY: rust
rust: ## Check and test the native library's sources
	cd $(CRATE) && cargo fmt --check
	cd $(CRATE) && cargo clippy --locked --all-targets -- -D warnings
	cd $(CRATE) && cargo test --locked

.PHONY: dev
dev: ## Build the native library fast, for PAIMON_LIBRARY_PATH
	cd $(CRATE) && cargo build --locked
	@echo "export PAIMON_LIBRARY_PATH=$(CARGO_TARGET_DIR)/debug/libpaimon_c.so"

.PHONY: lib
lib: ## Build the native library that is embedded, for this machine, with its manifest, header and licences
	go run ./$(CRATE)/build lib

.PHONY: lib-all
lib-all: ## The same for every platform that one is embedded for
	go run ./$(CRATE)/build lib -all

.PHONY: verify-lib
verify-lib: ## Prove that the embedded native library came from the sources here
	go run ./$(CRATE)/build verify

.PHONY: verify-lib-all
verify-lib-all: ## The same for every platform that one is embedded for
	go run ./$(CRATE)/build verify -all

.PHONY: test-arm64
test-arm64: ## Run the Go tests as a program for linux/arm64, under QEMU
	tests/arm64/run.sh -timeout 60m ./...

.PHONY: interop
interop: ## Let Java and Python read what Go writes and the golden tables, and Go what Java writes
	tests/interop/check.sh
	tests/interop/check.sh tests/testdata/warehouse tests/testdata/expected

.PHONY: roots
roots: ## Start in bare, read-only, full and hostile roots, as root; and measure the starts
	tests/roots/run.sh

.PHONY: soak
soak: ## Open, read, write, abort and close 10,000 times, and watch the memory
	go run ./tests/soak -n 10000

# How many times as much as in go test the stress tests do.
STRESS ?= 50

.PHONY: stress
stress: ## Let calls race with Close, the collector, signals and children for minutes, and count native threads (STRESS=50)
	GODEBUG=clobberfree=1,invalidptr=1 go test -v -count=1 -timeout 60m -tags paimon_debug \
		-run 'CloseRaces|RecordsCross|ResultsKeep|Signal|Handlers|HangsUp|ChildrenInherit|NativeThreads' ./tests -stress $(STRESS)
	CGO_ENABLED=0 go test -v -count=1 -timeout 60m -run 'Signal|Handlers|HangsUp' ./tests -stress $(STRESS)
	go test -race -v -count=1 -timeout 60m -run 'CloseRaces|ResultsKeep' ./tests -stress $$(($(STRESS) / 5 + 1))
	GOMAXPROCS=1 go test -short -count=1 -timeout 30m . ./tests
	tests/cgroup.sh

.PHONY: fuzz
fuzz: ## Fuzz what callers hand over, each target for FUZZTIME seconds
	for target in FuzzTypeJSON FuzzRecord FuzzPredicate FuzzNames; do \
		go test ./tests -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME)s -fuzzminimizetime 2s || exit 1; \
	done
	go test . -run '^$$' -fuzz '^FuzzArrowAgreesWithCData$$' -fuzztime $(FUZZTIME)s -fuzzminimizetime 2s
	$(CRATE)/fuzz/run.sh $(FUZZTIME)

# Options of the program in bench: see go run -C bench . -help.
BENCH ?= -out ../docs

.PHONY: bench
bench: ## Measure beside Rust alone, Python and arrow-go's Parquet reader, for docs/performance.md (or BENCH="-only write")
	cd $(CRATE) && cargo build --locked --profile bench --features bench
	tests/interop/check.sh venv
	go run -C bench . -library $(CARGO_TARGET_DIR)/release/libpaimon_c.so -python $(CURDIR)/tests/interop/.venv/bin/python $(BENCH)

.PHONY: cover
cover: ## Report what the tests cover
	go test -coverpkg=. -coverprofile=coverage.out . ./tests
	go tool cover -func=coverage.out | tail -1

.PHONY: warehouse
warehouse: ## Fill a warehouse with Spark, without Docker (folder: PAIMON_TEST_WAREHOUSE)
	tests/spark/run.sh $(WAREHOUSE)

.PHONY: test-warehouse
test-warehouse: warehouse ## Run the tests on tables that Spark wrote
	PAIMON_TEST_WAREHOUSE=$(WAREHOUSE) go test -count=1 -tags warehouse ./tests

.PHONY: docker-up
docker-up: ## Fill the same warehouse with Spark in Docker
	mkdir -p $(WAREHOUSE)
	PAIMON_TEST_WAREHOUSE=$(WAREHOUSE) docker compose -f tests/spark/docker-compose.yml up --build --exit-code-from spark

.PHONY: docker-down
docker-down: ## Remove the container and the image; the warehouse stays
	PAIMON_TEST_WAREHOUSE=$(WAREHOUSE) docker compose -f tests/spark/docker-compose.yml down --rmi all
