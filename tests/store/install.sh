#!/bin/sh
# A PostgreSQL server for the tests of kept uploads: the one that is there, else Debian's package. Without one, these
# tests are skipped, and say so.
set -eu
if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1; then
    exit 0
fi
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    if apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            postgresql >/dev/null; then
        exit 0
    fi
fi
echo "PostgreSQL's server could not be installed: the tests that need it will be skipped." >&2
