#!/bin/bash
# Builds the fuzz targets with the address sanitizer and runs each for the given number of seconds (default 30); further
# arguments name the targets to run. New findings stay in Corpus/<target>, crashes and logs in Crashes, and what each run
# came to in executions.tsv. BUILT=1 leaves out the build. PLAIN=1 leaves out the sanitizer, for several times as many
# executions: then Swift's own checks alone notice a fault.
set -euo pipefail

cd "$(dirname "$0")"
seconds="${1:-30}"
shift || true
programs=.build/release sanitizer=address
[[ -z ${PLAIN:-} ]] || programs=.build/plain/release sanitizer=none
[[ -n ${BUILT:-} ]] || ./build.sh
mkdir -p Crashes
[[ -n ${BUILT:-} && -d Corpus ]] || python3 seeds.py
commit=$(git rev-parse --short HEAD 2>/dev/null || echo -)
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
  local corpora=("Corpus/$1")
  [[ ! -d ../Fixtures/Fuzzing/$1 ]] || corpora+=("../Fixtures/Fuzzing/$1")
  "$programs/$1" -max_total_time="$seconds" -max_len=16384 -rss_limit_mb=4096 -timeout=300 -reload=0 \
    -artifact_prefix="Crashes/$1-" -print_final_stats=1 "${corpora[@]}" 2>"Crashes/$1.log"
}
# libFuzzer looks at the clock on the wall, which a busy machine stops: what it found slow gets 10 s of a processor.
is_quick() {
  for input in Crashes/"$1"-slow-unit-*; do
    [[ ! -e "$input" ]] || (ulimit -t 10 && exec "$programs/$1" "$input") 2>>"Crashes/$1.log" || return 1
    rm -f "$input"
  done
}
# The last number behind a word of the log.
figure() { grep -aoE "$2 +[0-9]+" "Crashes/$1.log" | tail -n 1 | grep -oE '[0-9]+$' || echo 0; }
for target in "${targets[@]}"; do
  mkdir -p "Corpus/$target"
  echo "== $target, ${seconds} s"
  start=$SECONDS
  if ! fuzz "$target" || ! is_quick "$target"; then
    status=1
    show_failure "$target"
  fi
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$target" "$sanitizer" "$((SECONDS - start))" \
    "$(figure "$target" number_of_executed_units:)" "$(figure "$target" cov:)" "$(figure "$target" peak_rss_mb:)" \
    "$commit" >>executions.tsv
  grep -aE "number_of_executed_units|peak_rss|ERROR|SUMMARY" "Crashes/$target.log" || true
done
exit "$status"
