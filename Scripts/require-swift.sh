#!/bin/bash
# Stops with what to install unless there is a Swift toolchain that can build the package. What the toolchain itself needs
# of Debian is installed.
set -euo pipefail

swift="${SWIFT:-swift}"
# The first one that knows enums that may grow (SE-0487).
oldest=6.2.3
needed="Swift $oldest or newer for Debian 12 is needed: https://www.swift.org/install/linux/"

if ! command -v "$swift" >/dev/null; then
  echo "error: there is no '$swift' on the path. $needed" >&2
  exit 1
fi
"$(dirname "$0")/install-packages.sh" swift
version=$("$swift" --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+(\.[0-9]+)+).*/\1/p' | head -n 1)
if [[ $(printf '%s\n' "$oldest" "${version:-0}" | sort --version-sort | head -n 1) != "$oldest" ]]; then
  echo "error: '$swift' is version ${version:-unknown}. $needed" >&2
  exit 1
fi
