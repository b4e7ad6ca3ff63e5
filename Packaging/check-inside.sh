#!/bin/sh
# Uses the installed packages in a bare Debian, whose network is loopback alone: check-inside.sh PHASE.
# `bare` is without a compiler and without Avahi, `compiler` with gcc and pkg-config, `static` with what the static library
# needs besides, `wheel` with Python, numpy and the wheel, and none of the packages.
set -eu

say() { printf '== %s\n' "$1"; }
fail() {
  printf 'failed: %s\n' "$1" >&2
  exit 1
}

bare() {
  say "the programs start, with no Swift and no Avahi on the machine"
  for program in worldpeer worldview worldmap; do
    "$program" --help | grep -q '^EXIT STATUS' || fail "$program --help"
    "$program" --version | grep -qx "$program $VERSION" || fail "$program --version says another version than the package"
    if ldd "/usr/bin/$program" | grep -Ei 'swift|avahi|not found'; then fail "$program needs these at its start"; fi
    gzip -dc "/usr/share/man/man1/$program.1.gz" | grep -q '^.SH SYNOPSIS' || fail "man page of $program"
    [ -s "/usr/share/zsh/vendor-completions/_$program" ] || fail "zsh completion of $program"
  done
  if ldconfig -p | grep -q libavahi-core; then fail "libavahi-core is here"; fi

  say "bash completes"
  bash -c '. /usr/share/bash-completion/completions/worldmap; COMP_WORDS=(worldmap inf); COMP_CWORD=1; _worldmap
    [[ ${COMPREPLY[*]} == info ]]' || fail "completion"

  say "licences, and the user unit"
  for package in sharedworld-tools libsharedworld1 libsharedworld-dev; do
    grep -q 'Runtime Library Exception' "/usr/share/doc/$package/LICENSE-Swift.txt" || fail "the licence of Swift in $package"
    [ -s "/usr/share/doc/$package/copyright" ] || fail "the copyright file of $package"
  done
  unit=/usr/lib/systemd/user/worldpeer.service
  "$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$unit")" --version >/dev/null || fail "the program of the unit"

  say "a map is made, read and verified"
  cd "$(mktemp -d)"
  worldmap generate --points 2000 --seed 7 room.worldmap >/dev/null
  worldmap info room.worldmap | grep -q points || fail "worldmap info"
  worldmap verify room.worldmap >/dev/null || fail "worldmap verify"

  say "two peers meet over loopback and share an anchor"
  printf 'wait peers 1 60\nwait anchor lamp 60\n' >one.txt
  printf 'wait peers 1 60\nplace lamp 0 1 2 all\n' >two.txt
  worldpeer --name one --identity "$PWD/one" --discovery none --listen 127.0.0.1:47811 --accept all --script one.txt >one.log 2>&1 &
  one=$!
  worldpeer --name two --identity "$PWD/two" --discovery none --connect 127.0.0.1:47811 --script two.txt >two.log 2>&1 ||
    { cat one.log two.log; fail "the peer that connects"; }
  wait "$one" || { cat one.log; fail "the peer that is invited"; }

  say "a peer that looks for others says what is missing, and works without"
  printf 'sleep 2\n' >three.txt
  worldpeer --name three --identity "$PWD/three" --discovery embedded --script three.txt >three.log 2>&1 ||
    { cat three.log; fail "a peer without Avahi"; }
  grep -q 'libavahi-core7' three.log || { cat three.log; fail "the name of the missing package"; }
  if worldpeer doctor >doctor.log; then fail "doctor sees no fault"; fi
  grep -q 'libavahi-core7' doctor.log || { cat doctor.log; fail "the advice of doctor"; }
}

compiler() {
  say "a C program is built against the installed library, and begins a session"
  cd "$(mktemp -d)"
  [ "$(pkg-config --modversion sharedworld)" = "$VERSION" ] || fail "the version in sharedworld.pc"
  # shellcheck disable=SC2046 # These are words.
  gcc -std=c11 -Wall -Wextra -Werror /packages/check.c -o check $(pkg-config --cflags --libs sharedworld)
  ./check "$PWD/identity" | grep -qx 'a session of interface 1 listens on a port: 1' || fail "the C program"
}

static() {
  say "the same program has the library inside, and runs where that is not"
  cd "$(mktemp -d)"
  # shellcheck disable=SC2046 # These are words.
  gcc -std=c11 -Wall -Wextra -Werror /packages/check.c -o check $(pkg-config --cflags --libs sharedworld-static)
  if ldd ./check | grep -Ei 'sharedworld|swift|avahi'; then fail "the program needs these at its start"; fi
  ./check "$PWD/identity" | grep -qx 'a session of interface 1 listens on a port: 1' || fail "the static C program"
}

wheel() {
  say "two processes of Python share a room, where nothing of ours is but the wheel"
  cd "$(mktemp -d)"
  python3 -m venv --system-site-packages environment
  environment/bin/pip install --quiet --no-index /packages/sharedworld-*.whl || fail "the wheel cannot be installed"
  XDG_STATE_HOME=$PWD environment/bin/python /packages/check.py >seen.txt || { cat seen.txt; fail "the program"; }
  [ "$(sort seen.txt)" = "$(printf 'ann sees the lamp of bob\nbob sees the lamp of ann')" ] || { cat seen.txt; fail "the lamps"; }
}

"$1"
