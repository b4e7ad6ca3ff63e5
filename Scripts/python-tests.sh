#!/bin/bash
# python-tests.sh FOLDER [MODULE]: runs the Python tests of FOLDER beside the built programs, with the first Python that is
# new enough and has MODULE; without one they are skipped, and the log says so.
set -euo pipefail

cd "$(dirname "$0")/.."
folder=$1 module=${2:-sys}
for candidate in "${PYTHON:-python3}" /usr/bin/python3; do
  if "$candidate" -c "import $module, sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null; then
    SHAREDWORLD_BIN=$("${SWIFT:-swift}" build --show-bin-path)
    export SHAREDWORLD_BIN PYTHONDONTWRITEBYTECODE=1
    exec "$candidate" -m unittest discover --start-directory "$folder"
  fi
done
echo "skipped: $folder needs Python 3.11${2:+ and its package $2}: Scripts/install-packages.sh test"
