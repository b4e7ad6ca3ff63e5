#!/bin/bash
# Builds the fuzz targets with the address sanitizer and runs each for the given number of seconds (default 30).
# New findings stay in Fuzzing/Corpus/<target>, crashes in Fuzzing/Crashes.
set -euo pipefail

cd "$(dirname "$0")"
seconds="${1:-30}"
swift build -c release --sanitize address
mkdir -p Crashes
python3 seeds.py
status=0
for path in Sources/fuzz-*; do
  target="$(basename "$path")"
  corpus="Corpus/$target"
  mkdir -p "$corpus"
  if [[ "$target" == fuzz-container ]]; then cp -n ../Fixtures/Maps/*.worldmap "$corpus/"; fi
  echo "== $target, ${seconds} s"
  .build/release/"$target" -max_total_time="$seconds" -max_len=16384 -rss_limit_mb=4096 -timeout=10 \
    -artifact_prefix="Crashes/$target-" -print_final_stats=1 "$corpus" 2>"Crashes/$target.log" || status=1
  grep -E "number_of_executed_units|ERROR|SUMMARY" "Crashes/$target.log" || true
done
exit "$status"
