#!/bin/bash
# Installs the packages of dist-out in a bare Debian 12 without Swift and uses them there, with a network of loopback alone
# (root). The bare Debian is made once, in .build/bare, and copied for each run. MIRROR is where packages come from.
set -euo pipefail

cd "$(dirname "$0")/.."
((EUID == 0)) || { echo "error: run as root: debootstrap and chroot need it" >&2; exit 1; }
Scripts/install-packages.sh dist-check
mirror=${MIRROR:-http://deb.debian.org/debian}
bare=$PWD/.build/bare
tree=$PWD/.build/bare-check
packages=("$PWD"/dist-out/*.deb)
[[ -e ${packages[0]} ]] || { echo "error: there are no packages in dist-out: make dist" >&2; exit 1; }
VERSION=$(Scripts/version.sh)
export VERSION LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive

# What the archive holds is what the packages hold: the same programs.
archive=$(echo dist-out/*.tar.gz)
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
tar -xzf "$archive" -C "$unpacked"
program=$(find "$unpacked" -path "*/bin/worldmap")
"$program" --version | grep -qx "worldmap $VERSION"
(cd dist-out && sha256sum --check --quiet SHA256SUMS)

if [[ ! -e $bare/made ]]; then
  rm -rf "$bare"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$bare/root" "$mirror"
  touch "$bare/made"
fi
rm -rf "$tree"
cp -a --reflink=auto "$bare/root" "$tree"
mkdir "$tree/packages"
cp "${packages[@]}" Packaging/check.c Packaging/check-inside.sh "$tree/packages/"
cp /etc/resolv.conf "$tree/etc/"
# What this machine needs to reach its mirror.
for file in /etc/apt/apt.conf.d/*; do
  if grep -qE 'Acquire|Proxy' "$file"; then cp "$file" "$tree/etc/apt/apt.conf.d/"; fi
done

# shellcheck disable=SC2016 # The inner shell expands it.
# inside COMMAND...: runs it in the tree, in processes of its own that end with it.
inside() {
  unshare --mount --pid --fork --kill-child bash -ec '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    exec chroot "$1" "${@:2}"' inside "$tree" "$@"
}
# alone COMMAND...: the same, with loopback and no other network.
alone() {
  unshare --net bash -ec 'ip link set lo up; exec "$@"' alone bash -ec "$(declare -f inside); inside \"\$@\"" inside "$@"
}
export tree

inside apt-get update --quiet=2
inside sh -c 'apt-get install --quiet=2 --yes --no-install-recommends /packages/*.deb' >/dev/null
alone timeout 300 /packages/check-inside.sh bare
inside apt-get install --quiet=2 --yes --no-install-recommends gcc libc6-dev pkg-config >/dev/null
alone timeout 100 /packages/check-inside.sh compiler
# What libsharedworld-dev suggests for the static library.
inside apt-get install --quiet=2 --yes --no-install-recommends libssl-dev libsqlite3-dev libzstd-dev libsodium-dev \
  libstdc++-12-dev >/dev/null
alone timeout 100 /packages/check-inside.sh static
inside sh -c 'apt-get remove --quiet=2 --yes sharedworld-tools libsharedworld1 && ! command -v worldpeer' >/dev/null
rm -rf "$tree"
echo "the packages were installed, used and removed in a bare Debian 12"
