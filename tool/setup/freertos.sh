#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Brings the unmodified FreeRTOS kernel sources into the cache and links build/freertos-kernel to
# them. They are part of a crate pinned by checksum in tenants/freertos/kernel/Cargo.lock: cargo
# fetches it from its registry and refuses anything else. Nothing of Rust is compiled.

set -eu
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

manifest=$root/tenants/freertos/kernel/Cargo.toml
lock=$root/tenants/freertos/kernel/Cargo.lock
link=$root/build/freertos-kernel

# The checksum of the locked crate names its folder, so that another version never mixes with it.
checksum=$(sed -n '/^name = "freertos-next"$/,/^$/s/^checksum = "\([0-9a-f]*\)"$/\1/p' "$lock")
[ -n "$checksum" ] || die "no checksum of freertos-next in $lock; restore that file."
sources=$cache/freertos-kernel-$(printf %.16s "$checksum")

# Fills $sources in one rename, so that a fetch that is cut off leaves nothing behind.
fetch_sources() {
    cargo=$("$(dirname "$0")/find-cargo.sh") ||
        die "there is no cargo >= 1.85; install package cargo-web."
    mkdir -p "$cache"
    work=$(mktemp -d "$cache/freertos-kernel.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    patiently "fetching the FreeRTOS kernel sources (crate freertos-next)" \
        quietly "$work/log" "$cargo" vendor --locked --manifest-path "$manifest" "$work/vendor" ||
        die "cargo could not fetch the FreeRTOS sources (its reason is above); check the network," \
            "then run this again."
    [ -f "$work/vendor/freertos-next/FreeRTOS-Kernel/tasks.c" ] ||
        die "crate freertos-next holds no FreeRTOS-Kernel/tasks.c; its layout has changed."
    rm -rf "$sources"
    mv "$work/vendor/freertos-next/FreeRTOS-Kernel" "$sources"
    rm -rf "$work"
    trap - EXIT
}

[ -f "$sources/tasks.c" ] || fetch_sources
mkdir -p "$root/build"
if [ "$(readlink "$link" 2>/dev/null)" != "$sources" ]; then
    ln -sfn "$sources" "$link"
fi
