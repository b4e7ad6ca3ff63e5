#!/bin/bash
# Runs every test, or those that FILTER selects.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
source Scripts/pure-tests.sh
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
