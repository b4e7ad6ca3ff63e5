#!/bin/bash
# What a member costs by the numbers of peers and of anchors, as the table of the handbook.
# PEERS and ANCHORS choose the cells; each is measured in a process of its own.
set -euo pipefail

cd "$(dirname "$0")/../Benchmarks"
"${SWIFT:-swift}" build -c release --product bench
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

echo "| peers | anchors | CPU at rest, % of a core | at rest, bytes/s | memory, MB | an update, bytes | µs of CPU |"
echo "|---|---|---|---|---|---|---|"
for peers in ${PEERS:-2 4 8 16 32 64}; do
  for anchors in ${ANCHORS:-10 1000 65536}; do
    .build/release/bench --filter "growth/$peers/$anchors" --json "$rows" >/dev/null
    python3 -c '
import json, sys
values = {row["name"].split("/")[0]: row["value"] for row in json.load(open(sys.argv[1]))}
names = ["rest-cpu", "rest-bytes", "memory", "update-bytes", "update-cpu"]
cells = [format(values["growth-" + name], ".3g" if values["growth-" + name] < 1000 else ",.0f") for name in names]
print("|", " | ".join(sys.argv[2:] + cells), "|")
' "$rows" "$peers" "$anchors"
  done
done
