#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Prints the path of a Python that is new enough and can make virtual environments; fails when
# there is none.

for name in python3 python3.11 python3.12 python3.13 python3.14 /usr/bin/python3; do
    path=$(command -v "$name") || continue
    if "$path" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        printf '%s\n' "$path"
        exit 0
    fi
done
exit 1
