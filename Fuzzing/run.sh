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
# So a reader of the output alone can run the input again.
show_failure() {
  tail -n 40 "Crashes/$1.log"
  for input in Crashes/"$1"-{crash,leak,oom,timeout,slow-unit}-*; do
    [[ ! -e "$input" ]] || { echo "== $input, base64"; base64 "$input"; }
  done
}
fuzz() {
  .build/release/"$1" -max_total_time="$seconds" -max_len=16384 -rss_limit_mb=4096 -timeout=300 \
    -artifact_prefix="Crashes/$1-" -print_final_stats=1 "Corpus/$1" 2>"Crashes/$1.log"
}
# libFuzzer looks at the clock on the wall, which a busy machine stops: what it found slow gets 10 s of a processor.
is_quick() {
  for input in Crashes/"$1"-slow-unit-*; do
    [[ ! -e "$input" ]] || (ulimit -t 10 && exec .build/release/"$1" "$input") 2>>"Crashes/$1.log" || return 1
    rm -f "$input"
  done
}
for target in "${targets[@]}"; do
  mkdir -p "Corpus/$target"
  echo "== $target, ${seconds} s"
  if ! fuzz "$target" || ! is_quick "$target"; then
    status=1
    show_failure "$target"
  fi
  grep -aE "number_of_executed_units|peak_rss|ERROR|SUMMARY" "Crashes/$target.log" || true
done
exit "$status"
