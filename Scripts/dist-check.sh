#!/bin/bash
# Installs the packages of dist-out in a bare Debian 12 without Swift and uses them there, with a network of loopback alone
# (root). MIRROR is where packages come from.
set -euo pipefail

cd "$(dirname "$0")/.."
source Scripts/bare.sh
tree=$PWD/.build/bare-check
packages=("$PWD"/dist-out/*.deb "$PWD"/dist-out/*.whl)
[[ -e ${packages[0]} ]] || { echo "error: there are no packages in dist-out: make dist" >&2; exit 1; }
VERSION=$(Scripts/version.sh)
export VERSION

# What the archive holds is what the packages hold: the same programs.
archive=$(echo dist-out/*.tar.gz)
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
tar -xzf "$archive" -C "$unpacked"
program=$(find "$unpacked" -path "*/bin/worldmap")
"$program" --version | grep -qx "worldmap $VERSION"
(cd dist-out && sha256sum --check --quiet SHA256SUMS)

bare_copy "$tree"
mkdir "$tree/packages"
cp "${packages[@]}" Packaging/check.c Packaging/check.py Packaging/check-inside.sh "$tree/packages/"

# alone COMMAND...: the same, with loopback and no other network.
alone() {
  # shellcheck disable=SC2016 # The inner shell expands it.
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
inside apt-get install --quiet=2 --yes --no-install-recommends python3-venv python3-numpy >/dev/null
alone timeout 100 /packages/check-inside.sh wheel
rm -rf "$tree"
echo "the packages were installed, used and removed in a bare Debian 12"
