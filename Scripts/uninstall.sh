#!/bin/bash
# Removes what install.sh has installed; PREFIX and DESTDIR are those of the installation.
set -euo pipefail

prefix=${PREFIX:-/usr/local}
[[ $prefix == /* ]] || prefix=$(realpath -m "$prefix")
target=${DESTDIR:-}$prefix
rm -rf "$target/include/sharedworld"
rm -f "$target/include/sharedworld.h" "$target/lib/pkgconfig/sharedworld.pc"
rm -f "$target"/lib/libCSharedWorld.so "$target"/lib/libCSharedWorld.so.*
echo "removed the C library from $target"
