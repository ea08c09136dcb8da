# Completion of mtsig in fish. What can follow is in the help of mtsig, which is asked once a session.
# Install: mtsig completion fish > ~/.config/fish/completions/mtsig.fish
function __mtsig_values
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l option $words[-1]
    set -l command $words[1]
    set -l key __mtsig_help
    for argument in $words
        if test "$argument" != $words[1]
            string match -qr '^[a-z][a-z0-9-]*$' -- $argument; and test (count $command) -lt 3; or break
            set -a command $argument
            set key {$key}_(string replace -ra '[^a-z0-9]' _ -- $argument)
        end
    end
    if not set -q $key
        set -g $key (env COLUMNS=999 $command --help 2>/dev/null)
    end
    set -l before (string match -r '^.*=' -- $word) # --option=value, NAME=FILE
    set -l values
    if string match -qr '^--[a-z-]+=' -- $word
        set option (string split -m 1 = -- $word)[1]
    else if string match -q -- '-*' $word
        printf '%s\n' $$key | sed -n 's/^  \(-h, \)*\(--[a-z0-9-]*\).*/\2/p'
        return
    end
    if test "$option" = --metrics
        set before (string match -r '^.*[=,]' -- $word)
        set values bleu chrf chrf++ dep-f gtm gtm-2 m-bleu meteor nist per ter wer
    else if string match -qr '^--[a-z-]+$' -- $option # values in the help: --unit auto|segment, --format {text,json}
        set values (printf '%s\n' $$key | sed -n "s/^  $option {*\([^ }]*[|,][^ }]*\).*/\1/p" | tr '|,' '\n\n' | grep -x '[a-z0-9-]*')
    else if test (count $words) -eq (count $command) # no option yet: commands
        set values (printf '%s\n' $$key | sed -n 's/^    \([a-z][a-z0-9-]*\)\( .*\)*$/\1/p; s/^  {\([a-z,]*\)}.*/\1/p' | tr ',' '\n')
    end
    if test -z "$values"
        set values (complete -C "'' "(string replace -r '^.*=' '' -- $word)) # files
    end
    for value in $values
        echo "$before$value"
    end
end
complete -c mtsig -f -a '(__mtsig_values)'
