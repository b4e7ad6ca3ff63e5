#!/bin/bash
# Runs the tests of worldview's page in a headless Chromium, against worldviews on loopback. What each page looked like
# at the end of its test is left in browser-out. CONFIGURATION=debug tests programs of a debug build.
set -euo pipefail

cd "$(dirname "$0")/.."
# A machine without these packages, or without PyPI, cannot run them: then they are skipped, and the log says so.
if ! Scripts/install-packages.sh browser; then
  echo "skipped: make browser needs Chromium, its driver and python3-venv of Debian" >&2
  exit 0
fi
python=$PWD/.build/browser-python
if ! Scripts/python-environment.sh "$python" selenium 'selenium==4.51.0'; then
  echo "skipped: make browser needs Selenium, which cannot be fetched from PyPI" >&2
  exit 0
fi
# The rules of accessibility. Of the package their file alone is wanted, not Playwright, on which it depends.
rules=$("$python/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/axe_playwright_python/axe.min.js
if [[ ! -f $rules ]]; then
  "$python/bin/pip" install --quiet --disable-pip-version-check --no-deps axe-playwright-python==0.1.8 ||
    echo "skipped: the test by axe needs axe-playwright-python, which cannot be fetched from PyPI" >&2
fi

configuration=${CONFIGURATION:-release}
for product in worldview worldpeer worldmap; do "${SWIFT:-swift}" build -c "$configuration" --product "$product"; done
SHAREDWORLD_BIN=$("${SWIFT:-swift}" build -c "$configuration" --show-bin-path)
export SHAREDWORLD_BIN PYTHONDONTWRITEBYTECODE=1

rm -rf browser-out
exec "$python/bin/python" -m unittest discover --start-directory Tests/Browser --verbose ${FILTER:+-k "$FILTER"}
