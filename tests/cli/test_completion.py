"""`mtsig completion`: what a shell offers is what the command takes."""

import re
import subprocess

import pytest

from mtsig_core.cli.main import COMMANDS
from mtsig_core.metrics import METRICS

#: What is typed so far, the last word unfinished -> what follows, all or some of it.
OFFERED = {
    "mtsig comp": {"compare", "compile", "completion"},
    "mtsig sweep ": {"size", "references", "resamples"},
    "mtsig compare --te": {"--test"},
    "mtsig compare --unit ": {"auto", "segment", "document", "block"},
    "mtsig compare --unit = doc": {"document"},
    "mtsig score --format ": {"text", "json", "csv", "markdown"},
    "mtsig compare --metrics bleu,chrf": {"bleu,chrf", "bleu,chrf++"},
    "mtsig completion ": {"bash", "zsh", "fish"},
    "mtsig compare --ref re": set(),  # files, by bash itself
}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_script_knows_the_metrics(run, shell):
    script = run(f"completion {shell}").out
    [names] = set(re.findall(r"bleu chrf [a-z0-9 +-]+", script))
    assert set(names.split()) == set(METRICS)


def test_bash_offers_commands_options_and_values(run, capsys, monkeypatch, tmp_path):
    """The help that the script asks for is printed by this process, as it is by the command."""
    monkeypatch.setenv("COLUMNS", "999")
    for words in ("", "compare", "sweep", "score", "completion"):
        with pytest.raises(SystemExit):
            run(f"{words} --help")
        (tmp_path / f"help {words}").write_text(capsys.readouterr().out)
    (tmp_path / "mtsig.bash").write_text(run("completion bash").out)
    lines = [
        f'mtsig() {{ set -- "${{@/--help/}}"; local all="$*"; cat \'{tmp_path}\'/"help ${{all% }}"; }}',
        f"source '{tmp_path}/mtsig.bash'",
    ]
    for typed in OFFERED:
        words = " ".join(f"'{word}'" for word in typed.split(" "))
        lines.append(f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=()")
        lines.append('_mtsig; echo "${COMPREPLY[*]}"')
    done = subprocess.run(
        ["bash", "--norc", "-c", "\n".join(lines)], capture_output=True, text=True, timeout=60
    )
    offered = [set(line.split()) for line in done.stdout.splitlines()]
    assert dict(zip(OFFERED, offered, strict=True)) == OFFERED, done.stderr


def test_every_command_is_offered(run, capsys):
    with pytest.raises(SystemExit):
        run("--help")
    offered = re.findall(r"^    ([a-z]+)\b", capsys.readouterr().out, re.M)
    assert offered == [name for commands in COMMANDS.values() for name in commands]
