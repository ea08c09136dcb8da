#compdef mtsig
# Completion of mtsig in zsh. What can follow is in the help of mtsig, which is asked once a session.
# Install: mtsig completion zsh > DIR/_mtsig, where DIR is in $fpath before compinit.
typeset -gA _mtsig_helps
_mtsig() {
    local help word=$words[CURRENT] option=$words[CURRENT-1] i
    local -a command values
    command=(${~words[1]})
    for ((i = 2; i < CURRENT && i < 4; i++)); do
        [[ $words[i] =~ '^[a-z][a-z0-9-]*$' ]] || break
        command+=($words[i])
    done
    if [[ -z $_mtsig_helps[$command[2,-1]] ]]; then
        _mtsig_helps[$command[2,-1]]=$(COLUMNS=999 $command --help 2>/dev/null)
    fi
    help=$_mtsig_helps[$command[2,-1]]
    if [[ $word == --*=* ]]; then # --option=value
        option=${word%%=*}
        compset -P '*='
    elif [[ $word == -* ]]; then
        values=($(sed -n 's/^  \(-h, \)*\(--[a-z0-9-]*\).*/\2/p' <<<$help))
        compadd -- $values
        return
    fi
    if [[ $option == --metrics ]]; then
        compset -P '*,'
        values=(bleu chrf chrf++ dep-f gtm gtm-2 m-bleu meteor nist per ter wer)
    elif [[ $option =~ '^--[a-z-]+$' ]]; then # values in the help: --unit auto|segment, --format {text,json}
        values=($(sed -n "s/^  $option {*\([^ }]*[|,][^ }]*\).*/\1/p" <<<$help | tr '|,' '\n\n' | grep -x '[a-z0-9-]*'))
        compset -P '*=' # NAME=FILE
    elif ((i == CURRENT)); then # no option yet: commands
        values=($(sed -n 's/^    \([a-z][a-z0-9-]*\)\( .*\)*$/\1/p; s/^  {\([a-z,]*\)}.*/\1/p' <<<$help | tr , ' '))
    fi
    if (($#values)); then
        compadd -- $values
    else
        _files
    fi
}
if [[ $funcstack[1] == _mtsig ]]; then # loaded from $fpath
    _mtsig "$@"
else
    compdef _mtsig mtsig
fi
