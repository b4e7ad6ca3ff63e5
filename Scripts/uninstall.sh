#!/bin/bash
# Removes what install.sh has installed; PREFIX, LIBDIR and DESTDIR are those of the installation.
set -euo pipefail

prefix=${PREFIX:-/usr/local}
[[ $prefix == /* ]] || prefix=$(realpath -m "$prefix")
target=${DESTDIR:-}$prefix
lib=$target/${LIBDIR:-lib}
rm -rf "$target/include/sharedworld"
rm -f "$target/include/sharedworld.h" "$lib/pkgconfig/sharedworld.pc" \
  "$lib/pkgconfig/sharedworld-static.pc" "$lib/libCSharedWorld.a"
rm -f "$lib"/libCSharedWorld.so "$lib"/libCSharedWorld.so.*
echo "removed the C library from $target"
