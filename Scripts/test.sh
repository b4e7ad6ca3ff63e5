#!/bin/bash
# Runs every test, or those that FILTER selects.
# The tests of the parts without input and output come last, by themselves: they fill every processor, and beside them the
# others, which wait for real connections and processes, would be late by the clock.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
pure='^(AnchorReplication|Authentication|Basics|PeerProtocol|Simulator|Tidy|WorldFormats|WorldModel)Tests\.'
# Swift Testing starts all tests at once. Those that measure themselves against a clock get their turn in time where fewer
# run beside them.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-24}

if [[ -n ${FILTER:-} ]]; then
  exec "$swift" test --filter "$FILTER"
fi
status=0
"$swift" test --skip "$pure" || status=1
"$swift" test --filter "$pure" || status=1
exit $status
