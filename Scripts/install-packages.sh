#!/bin/bash
# Installs the Debian packages of the named groups of packages.txt that are missing, and names them.
set -euo pipefail

cd "$(dirname "$0")"

installed() {
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

missing=()
for group in "$@"; do
  while read -r in_group package _; do
    [[ $in_group == "$group" ]] || continue
    installed "$package" || missing+=("$package")
  done <packages.txt
done
((${#missing[@]})) || exit 0

echo "installing the Debian packages: ${missing[*]}"
as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "error: run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
# One at a time: apt-get waits for its own locks, but not for that of its lists.
exec {lock}<packages.txt
flock "$lock"
# A machine that has never asked for its package lists knows no package: ask once, then try again.
install=("${as_root[@]}" apt-get install -o DPkg::Lock::Timeout=300 --quiet=2 --yes --no-install-recommends "${missing[@]}")
"${install[@]}" </dev/null >/dev/null || {
  "${as_root[@]}" apt-get update --quiet=2 </dev/null
  "${install[@]}" </dev/null >/dev/null
}
