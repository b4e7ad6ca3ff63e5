# Every target is one script or one command; the logic lives in Scripts/.
SWIFT ?= swift
export SWIFT FILTER SEED CHANGED SANITIZER JSON RESULTS SECONDS_EACH SEEDS FIRST PREFIX DESTDIR STATIC CHURN_SECONDS CHURN_SEED MANY_PEERS MANY_SECONDS LAN_RUNS LIBRARY
export COMMANDS TRAIT

.DEFAULT_GOAL := build
.PHONY: build test check sanitize demo lint lan browser examples bench fuzz soak model install dist dist-check uninstall python docs clean \
  fresh-check traits help toolchain

build: toolchain ## build everything (debug)
	$(SWIFT) build

test: toolchain ## run the tests: one seed of a scenario, one program of a kind; FILTER=name selects
	@TIER=test Scripts/test.sh

check: toolchain ## the same with every seed and program, and what takes minutes; FILTER=name, SEED=n, CHANGED=1 (first what changed)
	@TIER=check Scripts/test.sh

sanitize: toolchain ## run the tests under the address and the thread sanitizer; SANITIZER=thread, FILTER=name select
	@Scripts/sanitize.sh

demo: toolchain ## two peers on this machine share a map and anchors
	@Scripts/demo.sh

lint: toolchain ## check the format and the rules of the house
	@Scripts/lint.sh

lan: toolchain ## a LAN of network namespaces: faults, maps, discovery LAN_RUNS (3) times, CHURN_SECONDS (300) of churn (root)
	@Scripts/lan.sh

browser: toolchain ## the page of worldview in a headless Chromium; screenshots in browser-out; FILTER=name selects
	@Scripts/browser.sh

examples: toolchain ## the examples of the embedding guide, with windows in Xvfb; pictures in examples-out; FILTER=name selects
	@Scripts/examples.sh

bench: toolchain ## measure, release build, into Benchmarks/RESULTS.md; FILTER=name selects, JSON=path also writes the rows
	@Scripts/bench.sh

traits: toolchain ## build an app without each trait of the package; TRAIT=Journal for one
	@Scripts/traits.sh

fuzz: toolchain ## fuzz each target for SECONDS_EACH (default 30) seconds
	@Fuzzing/run.sh $(or $(SECONDS_EACH),30)

soak: toolchain ## run every scenario of the simulator, 1,000,000 seeds in all; SEEDS=n scales every part
	@Scripts/soak.sh

model: toolchain ## visit every state of the election of 2 and 3 nodes, to a depth of 40 and 15 actions, and of 4 to 9
	$(SWIFT) build -c release --product soak
	.build/release/soak model 2 40
	.build/release/soak model 3 15
	.build/release/soak model 4 9

install: toolchain ## build the C library in release and install it; PREFIX=/usr/local, DESTDIR=, STATIC=1
	@Scripts/install.sh

python: toolchain ## build the C library, install the Python package into .build/python and run its tests; FILTER=name, LIBRARY=debug
	@Scripts/python.sh

dist: toolchain ## packages of a release in dist-out: tar.gz, .deb of programs, C library and its headers, a wheel for Python
	@Scripts/dist.sh

dist-check: ## install the packages of dist-out in a bare Debian 12 and use them there (root, network)
	@Scripts/dist-check.sh

fresh-check: ## demo and test in a bare Debian 12 with Swift, git and make (root, network); COMMANDS=demo for one
	@Scripts/fresh-check.sh

uninstall: ## remove what install has installed; PREFIX=/usr/local, DESTDIR=
	@Scripts/uninstall.sh

docs: toolchain ## build the documentation into .build/docs; a dead link is an error
	@Scripts/docs.sh

clean: ## remove everything that was built
	rm -rf .build Fuzzing/.build Fuzzing/Crashes demo-out browser-out examples-out dist-out

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' Makefile | expand -t 12

toolchain:
	@Scripts/require-swift.sh
	@Scripts/install-packages.sh library build
