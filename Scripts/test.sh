#!/bin/bash
# Runs the tests, or those that FILTER selects: TIER=test, the default, tries one seed of each scenario and one program of each
# kind; TIER=check tries everything (Tests/TestSupport/Tier.swift). SEED=n tries that seed alone. CHANGED=1 begins with the
# tests of what the last commits changed. Logs stay in .build/tests.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
source Scripts/pure-tests.sh
export TIER=${TIER:-test}
# Avahi's library sets it where it is missing, while other tests of the process copy the environment for a program.
export AVAHI_COMPAT_NOWARN=1
# Swift Testing starts all tests at once. Those that measure themselves against a clock get their turn in time where fewer
# run beside them.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-24}

out=.build/tests
rm -rf "$out"
mkdir -p "$out"
log=$out/log
status=0
streams=()

"$swift" build --build-tests

# The folder for temporary files is this run's alone and goes with it. Its name is short, because sockets in it have paths
# of 107 bytes at most.
TMPDIR=$(mktemp -d /tmp/sw-XXXXXX)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

# run OPTION...: runs the tests that the options select, of what is built.
run() {
  local stream=$out/${#streams[@]}.jsonl
  streams+=("$stream")
  "$swift" test --skip-build --disable-xctest --event-stream-output-path "$stream" "$@" 2>&1 | tee -a "$log" || status=1
}

# program COMMAND: runs tests of another language.
program() {
  "$@" 2>&1 | tee -a "$log" || status=1
}

# half PATTERN OPTION...: the tests of the pure half, or with --skip of the other one.
half() {
  run "$1" "$pure" "${@:2}"
}

target=$TIER
if [[ -n ${FILTER:-} ]]; then
  run --filter "$FILTER"
else
  rest=()
  if [[ -n ${CHANGED:-} ]]; then
    # Also these run one half after the other.
    changed=$(Scripts/changed-tests.sh)
    for side in -v -e; do
      targets=$(grep -E "$side" "$pure" <<<"$changed" | paste -sd'|' || true)
      [[ -n $targets ]] || continue
      echo "first what changed: $targets" | tee -a "$log"
      run --filter "^($targets)"
      rest+=(--skip "^($targets)")
    done
  fi
  half --skip "${rest[@]}"
  half --filter "${rest[@]}"
  program Scripts/interop.sh
  program Scripts/terminal.sh
  program Scripts/pages-test.sh
fi

# What failed stands at the end: nobody finds it among a thousand lines.
grep -E '^(ERROR|FAIL): |^skipped: ' "$log" | cut -c 1-400 || true
if command -v python3 >/dev/null; then
  python3 Scripts/test-report.py "$target" "$log" "${streams[@]}"
else
  grep -E '✘ Test .* recorded an issue' "$log" | cut -c 1-400 || true
fi
grep 'Test run with .* tests' "$log"
exit $status
