#!/bin/sh
# Deploys examples/orders-api for real and shows it working: plan, deploy, HTTP requests, no change on the second plan.
# KEEP=1 leaves the deployment and its directory; otherwise both are taken away at the end.
set -eu
cd "$(dirname "$0")/.."
source=$(pwd)
build=$source/build/release
lintel=$build/src/apps/cli/lintel

bold=
plain=
if [ -t 1 ]; then
    bold=$(printf '\033[1m')
    plain=$(printf '\033[0m')
fi

say() {
    printf '\n%s== %s%s\n' "$bold" "$*" "$plain"
}

show() {
    printf '$ %s\n' "$*"
}

# The first port from 8480 on where nobody answers.
find_port() {
    port=8480
    while [ "$port" -lt 8580 ]; do
        refused=0
        curl -s -o /dev/null --max-time 2 "http://127.0.0.1:$port/" || refused=$?
        [ "$refused" -ne 7 ] || break
        port=$((port + 1))
    done
    echo "$port"
}

finish() {
    status=$?
    trap - EXIT INT TERM
    if [ "${KEEP:-0}" = 1 ]; then
        printf '\nkept in %s\n' "$directory"
        exit "$status"
    fi
    say "destroy, so that nothing stays behind (KEEP=1 make demo keeps it)"
    cd "$directory"
    "$lintel" destroy --auto-approve || status=1
    cd /
    rm -rf "$work"
    exit "$status"
}

say "packages and build"
tools/setup.sh build demo
[ -f "$build/build.ninja" ] || meson setup "$build" --buildtype=release -Doptimization=2 -Dtests=false >/dev/null
ninja -C "$build" src/apps/cli/lintel examples/orders-api/orders-api

work=$(mktemp -d)
directory=$work/orders-api
mkdir -p "$directory/bin"
cp -r examples/orders-api/. "$directory"
cp "$build/examples/orders-api/orders-api" "$directory/bin/"
cd "$directory"
LINTEL_VAR_port=$(find_port)
export LINTEL_VAR_port
trap finish EXIT INT TERM

say "deploy"
show "lintel deploy --auto-approve"
"$lintel" deploy --auto-approve

say "the service answers, with data from its database"
url=$("$lintel" output url --raw)
token=$("$lintel" output apiToken --raw --show-sensitive --yes-i-mean-it)
show "curl -X POST $url/orders -H 'Authorization: Bearer …' -d '{\"item\": \"coffee\", \"quantity\": 2}'"
curl -sS --fail-with-body --max-time 10 -X POST -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
    -d '{"item": "coffee", "quantity": 2}' "$url/orders"
echo
show "curl $url/orders"
orders=$(curl -sS --fail-with-body --max-time 10 "$url/orders")
echo "$orders"
case $orders in
*coffee*) ;;
*)
    echo "demo: the order is not in the list" >&2
    exit 1
    ;;
esac

say "plan again: nothing would change"
show "lintel plan --detailed-exitcode"
"$lintel" plan --detailed-exitcode

say "how to destroy it"
show "lintel destroy --auto-approve"
