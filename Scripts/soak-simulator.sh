#!/bin/bash
# Runs the election and whole sessions over many seeds; the argument bounds each part in seconds. A failure prints the line that replays it.
set -euo pipefail

cd "$(dirname "$0")/.."
"${SWIFT:-swift}" build -c release --product soak
soak=".build/release/soak"
for scenario in chaos failover merge joins deaf; do
  "$soak" run "$scenario" "${FIRST_SEED:-1}" "${LAST_SEED:-1000000}" 2,3,4,5,6,7,8,9,10,11,12 "$1"
  "$soak" run "$scenario" "${FIRST_SEED:-1}" "${LAST_SEED:-1000000}" 16,32,64 "$1"
done
"$soak" run session "${FIRST_SEED:-1}" "${LAST_SEED:-1000000}" 2,3,4,5,6 "$1"
"$soak" run session "${FIRST_SEED:-1}" "${LAST_SEED:-1000000}" 8,12 "$1"
"$soak" run liar "${FIRST_SEED:-1}" "${LAST_SEED:-1000000}" 3,4,5,6 "$1"
