#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Compiles what the tool needs, on a machine that is set up: quick when nothing changed, and then
# without a word. What the compilers are at is one line.

set -eu
COTENANT_ROOT=$(cd "$(dirname "$0")/../.." && pwd)
export COTENANT_ROOT
# shellcheck source=common.sh
. "$COTENANT_ROOT/tool/setup/common.sh"

wait_for_lock "$COTENANT_ROOT/build"
make --silent --no-print-directory -C "$COTENANT_ROOT" compile >&2
