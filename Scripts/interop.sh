#!/bin/bash
# Runs the peer that is written from PROTOCOL.md alone (Tests/Interop) beside worldpeer. libzstd, which it calls through
# ctypes, is where worldpeer is.
set -euo pipefail
exec "$(dirname "$0")/python-tests.sh" Tests/Interop cryptography
