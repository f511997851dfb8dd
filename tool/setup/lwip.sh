#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Brings the unmodified sources of lwIP, the IP stack of our RTOS tenants, into the cache and links
# build/lwip to them. They come from Debian's source package, which apt verifies; which version it
# has to be, tenants/freertos/lwip/lwip.sha256 says by its checksum.

set -eu
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

pin=$root/tenants/freertos/lwip/lwip.sha256
link=$root/build/lwip

# The checksum names the folder, so that another version never mixes with this one.
sources=$cache/lwip-$(cut -c -16 "$pin")

if [ ! -f "$sources/src/core/udp.c" ]; then
    export PYTHONPATH="$root/tool"
    patiently "fetching the sources of lwIP" "$root/.venv/bin/python" -m cotenant.images.sources "$pin" "$sources"
    [ -f "$sources/src/core/udp.c" ] ||
        die "the archive holds no src/core/udp.c; its layout has changed."
fi
mkdir -p "$root/build"
if [ "$(readlink "$link" 2>/dev/null)" != "$sources" ]; then
    ln -sfn "$sources" "$link"
fi
