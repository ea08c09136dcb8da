"""Options, their defaults and printed commands come from the signatures of what is called."""

import ast

import pytest

from mtsig_core.cli.main import _parser
from mtsig_core.cli.options import read_arguments
from mtsig_core.report.commands import CALLS, command_line, defaults, option_name
from mtsig_core.source import Source
from mtsig_core.stats.settings import SETTINGS
from tests.builders.code import ROOT, tree

#: What a command cannot do without.
NEEDED = {"agreement": ["--human", "people"]}


@pytest.mark.parametrize("command", CALLS)
def test_what_is_not_given_is_as_in_the_signature(command):
    args = _parser().parse_args([*command.split(), "--demo", *NEEDED.get(command, [])])
    found = read_arguments(args, command)
    assert found == {name: value for name, value in defaults(command).items() if name in found}
    assert {"alpha", "seed", "jobs", "trials", "resamples", "unit"} & defaults(
        command
    ).keys() <= found.keys()
    assert command_line(command, Source(demo=0), **found) == f"mtsig {command} --demo"


@pytest.mark.parametrize("command", CALLS)
def test_what_is_printed_is_read_back(command):
    args = _parser().parse_args([*command.split(), "--demo", *NEEDED.get(command, [])])
    others = {
        name: value + 1
        for name, value in read_arguments(args, command).items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    words = command_line(command, Source(demo=0), **others).split()[1:]
    read = read_arguments(_parser().parse_args([*words, *NEEDED.get(command, [])]), command)
    assert {name: read[name] for name in others} == others


def test_a_setting_of_compare_is_one_row(run, options, capsys):
    """What the table says is the argument's, the option, its help, its check, and a printed command
    that is read.
    """
    usual = defaults("compare")
    assert {*SETTINGS} == {*usual} - {"metrics", "progress", "cache", "jobs", "by_reference"}
    with pytest.raises(SystemExit):
        run("compare", "--help")
    page = "".join(capsys.readouterr().out.split())
    for name, setting in SETTINGS.items():
        option = f"--{option_name(name).replace('_', '-')}"
        assert option in page and "".join(setting.help.split()) in page
        if setting.values:
            assert usual[name] in setting.values
            for value in {*setting.values} - {usual[name]}:
                words = command_line("compare", Source(demo=0), **{name: value}).split()[1:]
                assert words[2:] == [option, value]
                assert read_arguments(_parser().parse_args(words), "compare")[name] == value
            wrong = run("compare", *options, f"{option}=nonsense")
            assert wrong.status == 2 and f"Unknown {setting.title.lower()} 'nonsense'" in wrong.err
            assert {*setting.list_offers(True, {"test": "ar"})} <= {*setting.values}
        for value in setting.list_offers(False, {"test": "ar"}):
            assert value == usual[name] or setting.values or isinstance(value, setting.kind)


@pytest.mark.parametrize(
    "file", sorted((ROOT / "mtsig_core" / "cli").glob("*.py")), ids=lambda file: file.stem
)
def test_no_command_lists_them_itself(file):
    """Beside the one list, nobody adds an option that is an argument, or restates its default."""
    options = {
        f"--{option_name(name).replace('_', '-')}"
        for command in CALLS
        for name in defaults(command)
    }
    added = {
        call.args[0].value
        for call in ast.walk(tree(file))
        if isinstance(call, ast.Call)
        and call.args
        and getattr(call.func, "attr", getattr(call.func, "id", "")) in ("add_argument", "add")
        and isinstance(call.args[0], ast.Constant)
    }
    # Read in another way than their argument is given; of `metrics example` it has no default, of `task` --pairs are
    # language pairs;
    # --exclude takes reasons with the names; --refs and --refs-as-systems say what is read of a test set or a task.
    # --published names files. --watch is of the command alone; experiments call a function of theirs so.
    assert not added & options - {
        "--watch",
        "--metrics",
        "--sizes",
        "--shares",
        "--system-name",
        "--pairs",
        "--exclude",
        "--published",
        "--refs",
        "--refs-as-systems",
    }


@pytest.mark.parametrize(
    "choice, said",
    [
        (["--exclude", "good,fair,poor"], "exclude removes good, fair, poor."),
        (
            ["--only", "good", "--exclude", "good"],
            "exclude removes good, and only good would take part.",
        ),
    ],
)
@pytest.mark.parametrize("command", ["compare", "score", "pair"])
def test_options_that_leave_no_system_are_named_and_not_the_outputs(
    run, options, command, choice, said
):
    done = run(command, *options, *choice)
    assert done.status == 2 and said in done.err and "--system" not in done.err
    assert done.err.endswith(" Keep one, or two to compare.\n")
