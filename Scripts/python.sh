#!/bin/bash
# Builds the C library, installs the Python package as a wheel into an environment of its own, and runs its tests.
set -euo pipefail

cd "$(dirname "$0")/.."
stage=$PWD/.build/python
DESTDIR=$stage/library PREFIX=/usr Scripts/install.sh
"${SWIFT:-swift}" build --product worldpeer
"${SWIFT:-swift}" build --product worldmap
SHAREDWORLD_BIN=$("${SWIFT:-swift}" build --show-bin-path)
export SHAREDWORLD_BIN PYTHONDONTWRITEBYTECODE=1

rm -rf "$stage/environment" "$stage/wheels"
python3 -m venv "$stage/environment"
# numpy comes from PyPI.
SHAREDWORLD_LIBRARY=$stage/library/usr/lib/libCSharedWorld.so "$stage/environment/bin/pip" wheel --quiet \
  --disable-pip-version-check --wheel-dir "$stage/wheels" ./Bindings/python
"$stage/environment/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$stage/wheels" \
  sharedworld
cd Bindings/python/tests
exec "$stage/environment/bin/python" -m unittest discover --verbose ${FILTER:+-k "$FILTER"}
