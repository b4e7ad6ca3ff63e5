#!/bin/bash
# Measures what a member costs by the numbers of peers and of anchors; the rows growth-… go into Benchmarks/RESULTS.md.
# PEERS and ANCHORS choose the cells. Each is measured in a process of its own, since memory that was used once does not
# go back.
set -euo pipefail

cd "$(dirname "$0")/.."
for peers in ${PEERS:-2 4 8 16 32 64}; do
  for anchors in ${ANCHORS:-10 1000 65536}; do
    FILTER="growth/$peers/$anchors" JSON='' Scripts/bench.sh
  done
done
