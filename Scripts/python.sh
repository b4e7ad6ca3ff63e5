#!/bin/bash
# Builds the C library, installs the Python package as a wheel into an environment of its own, and runs its tests.
# With LIBRARY=debug they run over the debug library and the package as it lies here, which takes no build in release.
set -euo pipefail

cd "$(dirname "$0")/.."
if [[ ${LIBRARY:-} == debug ]]; then
  python=$PWD/.build/numpy-python
  if ! Scripts/python-environment.sh "$python" numpy 'numpy>=1.24'; then
    echo "skipped: make python needs python3-venv, and numpy, which cannot be fetched from PyPI" >&2
    exit 0
  fi
  "${SWIFT:-swift}" build --product CSharedWorld
else
  stage=$PWD/.build/python python=$PWD/.build/python/environment
  DESTDIR=$stage/library PREFIX=/usr Scripts/install.sh
  rm -rf "$python" "$stage/wheels"
  python3 -m venv "$python"
  # numpy comes from PyPI.
  SHAREDWORLD_LIBRARY=$stage/library/usr/lib/libCSharedWorld.so "$python/bin/pip" wheel --quiet \
    --disable-pip-version-check --wheel-dir "$stage/wheels" ./Bindings/python
  "$python/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$stage/wheels" sharedworld
fi
"${SWIFT:-swift}" build --product worldpeer
"${SWIFT:-swift}" build --product worldmap
SHAREDWORLD_BIN=$("${SWIFT:-swift}" build --show-bin-path)
export SHAREDWORLD_BIN PYTHONDONTWRITEBYTECODE=1
if [[ ${LIBRARY:-} == debug ]]; then
  export PYTHONPATH=$PWD/Bindings/python SHAREDWORLD_LIBRARY=$SHAREDWORLD_BIN/libCSharedWorld.so
fi
cd Bindings/python/tests
exec "$python/bin/python" -m unittest discover --verbose ${FILTER:+-k "$FILTER"}
