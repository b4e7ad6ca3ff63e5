#!/bin/bash
# Builds the documentation of SharedWorld (its own symbols and the model's, which it exports) into .build/docs.
# A link that leads nowhere is an error. Serve it with: python3 -m http.server --directory .build/docs
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
catalogue=Sources/SharedWorld/SharedWorld.docc
graphs=.build/symbol-graphs
modules=$("$swift" build --show-bin-path)/Modules
triple=$("$swift" -print-target-info | sed -nE 's/^ *"unversionedTriple": "([^"]+)".*/\1/p')
# docc lies beside the compiler, which a link may hide.
docc=$(dirname "$(realpath "$(command -v "$swift")")")/docc

"$swift" build --target SharedWorld
rm -rf "$graphs" .build/docs
mkdir -p "$graphs"
flags=()
for map in Sources/C*/module.modulemap; do flags+=(-Xcc "-fmodule-map-file=$map"); done
"$swift" symbolgraph-extract -module-name SharedWorld -I "$modules" -target "$triple" -output-dir "$graphs" \
  -minimum-access-level public -skip-synthesized-members -experimental-allowed-reexported-modules=Basics,WorldModel \
  -swift-version 6 "${flags[@]}"
"$docc" convert "$catalogue" --additional-symbol-graph-dir "$graphs" --output-path .build/docs \
  --fallback-display-name SharedWorld --fallback-bundle-identifier sharedworld --warnings-as-errors
echo "the documentation is in .build/docs"
