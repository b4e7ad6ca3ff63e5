#!/bin/bash
# Runs the LAN tests. Everything they make lives in namespaces of their own, which the kernel removes with the last
# process however the tests end: there is nothing to clean up and nothing to leak. CONFIGURATION=debug tests programs of a
# debug build. `lan.sh build` builds the programs and tests nothing.
set -euo pipefail

cd "$(dirname "$0")/.."
if ((EUID != 0)); then
  echo "error: make lan makes network namespaces and needs root: sudo make lan" >&2
  exit 1
fi
configuration=${CONFIGURATION:-release}
for product in worldpeer worldmap FirstProgram; do "${SWIFT:-swift}" build -c "$configuration" --product "$product"; done
SHAREDWORLD_BIN=$("${SWIFT:-swift}" build -c "$configuration" --show-bin-path)
export SHAREDWORLD_BIN PYTHONDONTWRITEBYTECODE=1
if [[ ${1:-} == build ]]; then exit; fi
Scripts/install-packages.sh lan

# Another implementation of multicast DNS, from PyPI; the tests that need it are skipped, and say so, where that cannot be reached.
python=$PWD/.build/lan-python
if ! Scripts/python-environment.sh "$python" zeroconf 'zeroconf==0.154.0'; then
  echo "note: python-zeroconf cannot be fetched from PyPI; its tests are skipped" >&2
fi
export SHAREDWORLD_ZEROCONF=$python/bin/python

exec unshare --net --mount --pid --fork --kill-child --mount-proc \
  python3 -m unittest discover --start-directory Tests/Lan --verbose ${FILTER:+-k "$FILTER"}
