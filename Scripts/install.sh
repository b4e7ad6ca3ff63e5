#!/bin/bash
# Builds the C library in release and installs it with its headers and pkg-config file.
# PREFIX (default /usr/local) is where it will be found, DESTDIR (default none) a folder to stage it in.
set -euo pipefail

cd "$(dirname "$0")/.."
prefix=${PREFIX:-/usr/local}
[[ $prefix == /* ]] || prefix=$(realpath -m "$prefix")
target=${DESTDIR:-}$prefix
headers=Sources/CSharedWorldHeaders/include
version=$(sed -nE 's/^#define SW_ABI_VERSION ([0-9]+)$/\1/p' "$headers/sharedworld/base.h")
scratch=.build/install

# The Swift runtime goes into the library, so that a machine without Swift can use it. SwiftPM names its parts but not
# their folder when it links a dynamic library.
static=$(dirname "$(realpath "$(command -v "${SWIFT:-swift}")")")/../lib/swift_static/linux
"${SWIFT:-swift}" build -c release --scratch-path "$scratch" --static-swift-stdlib -Xswiftc -static-stdlib -Xlinker "-L$static" --product CSharedWorld
install -d "$target/include/sharedworld"
install -m 644 "$headers/sharedworld.h" "$target/include"
install -m 644 "$headers"/sharedworld/*.h "$target/include/sharedworld"
install -D -m 755 "$scratch/release/libCSharedWorld.so" "$target/lib/libCSharedWorld.so"
install -d "$target/lib/pkgconfig"
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version.0.0|" Scripts/sharedworld.pc.in \
  >"$target/lib/pkgconfig/sharedworld.pc"
echo "installed the C library in $target"
