#!/bin/bash
# Runs README's commands, `make demo` and `make test`, in a fresh clone in a bare Debian 12 that has the Swift toolchain
# of this machine, git and make and nothing else (root, network): what is missing they install. COMMANDS=demo runs one of
# them; the clone has what is committed. MIRROR is where packages come from.
set -euo pipefail

cd "$(dirname "$0")/.."
source Scripts/bare.sh
tree=$PWD/.build/fresh-check
swift=$(command -v "${SWIFT:-swift}")
# The folder into which the toolchain was unpacked.
bound=$(realpath "$(dirname "$swift")/../..")
if [[ $bound == / ]]; then
  echo "error: the toolchain lies in /usr itself; name another one: make fresh-check SWIFT=/opt/swift/usr/bin/swift" >&2
  exit 1
fi
read -ra commands <<<"${COMMANDS:-demo test}"

bare_copy "$tree"
inside apt-get update --quiet=2
inside apt-get install --quiet=2 --yes --no-install-recommends git make >/dev/null
git clone --quiet . "$tree/root/SharedWorld"
status=0
for command in "${commands[@]}"; do
  start=$SECONDS
  echo "== make $command in a bare Debian 12"
  inside env -i HOME=/root LANG=C.UTF-8 PATH="$bound/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
    make -C /root/SharedWorld "$command" </dev/null || status=1
  echo "== make $command took $((SECONDS - start)) s"
done
if ((status)); then
  echo "error: a command failed; see $tree" >&2
  exit 1
fi
rm -rf "$tree"
echo "README's commands work in a bare Debian 12: ${commands[*]}"
