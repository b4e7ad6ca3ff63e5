# shellcheck shell=bash
# To be sourced, by root or it ends the script: a bare Debian 12 to try things in. It is made once, in .build/bare, from MIRROR, and copied for
# each run.
((EUID == 0)) || { echo "error: run as root: debootstrap and chroot need it" >&2; exit 1; }
Scripts/install-packages.sh dist-check
mirror=${MIRROR:-http://deb.debian.org/debian}
export LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive

# bare_copy FOLDER: a copy of the bare Debian, which reaches its mirror as this machine does.
bare_copy() {
  local bare=.build/bare file
  if [[ ! -e $bare/made ]]; then
    rm -rf "$bare"
    # debootstrap makes the last folder alone.
    mkdir -p "$bare"
    debootstrap --variant=minbase --include=ca-certificates bookworm "$bare/root" "$mirror"
    touch "$bare/made"
  fi
  rm -rf "$1"
  cp -a --reflink=auto "$bare/root" "$1"
  cp /etc/resolv.conf "$1/etc/"
  for file in /etc/apt/apt.conf.d/*; do
    if grep -qE 'Acquire|Proxy' "$file"; then cp "$file" "$1/etc/apt/apt.conf.d/"; fi
  done
}

# inside COMMAND...: runs it in the copy at $tree, in processes of its own that end with it; $bound, where it is set, is
# a folder of this machine that is seen there too and cannot be changed.
inside() {
  # shellcheck disable=SC2016 # The inner shell expands it.
  unshare --mount --pid --fork --kill-child bash -ec '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    if [[ -n $2 ]]; then
      mkdir -p "$1$2"
      mount --bind -o ro "$2" "$1$2"
    fi
    exec chroot "$1" "${@:3}"' inside "${tree:?}" "${bound:-}" "$@"
}
