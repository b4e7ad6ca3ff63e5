#!/bin/bash
# Makes a release of the version in Sources/SharedWorld/Version.swift: the packages of `make dist`, the section of
# CHANGELOG.md as dist-out/NOTES.md, and the tag, signed where git has a key (user.signingkey). Nothing is published.
# usage: release.sh [--dry-run]; the latter checks everything, shows the notes and makes nothing.
set -euo pipefail

cd "$(dirname "$0")/.."
version=$(Scripts/version.sh)

refuse() {
  echo "error: $*" >&2
  exit 1
}

# section NAME: what CHANGELOG.md has below that heading.
section() {
  awk -v head="## [$1]" 'index($0, "## ") == 1 { inside = index($0, head) == 1; next } inside' CHANGELOG.md |
    sed -e '/./,$!d'
}

if (($# > 1)) || [[ ${1:---dry-run} != --dry-run ]]; then refuse "usage: Scripts/release.sh [--dry-run]"; fi
[[ -z $(git status --porcelain) ]] || refuse "there are changes that are not committed: commit or remove them"
if git rev-parse --quiet --verify "refs/tags/$version" >/dev/null; then
  refuse "the tag $version exists: set the next version in Sources/SharedWorld/Version.swift"
fi
notes=$(section "$version")
[[ -n $notes ]] || refuse "CHANGELOG.md has no section [$version]"
[[ -z $(section Unreleased) ]] || refuse "CHANGELOG.md has changes under Unreleased: move them to [$version]"
sign=--annotate
if git config user.signingkey >/dev/null; then sign=--sign; fi

if (($#)); then
  printf '%s\n' "$notes"
  echo "would make: dist-out with NOTES.md, and the tag $version (git tag $sign)"
  exit
fi
make dist
printf '%s\n' "$notes" >dist-out/NOTES.md
git tag "$sign" --cleanup=verbatim --file=dist-out/NOTES.md "$version"
echo "made dist-out and the tag $version; publish them: git push origin $version"
