#!/bin/bash
# Prints how the names of the tests of what changed begin, one target a line: against the branch that was cloned, or, where
# that is what is checked out, within the last day before the newest commit. A clone without history has none.
set -euo pipefail

cd "$(dirname "$0")/.."
base=$(git merge-base HEAD origin/HEAD 2>/dev/null || true)
if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
  base=$(git rev-list -1 --before="$(($(git show -s --format=%ct HEAD) - 86400))" HEAD)
fi
[[ -n $base ]] || exit 0

# A module X has the tests XTests; of some the names differ.
git diff --name-only "$base" | sed -nE 's#^(Sources|Tests)/([^/]+)/.*#\2#p' | sort -u | while read -r part; do
  case $part in
    soak) part=Simulator ;;
    worldmap) part=WorldMapTool ;;
    worldpeer) part=WorldPeer ;;
    worldview) part=WorldViewKit ;;
    CSharedWorldHeaders) part=CSharedWorld ;;
  esac
  for target in "$part" "${part}Tests"; do
    [[ $target == TestSupport || ! -d Tests/$target || -z $(find "Tests/$target" -name '*.swift' -print -quit) ]] ||
      echo "$target."
  done
done | sort -u
