#!/bin/bash
# Builds the examples of the embedding guide (Tests/Embedding) and runs each beside a worldpeer. What their windows looked
# like is left in examples-out.
set -euo pipefail

cd "$(dirname "$0")/.."
# They are not of `make test`: GTK brings some eighty packages with it.
if ! Scripts/install-packages.sh examples; then
  echo "skipped: make examples needs GTK 4, SDL 2, Xvfb, xdotool and python3-venv of Debian" >&2
  exit 0
fi
python=$PWD/.build/numpy-python
if ! Scripts/python-environment.sh "$python" numpy 'numpy>=1.24'; then
  echo "skipped: make examples needs numpy, which cannot be fetched from PyPI" >&2
  exit 0
fi

"${SWIFT:-swift}" build --product CSharedWorld
"${SWIFT:-swift}" build --product worldpeer
SHAREDWORLD_BIN=$("${SWIFT:-swift}" build --show-bin-path)
export SHAREDWORLD_BIN PYTHONDONTWRITEBYTECODE=1

rm -rf examples-out
exec "$python/bin/python" -m unittest discover --start-directory Tests/Embedding --verbose ${FILTER:+-k "$FILTER"}
