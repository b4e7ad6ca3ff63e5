#!/bin/bash
# Takes into Fixtures/Fuzzing the fewest inputs of Corpus with at most 512 bytes that reach what all of those reach: at most 40
# of a target. Needs the build of run.sh; arguments name the targets.
set -euo pipefail

cd "$(dirname "$0")"
export SWIFT_BACKTRACE=enable=no
targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
  for path in Sources/fuzz-*; do targets+=("$(basename "$path")"); done
fi
for target in "${targets[@]}"; do
  kept=../Fixtures/Fuzzing/$target
  work=$(mktemp -d)
  mkdir -p "$kept" "$work/small" "$work/merged"
  find "Corpus/$target" "$kept" -type f -size -513c -exec cp -t "$work/small" {} +
  .build/release/"$target" -set_cover_merge=1 "$work/merged" "$work/small" 2>"$work/log" || tail -n 5 "$work/log"
  rm -f "$kept"/*
  # The order of the names is that of no property: a fair choice among those that are short enough.
  find "$work/merged" -type f -size -513c | sort | head -n 40 | while read -r input; do
    cp "$input" "$kept/$(sha1sum <"$input" | cut -c 1-16)"
  done
  echo "$target: $(find "$kept" -type f | wc -l) inputs, $(du -sb "$kept" | cut -f 1) bytes"
  rm -rf "$work"
done
