#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Unpacks the lists of the ISA that tests/harness/isa_lists.py reads into build/isa-lists. pip checks each
# package against the hash in tool/requirements-isa.txt; nothing of them is run. A stamp written last says
# which packages are there.

set -eu
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

packages=$root/tool/requirements-isa.txt
lists=$root/build/isa-lists
stamp=$lists/packages.sha256

wanted=$(sha256sum <"$packages")
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    exit 0
fi
rm -rf "$lists"
mkdir -p "$lists"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
patiently "fetching the lists of the ISA" quietly "$log" "$root/.venv/bin/python" -m pip install \
    --disable-pip-version-check --no-input --no-deps --no-compile --require-hashes --only-binary :all: \
    --target "$lists" --requirement "$packages" ||
    die "pip could not fetch the packages of tool/requirements-isa.txt (its reason is above);" \
        "check the network, then run this again."
printf '%s\n' "$wanted" >"$stamp"
