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

# wait_for_lock FOLDER: one set-up or compilation at a time in a tree; the lock goes with the process.
wait_for_lock() {
    mkdir -p "$1"
    exec 9>"$1/.setup-lock"
    flock --nonblock 9 && return 0
    say "waiting: another set-up or compilation is at work in this tree"
    flock 9
}

# patiently TEXT COMMAND...: runs a command, and on a terminal shows how long it has been at it.
patiently() {
    say "$1"
    shift
    if [ ! -t 2 ]; then
        "$@"
        return
    fi
    (
        seconds=0
        while sleep 2 && kill -0 $$ 2>/dev/null; do
            seconds=$((seconds + 2))
            printf '\rsetup: %s s ' "$seconds" >&2
        done
    ) 9>&- &
    ticker=$!
    status=0
    "$@" || status=$?
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
    printf '\r\033[K' >&2
    return "$status"
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
