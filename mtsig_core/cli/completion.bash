# Completion of mtsig in bash. What can follow is in the help of mtsig, which is asked once a session.
# Install: mtsig completion bash > ~/.local/share/bash-completion/completions/mtsig
_mtsig() {
    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
    local help i key values beginning= program=${COMP_WORDS[0]/#\~/$HOME}
    local -a command=("$program")
    for ((i = 1; i < COMP_CWORD && i < 3; i++)); do
        [[ ${COMP_WORDS[i]} =~ ^[a-z][a-z0-9-]*$ ]] || break
        command+=("${COMP_WORDS[i]}")
    done
    key="${command[*]:1}"
    key="_mtsig_help_${key//[^a-z0-9]/_}"
    if [[ -z ${!key} ]]; then
        printf -v "$key" %s "$(COLUMNS=999 "${command[@]}" --help 2>/dev/null)"
    fi
    help=${!key}
    if [[ $word == = ]]; then # --option=
        word=
    elif [[ $option == = ]]; then # --option=value
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ $word == -* ]]; then
        values=$(sed -n 's/^  \(-h, \)*\(--[a-z0-9-]*\).*/\2/p' <<<"$help")
    elif [[ $option == --metrics ]]; then
        values="bleu chrf chrf++ dep-f gtm gtm-2 m-bleu meteor nist per ter wer"
        if [[ $word == *,* ]]; then
            beginning="${word%,*},"
            word=${word##*,}
        fi
    elif [[ $option =~ ^--[a-z-]+$ ]]; then # values in the help: --unit auto|segment, --format {text,json}
        values=$(sed -n "s/^  $option {*\([^ }]*[|,][^ }]*\).*/\1/p" <<<"$help" | tr '|,' '\n\n' | grep -x '[a-z0-9-]*')
    elif ((i == COMP_CWORD)); then # no option yet: commands
        values=$(sed -n 's/^    \([a-z][a-z0-9-]*\)\( .*\)*$/\1/p; s/^  {\([a-z,]*\)}.*/\1/p' <<<"$help" | tr , ' ')
    fi
    COMPREPLY=($(compgen -P "$beginning" -W "$values" -- "$word"))
}
complete -o bashdefault -o default -F _mtsig mtsig # else files
