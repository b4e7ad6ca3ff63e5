#!/bin/bash
# Builds an app on the product SharedWorld (debug) without one trait after the other, or without the one that TRAIT
# names, and runs it: the library of C is not looked at and not linked, and what needs it says which trait is missing.
set -euo pipefail

cd "$(dirname "$0")/.."
root=$PWD
swift=${SWIFT:-swift}
all=(Alignment Avahi Journal)
# What an app without the trait does not hold, and the modules of C that its build does not read.
declare -A text=([Alignment]=14WorldAlignment [Avahi]=libavahi-core.so [Journal]=libsqlite3.so)
declare -A modules=([Alignment]='' [Avahi]='CAvahiCore CDNSSD' [Journal]=CSQLite)

# without TRAIT: fails, with a line that says why, unless an app can be built without it.
without() {
  local trait=$1 folder=$root/.build/traits/$1 others=() other module start=$SECONDS answer
  for other in "${all[@]}"; do [[ $other == "$trait" ]] || others+=("\"$other\""); done
  mkdir -p "$folder"
  ln -sfn "$root/Tests/Embedding/Traits" "$folder/Sources"
  cat >"$folder/Package.swift" <<PACKAGE
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "traits",
  dependencies: [.package(name: "SharedWorld", path: "$root", traits: [$(IFS=,; echo "${others[*]}")])],
  targets: [
    .executableTarget(
      name: "Traits", dependencies: [.product(name: "SharedWorld", package: "SharedWorld")], path: "Sources")
  ]
)
PACKAGE
  "$swift" build --disable-index-store --package-path "$folder"
  local app=$folder/.build/debug/Traits
  if grep -qaF "${text[$trait]}" "$app"; then
    echo "error: an app without the trait $trait holds ${text[$trait]}" >&2
    return 1
  fi
  for module in ${modules[$trait]}; do
    if [[ -n $(find "$folder/.build" -name "$module-*.pcm") ]]; then
      echo "error: the build without the trait $trait reads the headers of $module" >&2
      return 1
    fi
  done
  answer=$(timeout 60 "$app" "$trait")
  if [[ $answer != *"needs the trait $trait,"* ]]; then
    echo "error: an app without the trait $trait is told: $answer" >&2
    return 1
  fi
  echo "without $trait, in $((SECONDS - start)) s: $answer"
}

for trait in ${TRAIT:-"${all[@]}"}; do without "$trait"; done
