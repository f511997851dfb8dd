#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Installs the Debian packages that are missing, and nothing when none is: then it needs neither
# root nor network.
#
# usage: packages.sh [--tests | --rtl | --disk | --display | --proofs]
#     with --disk also those that make a Debian disk, with --tests these and those of tests and lint,
#     with --rtl those of `cotenant bench rtl`, with --display those of `cotenant run --display`,
#     with --proofs those of tests and lint and of `make prove`

set -eu
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# What builds and runs the system.
packages="qemu-system-misc gcc-riscv64-linux-gnu libc6-dev-riscv64-cross device-tree-compiler socat
    gcc libc6-dev libzstd-dev libfdt-dev make git ca-certificates debian-archive-keyring"
# What only tests and lint use.
test_packages="lintian libcmocka-dev clang-format-14 clang-tidy-14 shellcheck spin e2fsprogs"
# What only the simulation of the Rocket core's RTL uses.
rtl_packages="verilator g++"
# What only the making of a Debian disk uses.
disk_packages="fakeroot fdisk e2fsprogs"
# What only a window for the machine's display uses.
display_packages="qemu-system-gui"
# What only proofs use.
proof_packages="frama-c-base"

# Prints those of the arguments that are not installed, separated by spaces.
missing_of() {
    installed=$(dpkg-query --show --showformat '${db:Status-Abbrev}${Package}\n' "$@" 2>/dev/null |
        sed -n 's/^ii *//p') || true
    for package in "$@"; do
        printf '%s\n' "$installed" | grep -qxF "$package" || printf '%s ' "$package"
    done
}

# Prints the command in front of apt-get that makes it root, or ends the set-up.
become_root() {
    if [ "$(id -u)" = 0 ]; then
        return 0
    fi
    command -v sudo >/dev/null ||
        die "these packages are missing, and without root or sudo they cannot be installed: $missing"
    printf 'sudo'
}

update_and_install() {
    # An update that fails in part is no reason to stop: the install tells whether it matters.
    DEBIAN_FRONTEND=noninteractive $as_root apt-get --quiet --quiet update >/dev/null || true
    # shellcheck disable=SC2086 # a list of words
    DEBIAN_FRONTEND=noninteractive $as_root apt-get --quiet --quiet --yes \
        --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
        install $missing >/dev/null
}

install_missing() {
    command -v apt-get >/dev/null ||
        die "this is not Debian (no apt-get); install what corresponds to these packages: $missing"
    as_root=$(become_root) || exit 1
    # The password is asked for before anything is shown beside it.
    [ -z "$as_root" ] || sudo --validate || true
    patiently "installing Debian packages: $missing" update_and_install ||
        die "apt-get could not install $missing(its reason is above); this needs Debian 12" \
            "or later and the network."
}

command -v dpkg-query >/dev/null ||
    die "this is not Debian (no dpkg-query); the set-up needs Debian 12 or later."
case ${1:-} in
--tests) packages="$packages $test_packages $disk_packages" ;;
--proofs) packages="$packages $test_packages $disk_packages $proof_packages" ;;
--rtl) packages="$packages $rtl_packages" ;;
--disk) packages="$packages $disk_packages" ;;
--display) packages="$packages $display_packages" ;;
esac
if ! "$(dirname "$0")/find-python.sh" >/dev/null; then
    packages="$packages python3 python3-venv"
fi
if [ ! -e "$root/build/freertos-kernel/tasks.c" ] &&
    ! "$(dirname "$0")/find-cargo.sh" >/dev/null; then
    packages="$packages cargo-web"
fi
# shellcheck disable=SC2086 # a list of words
missing=$(missing_of $packages)
[ -z "$missing" ] || install_missing
