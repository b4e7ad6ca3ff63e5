#!/bin/bash
# Runs the tests of worldpeer in a terminal (Tests/Terminal), each in a tmux server of its own.
set -euo pipefail
if ! command -v tmux >/dev/null; then
  echo "skipped: Tests/Terminal needs tmux: Scripts/install-packages.sh test"
  exit 0
fi
exec "$(dirname "$0")/python-tests.sh" Tests/Terminal
