#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Makes the virtual environment .venv and puts the locked packages into it. Every package is
# checked against the hashes in tool/requirements.txt. A stamp written last says which lock the
# environment holds, so that an unchanged one costs nothing and a half-made one is made again.

set -eu
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

environment=$root/.venv
lock=$root/tool/requirements.txt
stamp=$environment/cotenant-lock.sha256

wanted=$(sha256sum <"$lock")
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && [ -x "$environment/bin/python" ]; then
    exit 0
fi

if ! "$environment/bin/python" -m pip --version >/dev/null 2>&1; then
    python=$("$(dirname "$0")/find-python.sh") ||
        die "no Python >= 3.11 with the venv module; install packages python3 and python3-venv."
    rm -rf "$environment"
    patiently "making the Python environment .venv with $("$python" --version)" \
        "$python" -m venv "$environment"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
patiently "installing the locked Python packages" quietly "$log" "$environment/bin/python" -m pip install --disable-pip-version-check --no-input \
    --require-hashes --only-binary :all: --requirement "$lock" ||
    die "pip could not install the packages of tool/requirements.txt (its reason is above);" \
        "check the network, then run this again."
printf '%s\n' "$wanted" >"$stamp"
