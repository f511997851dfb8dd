#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Reads the lines "  CC      FILE" of makefiles and tells how far they are, in one line: on a terminal
# the same one all the time, else when they begin and when they have ended. Nothing when nothing comes.

files=0
line=
terminal=
[ ! -t 2 ] || terminal=yes
start=$SECONDS

show() {
    if [ "$terminal" ]; then
        local text="compiling: $files files, $((SECONDS - start)) s:$line"
        printf '\r\e[K%s' "${text:0:${COLUMNS:-79}}" >&2
    elif [ $files = 1 ]; then
        echo "compiling the monitor, the tenants and the programs" >&2
    fi
}

while :; do
    if IFS= read -r -t 1 next; then
        line=" ${next##* }"
        files=$((files + 1))
        # A terminal is not written to more often than is of use.
        if [ -z "$terminal" ] || ((files % 5 == 1)); then
            show
        fi
    elif [ $? -gt 128 ]; then # a second without a line
        [ $files = 0 ] || [ -z "$terminal" ] || show
    else
        break
    fi
done
[ $files = 0 ] || printf '%scompiled %s files\n' "${terminal:+$'\r\e[K'}" $files >&2
