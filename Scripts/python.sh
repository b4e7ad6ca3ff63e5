#!/bin/bash
# Builds the C library, installs the Python package as a wheel into an environment of its own, and runs its tests.
# With LIBRARY=debug the wheel has the debug library, which takes no build in release.
set -euo pipefail

cd "$(dirname "$0")/.."
stage=$PWD/.build/python python=$PWD/.build/python/environment
if ! Scripts/python-environment.sh "$python" numpy 'numpy>=1.24'; then
  echo "skipped: make python needs python3-venv, and numpy, which cannot be fetched from PyPI" >&2
  exit 0
fi
for product in CSharedWorld worldpeer worldmap; do "${SWIFT:-swift}" build --product "$product"; done
SHAREDWORLD_BIN=$("${SWIFT:-swift}" build --show-bin-path)
library=$SHAREDWORLD_BIN/libCSharedWorld.so
if [[ ${LIBRARY:-} != debug ]]; then
  DESTDIR=$stage/library PREFIX=/usr Scripts/install.sh
  library=$stage/library/usr/lib/libCSharedWorld.so
fi
rm -rf "$stage/wheels"
SHAREDWORLD_LIBRARY=$library "$python/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$stage/wheels" \
  ./Bindings/python
"$python/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$stage"/wheels/*.whl
export SHAREDWORLD_BIN PYTHONDONTWRITEBYTECODE=1
cd Bindings/python/tests
exec "$python/bin/python" -m unittest discover --verbose ${FILTER:+-k "$FILTER"}
