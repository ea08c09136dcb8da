"""The command ``completion``: scripts with which shells complete commands, options and values."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from mtsig_core.cli.inputs import write


def add_completion(parser: ArgumentParser) -> None:
    """Add the name of the shell."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell to write it for")


def run_completion(args: Namespace) -> None:
    """Print the script, which takes everything from the help of the commands."""
    write(Path(__file__).with_name(f"completion.{args.shell}").read_text("utf-8"), None)
