#!/bin/bash
# Runs the peer that is written from PROTOCOL.md alone (Tests/Interop) beside worldpeer, with the first Python that has
# what it needs. libzstd, which it calls through ctypes, is where worldpeer is.
set -euo pipefail

cd "$(dirname "$0")/.."
for candidate in "${PYTHON:-python3}" /usr/bin/python3; do
  if "$candidate" -c 'import cryptography, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [[ -z ${python:-} ]]; then
  echo "skipped: Tests/Interop needs Python 3.11 and its package cryptography: Scripts/install-packages.sh test"
  exit 0
fi
SHAREDWORLD_BIN=$("${SWIFT:-swift}" build --show-bin-path)
export SHAREDWORLD_BIN PYTHONDONTWRITEBYTECODE=1
exec "$python" -m unittest discover --start-directory Tests/Interop
