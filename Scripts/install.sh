#!/bin/bash
# Builds the C library in release and installs it with its headers and pkg-config file.
# PREFIX (default /usr/local) is where it will be found, LIBDIR (default lib) its library folder there, DESTDIR (default
# none) a folder to stage it in. STATIC=1 installs the static library too, with sharedworld-static.pc.
set -euo pipefail

cd "$(dirname "$0")/.."
prefix=${PREFIX:-/usr/local}
[[ $prefix == /* ]] || prefix=$(realpath -m "$prefix")
libdir=${LIBDIR:-lib}
target=${DESTDIR:-}$prefix
headers=Sources/CSharedWorldHeaders/include
version=$(sed -nE 's/^#define SW_ABI_VERSION ([0-9]+)$/\1/p' "$headers/sharedworld/base.h")
scratch=.build/install

# The Swift runtime goes into the library, so that a machine without Swift can use it. SwiftPM names its parts but not
# their folder when it links a dynamic library.
static=$(dirname "$(realpath "$(command -v "${SWIFT:-swift}")")")/../lib/swift_static/linux
soname=libCSharedWorld.so.$version
"${SWIFT:-swift}" build -c release --scratch-path "$scratch" --static-swift-stdlib -Xswiftc -static-stdlib -Xlinker "-L$static" \
  -Xlinker "--version-script=$PWD/Scripts/sharedworld.map" -Xlinker "-soname=$soname" --product CSharedWorld
library=$scratch/release/libCSharedWorld.so

# Programs may rely on what is in the list, and on nothing that a compiler or a library of ours happened to export.
if ! diff <(sed -n "s/^function \(.*\)/\1@@SHAREDWORLD_$version/p" Fixtures/CInterface/interface.txt | sort) \
  <(nm -D --defined-only --extern-only --format=posix "$library" | sed -n '/ A /!s/ .*//p' | sort); then
  echo "the symbols of $library (>) are not those of Fixtures/CInterface/interface.txt (<)" >&2
  exit 1
fi

install -d "$target/include/sharedworld" "$target/$libdir/pkgconfig"
install -m 644 "$headers/sharedworld.h" "$target/include"
install -m 644 "$headers"/sharedworld/*.h "$target/include/sharedworld"
install -m 755 -s "$library" "$target/$libdir/$soname.0.0"
ln -sf "$soname.0.0" "$target/$libdir/$soname"
ln -sf "$soname" "$target/$libdir/libCSharedWorld.so"
# The linker of C takes one object with the Swift runtime inside, of which no name is visible but those of the interface.
if [[ -n ${STATIC:-} ]]; then
  object=$scratch/sharedworld.o
  runtime=(libswiftCore libdispatch libBlocksRuntime libswift_Concurrency libswiftSynchronization libswift_StringProcessing
    libswift_RegexParser libswiftGlibc libswiftDispatch libswift_Builtin_float libswift_Volatile libFoundationEssentials
    lib_FoundationCShims lib_FoundationCollections)
  archives=("${runtime[@]/#/$static/}")
  ld.bfd -r -o "$object.all" "@$scratch/release/CSharedWorld.product/Objects.LinkFileList" \
    "$static/$(uname -m)/swiftrt.o" --start-group "${archives[@]/%/.a}" --end-group
  objcopy --wildcard --keep-global-symbol='sw_*' --strip-debug "$object.all" "$object"
  rm -f "$target/$libdir/libCSharedWorld.a" "$object.all"
  ar rcsD "$target/$libdir/libCSharedWorld.a" "$object"
fi
for file in sharedworld ${STATIC:+sharedworld-static}; do
  sed -e "s|@PREFIX@|$prefix|" -e "s|@LIBDIR@|$libdir|" -e "s|@VERSION@|$(Scripts/version.sh)|" "Scripts/$file.pc.in" \
    >"$target/$libdir/pkgconfig/$file.pc"
done
# The loader knows new libraries in its folders, such as /usr/local/lib, by its cache.
if [[ -z ${DESTDIR:-} ]] && ((EUID == 0)); then /sbin/ldconfig; fi
echo "installed the C library in $target"
