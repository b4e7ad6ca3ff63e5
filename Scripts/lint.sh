#!/bin/bash
# The format of the Swift code, the shell scripts, and the rules of the house (TidyTests).
set -euo pipefail

cd "$(dirname "$0")/.."
Scripts/install-packages.sh lint

swift_places=()
for place in Package.swift Sources Tests Benchmarks Fuzzing Snippets; do
  [[ -e $place ]] && swift_places+=("$place")
done
# Nested packages may hold a .build folder, which is not ours to judge.
find "${swift_places[@]}" -name .build -prune -o -name '*.swift' -print0 |
  xargs -0 "${SWIFT:-swift}" format lint --strict --parallel
find Scripts Packaging Tests Fuzzing .ci -name '*.sh' -print0 | xargs -0 shellcheck .ci/run
"${SWIFT:-swift}" test --filter TidyTests
