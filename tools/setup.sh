#!/bin/sh
# Installs the Debian packages that Lintel needs, and only those that are missing.
# usage: tools/setup.sh [build] [test] [lint] [bench] [fuzz] [demo]     (default: build)
set -eu

# Packages per group, sorted.
build='gcc libc6-dev libcurl4-openssl-dev libedit-dev libmicrohttpd-dev libpcre2-dev libpq-dev libsodium-dev libsqlite3-dev libssl-dev libutf8proc-dev make meson ninja-build pkg-config'
demo='curl'
test='aardvark-dns fish git graphviz iptables libcmocka-dev locales netavark openssl pgbouncer podman postgresql python3 runc sqlite3 strace zsh'
lint='clang clang-format clang-tidy cppcheck libcmocka-dev libyaml-dev python3 shellcheck universal-ctags'
bench='libcmocka-dev libyaml-dev postgresql python3'
fuzz='clang libclang-rt-14-dev python3'

wanted=$build
for group in "$@"; do
    case $group in
    build) ;;
    demo) wanted="$wanted $demo" ;;
    test) wanted="$wanted $test" ;;
    lint) wanted="$wanted $lint" ;;
    bench) wanted="$wanted $bench" ;;
    fuzz) wanted="$wanted $fuzz" ;;
    *)
        echo "setup.sh: unknown group '$group' (build, demo, test, lint, bench, fuzz)" >&2
        exit 2
        ;;
    esac
done

# Fast path: one dpkg-query, no apt when everything is there.
# shellcheck disable=SC2086
installed=$(dpkg-query -W -f='${Package} ${db:Status-Abbrev}\n' $wanted 2>/dev/null | awk '$2 == "ii" { print $1 }')
missing=
# shellcheck disable=SC2086
for package in $(printf '%s\n' $wanted | sort -u); do
    echo "$installed" | grep -qxF "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "setup.sh: missing packages:$missing; run as root or install sudo" >&2
        exit 1
    }
    as_root=sudo
fi

install_missing() {
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 $missing >/dev/null
}

echo "installing:$missing"
# The package lists may be missing or old: fetch them once, when installing without them fails.
if ! install_missing 2>/dev/null; then
    $as_root apt-get update -qq || echo "setup.sh: some package lists could not be fetched" >&2
    install_missing
fi
