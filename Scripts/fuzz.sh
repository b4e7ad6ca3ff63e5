#!/bin/bash
# Runs every fuzz target of the nested package Fuzzing for SECONDS_EACH seconds (default 30).
set -euo pipefail

cd "$(dirname "$0")/.."
if [[ ! -d Fuzzing ]]; then
  echo "there is nothing to fuzz yet"
  exit 0
fi
exec Fuzzing/run.sh "${SECONDS_EACH:-30}"
