#!/bin/bash
# Builds the documentation of the library products into .build/docs: SharedWorld with the symbols of the model and of
# Basics, which it exports, and WorldFormats. The groups of the events come from the marks in their enum, the references of C
# and Python from the comments of the header and the docstrings of the package. A link that leads nowhere, a parameter that
# does not exist, a symbol that no page groups, or a function without a word is an error.
# Serve it with: python3 -m http.server --directory .build/docs
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
work=.build/documentation
modules=$("$swift" build --show-bin-path)/Modules
triple=$("$swift" -print-target-info | sed -nE 's/^ *"unversionedTriple": "([^"]+)".*/\1/p')
# docc lies beside the compiler, which a link may hide.
docc=$(dirname "$(realpath "$(command -v "$swift")")")/docc
clang_maps=()
for map in Sources/C*/module.modulemap; do clang_maps+=(-Xcc "-fmodule-map-file=$map"); done

rm -rf "$work" .build/docs
archives=()

# Builds the archive of a module; further arguments go to the extraction of its symbols.
document() {
  local module=$1
  shift
  "$swift" build --target "$module"
  mkdir -p "$work/$module"
  cp -r "Sources/$module/$module.docc" "$work/$module.docc"
  "$swift" symbolgraph-extract -module-name "$module" -I "$modules" -target "$triple" -output-dir "$work/$module" \
    -minimum-access-level public -skip-synthesized-members -swift-version 6 "${clang_maps[@]}" "$@"
  if [[ $module == SharedWorld ]]; then
    python3 Scripts/event-topics.py Sources/SharedWorld/Session/SessionEvent.swift >"$work/$module.docc/SessionEvent.md"
    Scripts/references.py "$work/$module.docc"
  fi
  "$docc" convert "$work/$module.docc" --additional-symbol-graph-dir "$work/$module" \
    --output-path "$work/$module.doccarchive" --fallback-display-name "$module" \
    --fallback-bundle-identifier "${module,,}" --warnings-as-errors
  archives+=("$work/$module.doccarchive")
}

# Of the layers below some single types are exported, which are all that they have of public ones.
document SharedWorld \
  -experimental-allowed-reexported-modules=Basics,WorldModel,AnchorReplication,PeerProtocol,ServiceDiscovery,Authentication
document WorldFormats
"$docc" merge "${archives[@]}" --synthesized-landing-page-name SharedWorld --output-path .build/docs
# The root leads to the landing page of the library.
cat >.build/docs/index.html <<'END'
<!doctype html><title>SharedWorld</title><meta http-equiv="refresh" content="0; url=documentation/sharedworld/">
<a href="documentation/sharedworld/">SharedWorld</a>
END
python3 Scripts/check-topics.py .build/docs
Scripts/references.py --check .build/docs
echo "the documentation is in .build/docs"
