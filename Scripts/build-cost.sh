#!/bin/bash
# Measures what a build from nothing costs, and writes rows for `bench` to the file that SHAREDWORLD_ROWS names:
# build-cost.sh release|app|tests|library. It works in a copy of the tree in .build/cost, so that no other build is
# touched. Each part takes minutes. Times are beside those of a module of plain types, compiled in the same run: a
# machine that is slower or busy changes both. Sizes are beside those of Swift's own standard library.
set -euo pipefail

cd "$(dirname "$0")/.."
part=${1:-}
rows=${SHAREDWORLD_ROWS:?}
swift=${SWIFT:-swift}
swiftc=$(dirname "$(command -v "$swift")")/swiftc
work=$PWD/.build/cost
tree=$work/SharedWorld
# A fresh copy of what is in the repository or may come into it.
rm -rf "$work"
mkdir -p "$tree"
git ls-files -z --cached --others --exclude-standard --deduplicate | while IFS= read -rd '' file; do
  if [[ -e $file || -L $file ]]; then printf '%s\0' "$file"; fi
done | tar --create --null --files-from=- | tar --extract --directory "$tree"
list=()
unset SHAREDWORLD_BENCH

# measure COMMAND...: runs it; $wall and $cpu are what it took (seconds, with all that it started).
measure() {
  local TIMEFORMAT='%R %U %S' log=$work/log user system
  if ! { time "$@" >"$log" 2>&1; } 2>"$work/time"; then
    tail -n 30 "$log" >&2
    echo "error: $* failed" >&2
    exit 1
  fi
  read -r wall user system <"$work/time"
  cpu=$(awk -v u="$user" -v s="$system" 'BEGIN { print u + s }')
}

# row NAME VALUE UNIT BASELINE VALUE
row() {
  list+=("$(awk -v name="$1" -v value="$2" -v unit="$3" -v baseline="$4" -v other="$5" 'BEGIN {
    printf "{\"name\": \"build-cost/%s\", \"value\": %s, \"unit\": \"%s\", \"baseline\": \"%s\", ", name, value, unit, baseline
    printf "\"baselineValue\": %s, \"ratio\": %.4f}", other, value / other
  }')")
}

# The baseline: two hundred types with what the compiler writes for them, and a use of each in generic code.
plain() {
  local number
  # shellcheck disable=SC2016 # They are Swift's own.
  for ((number = 0; number < 200; number++)); do
    printf 'public struct Plain%d: Hashable, Codable, Sendable { public var a: [Int], b: [String: Double], c: Int? }\n' "$number"
    printf 'public func sorted%d(_ all: [Plain%d]) -> [Plain%d] { Array(Set(all)).sorted { $0.a.count < $1.a.count } }\n' \
      "$number" "$number" "$number"
  done >"$work/plain.swift"
  measure "$swiftc" -O -wmo -parse-as-library -c "$work/plain.swift" -o "$work/plain.o"
  plain_wall=$wall plain_cpu=$cpu
}

# times NAME: the rows of what was measured last.
times() {
  row "$1-cpu" "$cpu" "s" "a module of 200 types" "$plain_cpu"
  row "$1-wall" "$wall" "s" "a module of 200 types" "$plain_wall"
}

# text FILE: the bytes of its code.
text() { size --format=sysv "$1" | awk '$1 == ".text" { print $2 }'; }
# megabytes BYTES
megabytes() { awk -v bytes="$1" 'BEGIN { printf "%.3f", bytes / 1e6 }'; }
core=$(dirname "$swiftc")/../lib/swift/linux/libswiftCore.so

case $part in
  release)
    plain
    measure "$swift" build -c release --product worldpeer --package-path "$tree"
    times release
    row worldpeer-text "$(megabytes "$(text "$tree/.build/release/worldpeer")")" MB "libswiftCore.so" \
      "$(megabytes "$(text "$core")")"
    ;;
  app)
    mkdir -p "$work/app/Sources/App"
    cat >"$work/app/Package.swift" <<'PACKAGE'
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "app", dependencies: [.package(path: "../SharedWorld")],
  targets: [.executableTarget(name: "App", dependencies: [.product(name: "SharedWorld", package: "SharedWorld")])]
)
PACKAGE
    cp Snippets/FirstProgram.swift "$work/app/Sources/App/main.swift"
    plain
    measure "$swift" build -c release --package-path "$work/app"
    times app
    ;;
  tests)
    plain
    measure "$swift" build --build-tests --package-path "$tree"
    times tests
    edited=$tree/Sources/PeerProtocol/Node/Node+Inputs.swift
    sed -i '0,/func handle(.*{$/s//&\n    _ = now/' "$edited"
    if cmp -s "$edited" "${edited#"$tree/"}"; then
      echo "error: there is no function handle in ${edited#"$tree/"}: name another one in Scripts/build-cost.sh" >&2
      exit 1
    fi
    measure "$swift" test --filter '^PeerProtocolTests\.FrameTests/' --package-path "$tree"
    if ! grep -q 'Test run with [1-9]' "$work/log"; then
      echo "error: the filter of Scripts/build-cost.sh selects no test" >&2
      exit 1
    fi
    times edit
    ;;
  library)
    measure env -C "$tree" DESTDIR="$work/installed" PREFIX=/usr Scripts/install.sh
    library=$(find "$work/installed" -type f -name 'libCSharedWorld.so.*')
    row library-size "$(megabytes "$(stat -c %s "$library")")" MB "libswiftCore.so" "$(megabytes "$(stat -Lc %s "$core")")"
    ;;
  *)
    echo "usage: build-cost.sh release|app|tests|library" >&2
    exit 1
    ;;
esac
(IFS=,; echo "[${list[*]}]") >"$rows"
rm -rf "$work"
