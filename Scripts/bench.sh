#!/bin/bash
# Runs the benchmarks of the nested package; FILTER and JSON come from the environment.
set -euo pipefail

json=${JSON:+$(realpath -m "$JSON")}
cd "$(dirname "$0")/.."
"${SWIFT:-swift}" build -c release --product soak
# Draco is compared with where it is installed: Scripts/install-packages.sh bench
if pkg-config --exists draco; then export SHAREDWORLD_DRACO=1; fi
cd Benchmarks
# The package manager looks for new files of the package above only when this one has changed.
touch Package.swift
"${SWIFT:-swift}" build -c release --product bench
exec .build/release/bench ${FILTER:+--filter "$FILTER"} ${json:+--json "$json"}
