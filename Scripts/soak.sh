#!/bin/bash
# Runs the simulator over many seeds; SECONDS_EACH (default 60) bounds each part.
set -euo pipefail

cd "$(dirname "$0")/.."
if [[ ! -x Scripts/soak-simulator.sh ]]; then
  echo "there is nothing to soak yet"
  exit 0
fi
exec Scripts/soak-simulator.sh "${SECONDS_EACH:-60}"
