#!/bin/bash
# Runs the simulator over many seeds: SEEDS of each scenario (default 20,000), from FIRST (default 1).
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
first=${FIRST:-1}
last=$((first + ${SEEDS:-20000} - 1))

"$swift" build -c release --product soak
bin=$("$swift" build -c release --show-bin-path)
scenarios=$({ "$bin/soak" || true; } | sed -n 's/^ *scenarios: //p')
if [[ -z $scenarios ]]; then
  echo "error: the simulator names no scenarios" >&2
  exit 1
fi
for scenario in $scenarios; do
  "$bin/soak" run "$scenario" "$first" "$last" 2,3,4,5,6,7,8
done
