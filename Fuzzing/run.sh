#!/bin/bash
# Builds the fuzz targets with the address sanitizer and runs each for the given number of seconds (default 30); further
# arguments name the targets to run. New findings stay in Corpus/<target>, crashes and logs in Crashes.
set -euo pipefail

cd "$(dirname "$0")"
seconds="${1:-30}"
shift || true
"${SWIFT:-swift}" build -c release --sanitize address
mkdir -p Crashes
python3 seeds.py
# libFuzzer itself must see a trap, to keep the input.
export SWIFT_BACKTRACE=enable=no
targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
  for path in Sources/fuzz-*; do targets+=("$(basename "$path")"); done
fi
status=0
for target in "${targets[@]}"; do
  mkdir -p "Corpus/$target"
  echo "== $target, ${seconds} s"
  .build/release/"$target" -max_total_time="$seconds" -max_len=16384 -rss_limit_mb=4096 -timeout=10 \
    -artifact_prefix="Crashes/$target-" -print_final_stats=1 "Corpus/$target" 2>"Crashes/$target.log" || status=1
  grep -aE "number_of_executed_units|peak_rss|ERROR|SUMMARY" "Crashes/$target.log" || true
done
exit "$status"
