#!/bin/sh
# A browser for the tests: the system's Chromium, else Debian's package (headless alone is the lighter), else
# Playwright's own.
# Usage: install.sh [PYTHON] (an interpreter that has playwright; without it, Debian's package or none)
set -eu
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then
        exit 0
    fi
done
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && apt-get update -qq; then
    for name in chromium-headless-shell chromium; do
        if DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$name" >/dev/null; then
            exit 0
        fi
    done
    echo "Debian's chromium could not be installed." >&2
fi
[ -z "${1:-}" ] || "$1" -m playwright install chromium
