#!/bin/bash
# Runs every test, or those that FILTER selects.
# The tests of the parts without input and output, and of worldmap, come last: they fill every processor, and beside them the
# others, which wait for real connections and processes, would be late by the clock.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
pure='^(AnchorReplication|Authentication|Basics|PeerProtocol|Simulator|Tidy|WorldAlignment|WorldFormats|WorldMapTool|WorldModel)Tests\.'
# Swift Testing starts all tests at once. Those that measure themselves against a clock get their turn in time where fewer
# run beside them.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-24}

if [[ -n ${FILTER:-} ]]; then
  exec "$swift" test --filter "$FILTER"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
for selection in --skip --filter; do
  "$swift" test "$selection" "$pure" 2>&1 | tee -a "$log" || status=1
done
Scripts/interop.sh 2>&1 | tee -a "$log" || status=1
Scripts/terminal.sh 2>&1 | tee -a "$log" || status=1
Scripts/pages-test.sh 2>&1 | tee -a "$log" || status=1
# What failed stands at the end: nobody finds it among a thousand lines.
grep -E '✘ Test .* recorded an issue|^(ERROR|FAIL): |^skipped: ' "$log" | cut -c 1-400 || true
grep 'Test run with .* tests' "$log"
exit $status
