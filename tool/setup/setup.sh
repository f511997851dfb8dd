#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Sets up a Debian 12 (or later) machine: packages, Python environment, sources of FreeRTOS and
# lwIP. Each step does nothing when its result is there, so this is quick, and works offline, the
# second time.
#
# usage: tool/setup/setup.sh [--tests | --proofs] [--images]
#   --tests   also the packages that only tests and lint use
#   --proofs  these, and those that only `make prove` uses
#   --images  also the stock Debian kernel and initramfs, which are otherwise fetched on first use

set -eu
COTENANT_ROOT=$(cd "$(dirname "$0")/../.." && pwd)
export COTENANT_ROOT
steps=$COTENANT_ROOT/tool/setup
# shellcheck source=common.sh
. "$steps/common.sh"

group=
images=
for option in "$@"; do
    case $option in
    --tests) [ -n "$group" ] || group=--tests ;;
    --proofs) group=--proofs ;;
    --images) images=--images ;;
    *) die "unknown option $option; known are --tests, --proofs and --images." ;;
    esac
done

wait_for_lock "$COTENANT_ROOT/build"

"$steps/packages.sh" $group
"$steps/python.sh"
[ -z "$group" ] || "$steps/isa-lists.sh"
"$steps/freertos.sh"
"$steps/lwip.sh"
if [ -n "$images" ]; then
    PYTHONPATH=$COTENANT_ROOT/tool "$COTENANT_ROOT/.venv/bin/python" -m cotenant images fetch
fi
