#!/bin/bash
# Builds the fuzz targets with the address sanitizer; with PLAIN=1 without it, in a folder of their own.
set -euo pipefail

cd "$(dirname "$0")"
if [[ -n ${PLAIN:-} ]]; then
  "${SWIFT:-swift}" build -c release --scratch-path .build/plain
else
  "${SWIFT:-swift}" build -c release --sanitize address
fi
