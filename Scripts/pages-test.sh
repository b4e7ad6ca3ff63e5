#!/bin/bash
# Compares the man pages and the completions, which `make dist` makes of --help, with what the built programs say.
set -euo pipefail

cd "$(dirname "$0")/.."
if ! command -v python3 >/dev/null; then
  echo "skipped: Packaging/test_pages.py needs Python: Scripts/install-packages.sh test"
  exit 0
fi
SHAREDWORLD_BIN=$("${SWIFT:-swift}" build --show-bin-path)
export SHAREDWORLD_BIN PYTHONDONTWRITEBYTECODE=1
cd Packaging
exec python3 -m unittest test_pages
