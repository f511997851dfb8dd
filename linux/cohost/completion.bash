# SPDX-License-Identifier: BSD-2-Clause
# bash completion for cohost(8)

_cohost()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local options="--name= --memory= --cpus= --kernel= --initrd= --append= --disk= --verbose --dump-tree=
        --json --help --version"

    case $previous in
    --kernel | --initrd | --disk | -d | --dump-tree)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
        ;;
    stop | pause | resume)
        mapfile -t COMPREPLY < <(compgen -W "$(cohost list 2>/dev/null |
            sed '1d; s/ .*//')" -- "$current")
        return
        ;;
    -n | -m | -c | --name | --memory | --cpus | --append) return ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    elif ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "run exec list stop pause resume" -- "$current")
    fi
}
complete -F _cohost cohost
