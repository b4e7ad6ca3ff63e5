#!/bin/bash
# python-environment.sh FOLDER MODULE REQUIREMENT...: a Python environment in FOLDER that has MODULE, which the requirements
# bring from PyPI. It is made once; without PyPI, or python3-venv, this fails and leaves no folder.
set -euo pipefail

folder=$1 module=$2
shift 2
if "$folder/bin/python" -c "import $module" 2>/dev/null; then exit 0; fi
rm -rf "$folder"
if ! { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"; }; then
  rm -rf "$folder"
  exit 1
fi
