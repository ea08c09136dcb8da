#!/bin/sh
# The proxies that a few tests run: Caddy and nginx, Debian's packages where they can be had. Without them those tests
# are skipped.
set -eu
missing=""
for name in caddy nginx; do
    command -v "$name" >/dev/null 2>&1 || [ -x "/usr/sbin/$name" ] || missing="$missing $name"
done
[ -n "$missing" ] || exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && apt-get update -qq; then
    # Their packages would start them: a test starts its own, where it wants.
    policy=/usr/sbin/policy-rc.d
    [ -e "$policy" ] || { printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && trap 'rm -f "$policy"' EXIT; }
    # shellcheck disable=SC2086
    if DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null; then
        exit 0
    fi
fi
echo "Not installed:$missing. The tests that need them will be skipped." >&2
