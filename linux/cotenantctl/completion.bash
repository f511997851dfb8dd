# SPDX-License-Identifier: BSD-2-Clause
# bash completion for cotenantctl(8)

_cotenantctl()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local verbs="version list top start stop restart load destroy switch watch console save restore
        log trace"
    local options="--json --port= --timeout= --delay= --count= --follow --history --help --version"
    local words=() word

    case $current in
    -*)
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        return
        ;;
    esac
    case $previous in
    -n | -d | --count | --delay | --timeout) return ;;
    --port)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
        ;;
    esac
    # What stands in front, without options.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word == -* ]] || words+=("$word")
    done
    case ${#words[@]}:${words[0]-} in
    0:*)
        mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$current")
        ;;
    1:start | 1:stop | 1:restart | 1:load | 1:destroy | 1:switch | 1:watch | 1:console | 1:save | \
        1:restore)
        mapfile -t COMPREPLY < <(compgen -W "$(cotenantctl list 2>/dev/null |
            sed '1d; s/ .*//')" -- "$current")
        ;;
    2:watch)
        mapfile -t COMPREPLY < <(compgen -W "off log restart stop" -- "$current")
        ;;
    2:load | 2:save | 2:restore | 1:trace)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        ;;
    esac
}
complete -F _cotenantctl cotenantctl
