#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Prints the path of a cargo that is new enough for the manifest of the FreeRTOS crate (edition
# 2024: cargo 1.85); fails when there is none. The first one on PATH may be too old, or a launcher
# without a toolchain, while Debian's is fine.

for name in cargo /usr/bin/cargo; do
    path=$(command -v "$name") || continue
    version=$("$path" --version 2>/dev/null | cut -d ' ' -f 2)
    case $version in
    1.[0-9].* | 1.[0-7][0-9].* | 1.8[0-4].*) continue ;;
    1.*)
        printf '%s\n' "$path"
        exit 0
        ;;
    esac
done
exit 1
