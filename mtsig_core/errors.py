"""The errors that a user can cause, each with one message fit for the screen.

A message says what was expected, what came, where (file, line), and what to do, in words that hold
everywhere. What would mend it is there as data, too: the command line says it as options and exits
with status 2, a screen as controls of the sidebar, a notebook as arguments below the error.
"""

import pickle
import traceback
from collections.abc import Iterable, Mapping

#: Arguments with what to give them, such as ``{"unit": "segment"}``; in capitals what the user has
#: to find, as in ``{"docs": "FILE"}``. Each of several remedies is enough.
Remedy = Mapping[str, str | int]


class MtsigError(Exception):
    """Base of all errors whose message is meant for the user.

    Parameters
    ----------
    message : str
    remedies : Remedy
        Each mends it.

    Examples
    --------
    >>> SettingError("No p to correct.", {"correction": "none"}, {"test": "ar"}).__notes__
    ["Arguments that mend it: correction='none'; or test='ar'."]
    """

    def __init__(self, message: str = "", *remedies: Remedy):
        super().__init__(message)
        self.remedies = remedies
        if text := format_arguments(remedies):
            self.add_note(f"Arguments that mend it: {text}.")


class InputError(MtsigError):
    """Something is wrong with the data: a file, a folder, the texts in them."""


class SettingError(MtsigError):
    """Something is wrong with an option or argument."""


class MissingTokenizerError(SettingError):
    """A tokenizer needs a package that is not installed.

    A task leaves out the metric where it needs that tokenizer.
    """


class ClusterError(SettingError):
    """The cluster that was to compute cannot be reached, does not fit, or is lost."""


class StoreError(MtsigError):
    """The database of kept test sets cannot be reached, read or written."""


class NotYetError(MtsigError):
    """Asked for something that is planned and not there yet."""


class Cancelled(MtsigError):
    """The work was stopped on request, between two blocks."""


def format_arguments(remedies: Iterable[Remedy]) -> str:
    """What mends something, as arguments of Python; nothing of what the user has to find.

    >>> format_arguments([{"unit": "document"}, {"trials": 4999, "correction": "holm"}, {"docs": "FILE"}])
    "unit='document'; or trials=4999, correction='holm'"
    """
    return "; or ".join(
        ", ".join(f"{name}={value!r}" for name, value in remedy.items())
        for remedy in remedies
        if not any(str(value).isupper() or "=" in str(value) for value in remedy.values())
    )


def make_sendable(error: Exception) -> Exception:
    """What was just caught, as it can be sent to another process: in words alone where it can be
    written and not read.

    The traceback does not come along: where the error is none of ours, it is a note.
    """
    copy = error
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        copy = RuntimeError(f"{type(error).__name__}: {error}")
    if not isinstance(error, MtsigError):
        copy.add_note(traceback.format_exc())
    return copy


def explain_unknown(what: str, name: object, among: Iterable[str]) -> SettingError:
    """The error for a name that is none of those there are.

    >>> str(explain_unknown("test", "bootstap", ["ar", "bootstrap"]))
    "Unknown test 'bootstap'. Did you mean 'bootstrap'? Available: ar, bootstrap."
    """
    among = list(dict.fromkeys(among))
    return SettingError(
        f"Unknown {what} {name!r}.{suggest_name(name, among)} Available: {', '.join(among)}."
    )


def format_count(n: int, word: str) -> str:
    """How many of something, as any message says it.

    >>> format_count(1, "segment"), format_count(2000, "language pair")
    ('1 segment', '2,000 language pairs')
    """
    return f"{n:,} {word}" if n == 1 else f"{n:,} {word}s"


def choose_verb(n: int, one: str, several: str) -> str:
    """The form of a verb that goes with a count of things.

    >>> choose_verb(1, "is", "are"), choose_verb(0, "is", "are")
    ('is', 'are')
    """
    return one if n == 1 else several


def suggest_name(name: object, among: Iterable[str]) -> str:
    """What the message about an unknown name goes on with: the one that was probably meant, or
    nothing.

    >>> suggest_name("Holm", ["holm", "bh"]), suggest_name("x", ["holm", "bh"])
    (" Did you mean 'holm'?", '')
    """
    name_meant = find_closest(name, among)
    return "" if name_meant is None else f" Did you mean {name_meant!r}?"


def find_closest(name: object, among: Iterable[str]) -> str | None:
    """The name that was probably meant: one that is two thirds alike whatever the case, or a longer
    one that has this one in it. None where no name is so close; what both end in, as files do,
    makes them no closer.

    >>> find_closest("comapre", ["compare", "score"]), find_closest("XCOMET", ["BLEU", "XCOMET-XL"])
    ('compare', 'XCOMET-XL')
    >>> find_closest("nope.txt", ["mine.txt"]), find_closest("reff.txt", ["ref.txt", "mine.txt"])
    (None, 'ref.txt')
    """
    from difflib import get_close_matches  # late: only a mistake needs it

    wrong, by_lower = str(name).lower(), {other.lower(): other for other in among}
    stem, dot, ending = wrong.rpartition(".")
    ending = dot + ending if stem else ""
    by_stem = {
        other.removesuffix(ending) or other: original for other, original in by_lower.items()
    }
    alike = get_close_matches(wrong.removesuffix(ending), by_stem, 1, _ALIKE)
    longer = (
        original for other, original in by_lower.items() if len(wrong) >= _PART and wrong in other
    )
    return by_stem[alike[0]] if alike else next(longer, None)


_ALIKE, _PART = 0.66, 3  # the share of letters in common; letters that are a part of a longer name
