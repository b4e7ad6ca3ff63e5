#!/bin/bash
# Two peers on this machine, with no daemon: they find each other by mDNS inside their processes, connect over TLS, elect
# a host, share a map and place anchors. The porch sees the room in a frame of its own and finds its place in the kitchen's
# map with a scan of its own. At the end both must say the same, and see one corner of the room at one place.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
out=demo-out
points=60000
# The porch's frame: its origin in the room (metres) and its turn (degrees).
frame=(2 0.1 -1 30)
# A corner of the room that both users touch (metres).
corner=(1.2 -0.6 0.8)
# How far apart the two may see it (metres).
tolerance=0.02

# Prints what comes next, and behind how many seconds of the demo.
bold() { if [[ -t 1 ]]; then printf '\n\033[1m%s\033[0m (at %d s)\n' "$1" "$SECONDS"; else printf '\n%s (at %d s)\n' "$1" "$SECONDS"; fi; }

# A debug build takes a third of the time of a release build, is what `make test` goes on with, and is fast enough here: the
# alignment of scans is optimized in both.
bold "Building worldpeer and worldmap: two to three minutes on two cores, seconds when nothing has changed"
"$swift" build --product worldpeer
"$swift" build --product worldmap
bin=$("$swift" build --show-bin-path)

rm -rf "$out"
mkdir -p "$out"
identities=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$identities"' EXIT

bold "A room of $points feature points"
"$bin/worldmap" generate --points "$points" --seed 7 "$out/room.worldmap"

bold "A scan of the same room by the porch: other points, fewer, and a frame of its own"
"$bin/worldmap" generate --points 9000 --seed 7 --walk 2 "$out/scan.worldmap"
"$bin/worldmap" generate --points 9000 --seed 7 --walk 2 --origin "$(IFS=,; echo "${frame[*]}")" "$out/seen.worldmap"
"$bin/worldmap" align "$out/room.worldmap" "$out/seen.worldmap" --picture "$out/frames.png"

# Prints a point of the room as the porch sees it.
seen() {
  awk -v ox="${frame[0]}" -v oy="${frame[1]}" -v oz="${frame[2]}" -v turn="${frame[3]}" -v x="$1" -v y="$2" -v z="$3" \
    'BEGIN {
      a = turn * 3.14159265358979 / 180; c = cos(a); s = sin(a); x -= ox; z -= oz
      printf "%.4f %.4f %.4f", c * x - s * z, y - oy, s * x + c * z
    }'
}

# Each peer looks into the room from its middle. An author's edits arrive in order, so once the last one is here all are.
cat >"$out/kitchen.txt" <<SCRIPT
wait peers 1
wait host
sleep 1
send-map
camera 0 0.3 1.5  0 -0.6 -1.5
tap 0.50 0.60 lamp
tap 0.35 0.55 "coffee machine"
tap 0.65 0.50 door
place "corner (kitchen)" ${corner[*]}
wait anchor clock 90
wait anchor "corner (porch)"
anchors
save demo-out/shared.worldmap
status
sleep 3
quit
SCRIPT
cat >"$out/porch.txt" <<SCRIPT
wait peers 1
wait host
wait map
alignment
load $out/scan.worldmap
align kitchen
wait anchor door
camera $(seen 0 0.3 -1.5)  $(seen 0 -0.6 1.5)
tap 0.45 0.70 plant
tap 0.30 0.65 "a mistake"
sleep 1
move lamp $(seen 0.5 1.2 -0.5)
rename door "front door"
remove "coffee machine"
remove "a mistake"
place "corner (porch)" $(seen "${corner[@]}")
wait anchor "corner (kitchen)"
tap 0.55 0.40 clock
anchors
status
sleep 3
quit
SCRIPT

# Runs one peer; its output goes to the screen behind its name, and to a file.
peer() {
  local name=$1 color=$2
  shift 2
  local label="$name"
  if [[ -t 1 ]]; then
    export CLICOLOR_FORCE=1
    label=$(printf '\033[%sm%s\033[0m' "$color" "$name")
  fi
  "$bin/worldpeer" --name "$name" --service "sw-demo-$$" --discovery embedded --identity "$identities/$name" \
    --script "$out/$name.txt" "$@" </dev/null 2>&1 | tee "$out/$name.log" | sed -u "s/^/$label │ /"
}

bold "Two peers"
peer kitchen 33 --map "$out/room.worldmap" --invite all &
kitchen=$!
peer "porch" 36 --accept all --frame "$(IFS=,; echo "${frame[*]}")" &
porch=$!
wait "$kitchen"
wait "$porch"

# The five lines that `status` wrote, without color.
status() { sed 's/\x1b\[[0-9;]*m//g' "$out/$1.log" | grep -A 4 '^  host '; }

bold "At the end"
if ! diff <(status kitchen) <(status porch); then
  echo "error: the two peers disagree" >&2
  exit 1
fi
status kitchen
echo "Both peers say the same: roster, host, map, anchors and digest."

# Both must see both corners, at one place.
for name in kitchen porch; do
  gap=$(sed 's/\x1b\[[0-9;]*m//g' "$out/$name.log" | awk '
    /corner \((kitchen|porch)\)/ {
      key = $0 ~ /\(kitchen\)/ ? "kitchen" : "porch"
      if (match($0, /-?[0-9]+\.[0-9]+,? +-?[0-9]+\.[0-9]+,? +-?[0-9]+\.[0-9]+/)) {
        split(substr($0, RSTART, RLENGTH), p, /,? +/)
        for (i = 1; i <= 3; i++) at[key, i] = p[i]
        seen[key] = 1
      }
    }
    END {
      if (!seen["kitchen"] || !seen["porch"]) { print "nowhere"; exit }
      for (i = 1; i <= 3; i++) sum += (at["kitchen", i] - at["porch", i]) ^ 2
      printf "%.4f", sqrt(sum)
    }')
  if [[ "$gap" == nowhere ]] || ! awk -v gap="$gap" -v most="$tolerance" 'BEGIN { exit !(gap <= most) }'; then
    echo "error: $name sees the corner that both touched at places $gap m apart" >&2
    exit 1
  fi
  echo "$name sees the corner that both touched at places $gap m apart."
done

bold "A picture from above"
"$bin/worldmap" thumbnail "$out/shared.worldmap" "$out/shared.png"
echo "$PWD/$out/shared.png"
echo "$PWD/$out/frames.png (both clouds: as each peer sees its own, and aligned)"
echo "The demo took $SECONDS s, of which its two peers take about 20; what was built stays in .build."
