#!/bin/bash
# Fuzzes for the given number of seconds (default: until it is ended), one target after the other, 2 minutes each, and again;
# with one process that gives way to all others. It builds once. `executions.py` adds up what all runs came to. PLAIN=1 as
# in run.sh.
set -euo pipefail

cd "$(dirname "$0")"
total=${1:-1000000000}
nice -n 19 ./build.sh
while ((SECONDS < total)); do
  for path in Sources/fuzz-*; do
    ((SECONDS < total)) || break
    # A crash is kept in Crashes and named at the end of its run; the others go on.
    BUILT=1 nice -n 19 ./run.sh 120 "$(basename "$path")" || true
  done
done
./executions.py
