#!/bin/bash
# Makes the packages of a release in dist-out: an archive for any Linux with the libraries of Debian 12, packages for
# Debian 12: sharedworld-tools (the programs), libsharedworld1 (the C library) and libsharedworld-dev (its headers), and a
# wheel for Python. The Swift runtime is inside. Times and owners come from the commit, so the same build gives the same
# bytes.
set -euo pipefail
umask 022

cd "$(dirname "$0")/.."
root=$PWD
Scripts/install-packages.sh dist
swift=${SWIFT:-swift}
version=$(Scripts/version.sh)
architecture=$(dpkg --print-architecture)
libdir=lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
scratch=.build/install
# Who answers for the packages, by the variables of Debian's tools; the project has no address of its own.
maintainer="${DEBFULLNAME:-The SharedWorld contributors} <${DEBEMAIL:-packages@sharedworld.example}>"
programs=(worldpeer worldview worldmap)
out=$root/dist-out
work=$root/.build/dist
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH PYTHONDONTWRITEBYTECODE=1
rm -rf "$out" "$work"
mkdir -p "$out" "$work"

# The library, in the folders of Debian, from the script that installs it anywhere.
STATIC=1 DESTDIR=$work/library PREFIX=/usr LIBDIR=$libdir Scripts/install.sh

# The programs, from the same build; its flags are those of install.sh, so that nothing is compiled twice.
usr=$work/tools/usr
install -d "$usr/bin"
static=$(dirname "$(realpath "$(command -v "$swift")")")/../lib/swift_static/linux
for program in "${programs[@]}"; do
  "$swift" build -c release --scratch-path "$scratch" --static-swift-stdlib -Xswiftc -static-stdlib -Xlinker "-L$static" \
    --product "$program"
  install -m 755 -s "$scratch/release/$program" "$usr/bin/$program"
done
Packaging/pages.py "$usr/bin" "$usr" "$version"
install -Dm 644 Packaging/worldpeer.service "$usr/lib/systemd/user/worldpeer.service"

# licenses FOLDER: ours, and that of the Swift runtime, which is inside.
licenses() {
  install -d "$1"
  install -m 644 Packaging/copyright "$1/copyright"
  install -m 644 "$(dirname "$static")/../../share/swift/LICENSE.txt" "$1/LICENSE-Swift.txt"
}

# changes FOLDER: the changes of this version, which are for people, in the form of Debian.
changes() {
  gzip -9n <CHANGELOG.md >"$1/CHANGELOG.md.gz"
  {
    printf 'sharedworld (%s) bookworm; urgency=medium\n\n  * The changes are in CHANGELOG.md.gz in this folder.\n\n' "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")"
  } | gzip -9n >"$1/changelog.gz"
}

# needs FILE...: the Debian packages of the libraries that they are linked with.
needs() {
  mkdir -p "$work/shlibs/debian"
  printf 'Source: sharedworld\n\nPackage: sharedworld\nArchitecture: any\n' >"$work/shlibs/debian/control"
  (cd "$work/shlibs" && dpkg-shlibdeps -O --warnings=0 "${@/#/-e}" | sed -n 's/^shlibs:Depends=//p')
}

# package NAME SECTION FOLDER DESCRIPTION FIELD...: a .deb of what is in the folder.
package() {
  local name=$1 section=$2 folder=$3 description=$4
  shift 4
  licenses "$folder/usr/share/doc/$name"
  changes "$folder/usr/share/doc/$name"
  mkdir -p "$folder/DEBIAN"
  {
    printf 'Package: %s\nVersion: %s\nArchitecture: %s\n' "$name" "$version" "$architecture"
    printf 'Maintainer: %s\nSection: %s\nPriority: optional\n' "$maintainer" "$section"
    printf 'Installed-Size: %s\n' "$(du -sk --exclude=DEBIAN "$folder" | cut -f 1)"
    printf '%s\n' "$@"
    printf 'Description: %s\n' "$description"
    printf ' Peers on a local network find each other, agree on a session, share a world map\n'
    printf ' and keep its anchors the same everywhere, without a server.\n'
  } >"$folder/DEBIAN/control"
  [[ $section != libs ]] || printf 'activate-noawait ldconfig\n' >"$folder/DEBIAN/triggers"
  (cd "$folder" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  find "$folder" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --build --root-owner-group -Zxz "$folder" "$out/${name}_${version}_$architecture.deb" >/dev/null
}

# The headers, the static library and what the linker and pkg-config read go to the -dev package; the rest is the library.
dev=$work/dev
mkdir -p "$dev/usr/$libdir"
mv "$work/library/usr/include" "$dev/usr/"
mv "$work/library/usr/$libdir"/{pkgconfig,libCSharedWorld.so,libCSharedWorld.a} "$dev/usr/$libdir/"
library=$(find "$work/library/usr/$libdir" -type f -name 'libCSharedWorld.so.*')
chmod 644 "$library"
# Packages of programs that are linked with the library depend on it by this line.
mkdir -p "$work/library/DEBIAN"
echo "libCSharedWorld 1 libsharedworld1 (>= $version)" >"$work/library/DEBIAN/shlibs"
install -Dm 644 Packaging/lintian-overrides "$work/library/usr/share/lintian/overrides/libsharedworld1"

# Discovery loads Avahi's libraries when it is first used, and says what to install.
avahi='libavahi-core7, libavahi-compat-libdnssd1'
tools_need=$(needs "${programs[@]/#/$usr/bin/}")
library_needs=$(needs "$library")
package sharedworld-tools net "$work/tools" 'peers that share a world map on a local network' \
  "Depends: $tools_need" "Recommends: $avahi"
package libsharedworld1 libs "$work/library" 'shared world maps and anchors, C library' \
  "Depends: $library_needs" "Recommends: $avahi" 'Multi-Arch: same'
package libsharedworld-dev libdevel "$dev" 'shared world maps and anchors, C headers' \
  "Depends: libsharedworld1 (= $version)" \
  'Suggests: libssl-dev, libsqlite3-dev, libzstd-dev, libsodium-dev, libstdc++-12-dev' 'Multi-Arch: same'

# The archive: one folder, to be unpacked anywhere.
name=sharedworld-$version-linux-$(uname -m)
tree=$work/$name
mkdir -p "$tree/lib/pkgconfig" "$tree/share/doc"
cp -a "$usr/bin" "$usr/share" "$tree/"
rm -rf "$tree/share/doc"
cp -a "$dev/usr/include" "$tree/"
cp -a "$work/library/usr/$libdir"/libCSharedWorld.so.* "$dev/usr/$libdir"/libCSharedWorld.{so,a} "$tree/lib/"
for file in sharedworld sharedworld-static; do
  # shellcheck disable=SC2016 # pkg-config expands it.
  sed 's|^prefix=.*|prefix=${pcfiledir}/../..|; s|^libdir=.*|libdir=${prefix}/lib|' \
    "$dev/usr/$libdir/pkgconfig/$file.pc" >"$tree/lib/pkgconfig/$file.pc"
done
install -Dm 644 Packaging/worldpeer.service "$tree/lib/systemd/user/worldpeer.service"
licenses "$tree"
install -m 644 CHANGELOG.md "$tree/CHANGELOG.md"
install -m 644 LICENSE "$tree/LICENSE"
printf '%s\n' "Debian packages of the libraries: $tools_need" "For discovery: $avahi" >"$tree/NEEDS"
tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$work" "$name" |
  gzip -9n >"$out/$name.tar.gz"

# The wheel has its own copies of what the library is linked with, but for the C library and the runtimes of GCC, and their
# licences.
licenses "$work/licenses"
read -ra linked <<<"$(sed -E 's/ \([^)]*\)//g; s/,//g' <<<"$library_needs")"
for package in "${linked[@]}"; do
  [[ $package =~ ^(libc|libgcc|libstdc) ]] || cp "/usr/share/doc/$package/copyright" "$work/licenses/copyright-$package"
done
Scripts/wheel.sh "$library" "$work/licenses" "$out"

# Debian's own judge, where it is installed.
if command -v lintian >/dev/null; then lintian --allow-root --fail-on error,warning "$out"/*.deb; fi
(cd "$out" && sha256sum ./* >SHA256SUMS)
echo "the packages are in $out"
