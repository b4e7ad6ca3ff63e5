#!/bin/bash
# Runs the tests under the address and the thread sanitizer, or under the one that SANITIZER names; FILTER selects tests, and
# ONLY_TESTS="PeerTransportTests ..." builds and runs those targets alone. BUILD=only makes the build and runs nothing.
# A report of any process that the tests start is a failure.
# Each has a build of its own in .build/address and .build/thread, debug, so `make test` finds its own as it was.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
only=${ONLY_TESTS:-}
filter=${FILTER:-${only:+^(${only// /|})\.}}
# Everything takes several times as long: fewer tests run beside each other, so that each gets its turn in time.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-4}
# So are the library's own deadlines, by a slow clock (Package.swift, MonotonicClock).
export SANITIZED=1
# What an optimizer has left out is not looked at.
unset OPTIMIZED
# Everything is tried, unless TIER asks for less.
export TIER=${TIER:-check}
# A report that stands in the log has no use for Swift's own trace of the trap.
export SWIFT_BACKTRACE=enable=no
# The shape of the repository and of the C library is that of every build; memory would be that of the sanitizer; and a
# program that a test compiles beside this build lacks the sanitizer's run-time library.
skipped='^TidyTests\.|InterfaceListTests|LeakTests|MemoryTests|SessionHandleTests/cycles|CProgramTests|CPlusPlusTests|GrowingEnumsTests'
source Scripts/pure-tests.sh
status=0

# Swift's Mutex takes its slow way in a library that is not instrumented: this tells the thread sanitizer of it.
shim() {
  clang -O1 -Wall -Werror -fPIC -shared -o "$1" Scripts/tsan-mutex.c
}

# run OPTION...: for sanitize, whose variables it reads: runs the tests that the options select.
run() {
  # One report does not end a run, so that all are in it.
  # Leaks are not looked for: the run-time library of Swift keeps what it makes once, and at the exit of a test's process objects
  # live whose threads have ended. LeakTests and SessionHandleTests look for them.
  local log=log_path=$PWD/$reports/report
  if ! LD_PRELOAD=$preload TSAN_OPTIONS="$log exitcode=66 report_thread_leaks=0" \
    ASAN_OPTIONS="$log detect_leaks=0 halt_on_error=0 suppressions=$PWD/Scripts/asan.supp" \
    "$build/debug/SharedWorldPackageTests.xctest" --testing-library swift-testing "$@"; then
    echo "sanitize: the tests failed under the $kind sanitizer" >&2
    status=1
  fi
}

sanitize() {
  local kind=$1 build=.build/$1 preload=
  local reports=$build/reports
  # The product of the tests is built with what they need; with --build-tests all else would be built too.
  local what=(--build-tests)
  [[ -z $only ]] || what=(--product SharedWorldPackageTests)
  "$swift" build "${what[@]}" --sanitize "$kind" --scratch-path "$build"
  if [[ ${BUILD:-} == only ]]; then return; fi
  rm -rf "$reports"
  mkdir -p "$reports"
  if [[ $kind == thread ]]; then
    preload=$PWD/$build/libtsan-mutex.so
    shim "$preload"
  fi
  if [[ -n $filter ]]; then
    run --skip "$skipped" --filter "$filter"
  else
    run --skip "$skipped" --skip "$pure"
    run --skip "$skipped" --filter "$pure"
  fi
  if [[ -n $(ls -A "$reports") ]]; then
    head -c 20000 "$reports"/* >&2
    echo "sanitize: the $kind sanitizer reported $(cat "$reports"/* | grep -c '^SUMMARY') times; see $reports" >&2
    status=1
  fi
}

for kind in ${SANITIZER:-address thread}; do sanitize "$kind"; done
exit "$status"
