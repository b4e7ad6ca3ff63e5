#!/bin/bash
# Prints the version of the package, whose one address is Sources/SharedWorld/Version.swift.
set -euo pipefail

sed -nE 's/^ *public static let version = "(.*)"$/\1/p' "$(dirname "$0")/../Sources/SharedWorld/Version.swift"
