#!/bin/bash
# Runs every scenario of the simulator over many seeds, beginning with FIRST (default 1). SEEDS is the size of the whole:
# the default, 1,000,000, takes about seven hours of one core; a smaller number scales every part down. A failure prints the
# line that replays it. CONFIGURATION=debug takes a debug build, which OPTIMIZED=1 makes
# fit for it (Package.swift).
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
first=${FIRST:-1}
size=${SEEDS:-1000000}

configuration=${CONFIGURATION:-release}

"$swift" build -c "$configuration" --product soak
bin=$("$swift" build -c "$configuration" --show-bin-path)
status=0

# part SCENARIO SEEDS-OF-A-MILLION NODES [LEAST]: at least so many seeds, 20 unless told.
part() {
  local seeds=$(($2 * size / 1000000)) least=${4:-20}
  ((seeds >= least)) || seeds=$least
  "$bin/soak" run "$1" "$first" "$((first + seeds - 1))" "$3" || status=1
}

few=2,3,4,5,6,7,8,9,10,11,12
part chaos 800000 "$few"
for scenario in failover merge joins deaf; do
  part "$scenario" 60000 "$few"
  part "$scenario" 1000 16,32,64 3
done
part chaos 20000 16,32,64 6
part session 200000 2,3,4,5,6
part session 4000 8,12
part session-poses 20000 2,3,4,5,6,7,8
part session-messages 200000 2,3,4,5,6
for scenario in session-resources session-frames session-wrong-frames; do
  part "$scenario" 20000 2,3,4,5,6
done
part session-drivers 10000 3,4,5,6
part session-attachments 5000 2,3,4,5,6
part session-words 20000 3,4,5,6,7
part session-streams 5000 2,3,4,5,6
part session-relays 4000 4,5,6
part liar 20000 3,4,5,6
part session-owned 10000 5,6,7
for scenario in session-failover session-merge session-joins session-restarts detour orphan; do
  part "$scenario" 4000 3,4,5,6,7,8
done
part replication 50000 2,3,4,5,6,7,8
exit $status
