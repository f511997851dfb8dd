# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# Shared by the set-up steps: progress lines, the one-sentence refusal, and the places things go.
# Sourced by them; defines, and does nothing else.

# The root of the source tree. Every step is started with it in COTENANT_ROOT.
# shellcheck disable=SC2034
root=${COTENANT_ROOT:?started through tool/setup/setup.sh}
# Fetched files live outside the tree and are never committed.
# shellcheck disable=SC2034
cache=${XDG_CACHE_HOME:-${HOME:?HOME is not set, and neither is XDG_CACHE_HOME}/.cache}/cotenant

# say TEXT: a progress line.
say() {
    printf 'setup: %s\n' "$*" >&2
}

# die TEXT: says in a sentence what is missing and what to do, and ends the set-up.
die() {
    printf 'setup: error: %s\n' "$*" >&2
    exit 1
}

# quietly LOG COMMAND...: runs a command with its output in a file, which is shown when it fails.
quietly() {
    log=$1
    shift
    if "$@" >"$log" 2>&1 </dev/null; then
        return 0
    fi
    tail -n 20 "$log" >&2
    return 1
}
