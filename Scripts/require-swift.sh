#!/bin/bash
# Stops with what to install unless there is a Swift toolchain that can build the package. What the toolchain itself needs
# of Debian is installed.
set -euo pipefail

swift="${SWIFT:-swift}"
needed="Swift 6.2 or newer for Debian 12 is needed: https://www.swift.org/install/linux/"

if ! command -v "$swift" >/dev/null; then
  echo "error: there is no '$swift' on the path. $needed" >&2
  exit 1
fi
"$(dirname "$0")/install-packages.sh" swift
version=$("$swift" --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+)\.([0-9]+).*/\1 \2/p' | head -n 1)
read -r major minor <<<"${version:-0 0}"
if ((major < 6 || (major == 6 && minor < 2))); then
  echo "error: '$swift' is version $major.$minor. $needed" >&2
  exit 1
fi
