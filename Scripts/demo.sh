#!/bin/bash
# Two peers on this machine, with no daemon: they find each other by mDNS inside their processes, connect over TLS, elect
# a host, share a map and place anchors. At the end both must say the same.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
out=demo-out
points=60000

bold() { if [[ -t 1 ]]; then printf '\n\033[1m%s\033[0m\n' "$1"; else printf '\n%s\n' "$1"; fi; }

bold "Building (release)"
"$swift" build -c release --product worldpeer
"$swift" build -c release --product worldmap
bin=$("$swift" build -c release --show-bin-path)

rm -rf "$out"
mkdir -p "$out"
identities=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$identities"' EXIT

bold "A room of $points feature points"
"$bin/worldmap" generate --points "$points" --seed 7 "$out/room.worldmap"

# Each peer looks into the room from its middle. An author's edits arrive in order, so once the last one is here all are.
cat >"$out/kitchen.txt" <<'SCRIPT'
wait peers 1
wait host
sleep 1
send-map
camera 0 0.3 1.5  0 -0.6 -1.5
tap 0.50 0.60 lamp
tap 0.35 0.55 "coffee machine"
tap 0.65 0.50 door
wait anchor clock
save demo-out/shared.worldmap
status
sleep 3
quit
SCRIPT
cat >"$out/porch.txt" <<'SCRIPT'
wait peers 1
wait host
wait map
wait anchor door
camera 0 0.3 -1.5  0 -0.6 1.5
tap 0.45 0.70 plant
tap 0.30 0.65 "a mistake"
sleep 1
move lamp 0.5 1.2 -0.5
rename door "front door"
remove "coffee machine"
remove "a mistake"
tap 0.55 0.40 clock
status
sleep 3
quit
SCRIPT

# Runs one peer; its output goes to the screen behind its name, and to a file.
peer() {
  local name=$1 colour=$2
  shift 2
  local label="$name"
  if [[ -t 1 ]]; then
    export CLICOLOR_FORCE=1
    label=$(printf '\033[%sm%s\033[0m' "$colour" "$name")
  fi
  "$bin/worldpeer" --name "$name" --service "sw-demo-$$" --discovery embedded --identity "$identities/$name" \
    --script "$out/$name.txt" "$@" </dev/null 2>&1 | tee "$out/$name.log" | sed -u "s/^/$label │ /"
}

bold "Two peers"
peer kitchen 33 --map "$out/room.worldmap" --invite all &
kitchen=$!
peer "porch" 36 --accept all &
porch=$!
wait "$kitchen"
wait "$porch"

# The five lines that `status` wrote, without colour.
status() { sed 's/\x1b\[[0-9;]*m//g' "$out/$1.log" | grep -A 4 '^  host '; }

bold "At the end"
if ! diff <(status kitchen) <(status porch); then
  echo "error: the two peers disagree" >&2
  exit 1
fi
status kitchen
echo "Both peers say the same: roster, host, map, anchors and digest."

bold "A picture from above"
"$bin/worldmap" thumbnail "$out/shared.worldmap" "$out/shared.png"
echo "$PWD/$out/shared.png"
