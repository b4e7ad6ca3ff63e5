#!/bin/bash
# Builds an app that depends on the release of this version as any app does, by `from:`, and runs it once.
# usage: release-app.sh [URL]; without one the tag of this repository is taken.
set -euo pipefail

cd "$(dirname "$0")/.."
url=${1:-file://$PWD}
swift=${SWIFT:-swift}
version=$(Scripts/version.sh)
app=.build/release-app
if ! git ls-remote --exit-code --tags "$url" "refs/tags/$version" >/dev/null; then
  echo "error: $url has no tag $version: Scripts/release.sh makes it" >&2
  exit 1
fi

rm -rf "$app"
mkdir -p "$app/Sources/App"
name=$(basename "$url" .git)
cat >"$app/Package.swift" <<PACKAGE
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "app", dependencies: [.package(url: "$url", from: "$version")],
  targets: [.executableTarget(name: "App", dependencies: [.product(name: "SharedWorld", package: "$name")])]
)
PACKAGE
echo 'import SharedWorld; print(Session.version)' >"$app/Sources/App/main.swift"
"$swift" build --package-path "$app"
[[ $("$app/.build/debug/App") == "$version" ]]
echo "an app builds on SharedWorld from: \"$version\" of $url"
