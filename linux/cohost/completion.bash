# SPDX-License-Identifier: BSD-2-Clause
# bash completion for cohost(8)

_cohost()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local verbs="run exec list shutdown stop pause resume console serve save restore"
    local options="--name= --tenant= --memory= --cpus= --kernel= --components= --initrd= --append= --disk= --net= --share= --console --at= --no-reboot --verbose --dump-tree=
        --json --help --version"

    case $previous in
    --kernel | --components | --initrd | --disk | -d | --dump-tree | --share | restore)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
        ;;
    shutdown | stop | pause | resume | console | save)
        mapfile -t COMPREPLY < <(compgen -W "$(cohost list 2>/dev/null |
            sed '1d; s/ .*//')" -- "$current")
        return
        ;;
    serve | --tenant | -t)
        mapfile -t COMPREPLY < <(compgen -W "$(cat /proc/device-tree/served/*/label 2>/dev/null |
            tr '\0' ' ')" -- "$current")
        return
        ;;
    --net)
        mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/net)" -- "$current")
        return
        ;;
    -n | -m | -c | --name | --memory | --cpus | --append | --at) return ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    elif ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$current")
    fi
}
complete -F _cohost cohost
