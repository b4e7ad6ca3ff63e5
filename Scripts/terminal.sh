#!/bin/bash
# Runs the tests of worldpeer in a terminal (Tests/Terminal), each in a tmux server of its own, with the first Python that
# is new enough.
set -euo pipefail

cd "$(dirname "$0")/.."
for candidate in "${PYTHON:-python3}" /usr/bin/python3; do
  if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [[ -z ${python:-} ]] || ! command -v tmux >/dev/null; then
  echo "skipped: Tests/Terminal needs Python 3.11 and tmux: Scripts/install-packages.sh test"
  exit 0
fi
SHAREDWORLD_BIN=$("${SWIFT:-swift}" build --show-bin-path)
export SHAREDWORLD_BIN PYTHONDONTWRITEBYTECODE=1
exec "$python" -m unittest discover --start-directory Tests/Terminal
