#!/bin/bash
# Runs the benchmarks and records their rows in Benchmarks/RESULTS.md, or in the page that RESULTS
# names; FILTER selects rows, JSON names a file that gets them too.
set -euo pipefail

cd "$(dirname "$0")/.."
json=${JSON:+$(realpath -m "$JSON")}
results=$(realpath -m "${RESULTS:-Benchmarks/RESULTS.md}")
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
git diff --quiet HEAD -- ':!Benchmarks/RESULTS.md' ':!Benchmarks/Plots' 2>/dev/null || commit+=+

# The targets of Benchmarks join the package, so that they are built on what is built.
export SHAREDWORLD_BENCH=1
# Draco is compared with where it is installed: Scripts/install-packages.sh bench
if pkg-config --exists draco; then export SHAREDWORLD_BENCH_DRACO=1; fi
# So are ZeroMQ and NATS, each run by a small program beside bench.
products=(soak bench)
if pkg-config --exists libzmq; then
  export SHAREDWORLD_BENCH_ZEROMQ=1
  products+=(peer-zeromq)
fi
if pkg-config --exists libnats && command -v nats-server >/dev/null; then
  export SHAREDWORLD_BENCH_NATS=1
  products+=(peer-nats)
fi
for product in "${products[@]}"; do "${SWIFT:-swift}" build -c release --product "$product"; done
exec .build/release/bench --results "$results" --commit "$commit" ${FILTER:+--filter "$FILTER"} ${json:+--json "$json"}
