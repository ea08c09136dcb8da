"""The errors that a user can cause, each with one message fit for the screen.

A message says what was expected, what was read, where (file, line), and what to do. Its words are
the same everywhere. An error also has its remedy as data: the command line shows the remedy as
options and exits with status 2, a screen shows its controls, and a notebook shows
arguments below the error.
"""

import math
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
        Each corrects it.

    Examples
    --------
    >>> SettingError("No p to correct.", {"correction": "none"}, {"test": "ar"}).__notes__
    ["Arguments that correct it: correction='none'; or test='ar'."]
    """

    def __init__(self, message: str = "", *remedies: Remedy):
        super().__init__(message)
        self.remedies = remedies
        text = format_arguments(remedies)
        if text:
            self.add_note(f"Arguments that correct it: {text}.")


class InputError(MtsigError):
    """Something is wrong with the data: a file, a folder, the texts in them."""


class SettingError(MtsigError):
    """Something is wrong with an option or argument."""


class MissingPackageError(SettingError):
    """A part of mtsig needs a package that is not installed: `mtsig_core.extras` writes the message."""


class MissingTokenizerError(MissingPackageError):
    """A tokenizer needs a package that is not installed.

    A task leaves out the metric in language pairs that need that tokenizer.
    """


class MissingBaselineError(SettingError):
    """The system to compare with has no output, or no score by a metric.

    A task leaves out the language pairs that lack it.
    """


class ClusterError(SettingError):
    """The computing cluster cannot be reached, is not compatible, or is lost."""


class StoreError(MtsigError):
    """The database of kept test sets cannot be reached, read or written."""


class NotYetError(MtsigError):
    """The user asked for a feature that is planned, but does not exist yet."""


class Cancelled(MtsigError):  # noqa: N818  it is no error of anybody
    """The work was stopped on request, between two blocks."""


def format_arguments(remedies: Iterable[Remedy]) -> str:
    """Write a remedy as arguments of Python, without values that the user has to find.

    >>> format_arguments([{"unit": "document"}, {"trials": 4999, "correction": "holm"}, {"docs": "FILE"}])
    "unit='document'; or trials=4999, correction='holm'"
    """
    texts = [
        ", ".join(f"{name}={value!r}" for name, value in remedy.items())
        for remedy in remedies
        if not any(map(_is_placeholder, remedy.values()))
    ]
    return "; or ".join(texts)


def _is_placeholder(value: str | int) -> bool:
    """Whether the user has to find what to write there."""
    return str(value).isupper() or "=" in str(value)


def make_sendable(error: Exception) -> Exception:
    """Convert a caught error so that it can be sent to another process.

    An error that the other process cannot read becomes words. The traceback of an error from
    outside mtsig becomes a note.
    """
    copy = error
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        copy = RuntimeError(f"{type(error).__name__}: {error}")
    if not isinstance(error, MtsigError):
        copy.add_note(traceback.format_exc())
    return copy


#: What options and values of other programs are called here.
_KNOWN_AS: dict[object, str] = {
    "--hyp": "--system",
    "--hypothesis": "--system",
    "--reference": "--ref",
    "--source": "--src",
    "-m": "--metrics",
    "--paired-bs": "--test bootstrap",
    "--paired-ar": "--test ar",
    "--n-samples": "--resamples",
    "fdr_bh": "bh",
}


def explain_unknown(
    kind: str, name: object, among: Iterable[str], *remedies: Remedy
) -> SettingError:
    """Make the error for an unknown name, with remedies where no known name is close to it.

    >>> str(explain_unknown("test", "bootstap", ["ar", "bootstrap"]))
    "Unknown test 'bootstap'. Did you mean 'bootstrap'? Available: ar, bootstrap."
    """
    among = list(dict.fromkeys(among))
    hint = suggest_name(name, among)
    if hint:
        remedies = ()
    return SettingError(f"Unknown {kind} {name!r}.{hint} Available: {', '.join(among)}.", *remedies)


def format_count(n: int, word: str) -> str:
    """Write a number with its noun, in the form of all messages.

    >>> format_count(1, "segment"), format_count(2000, "language pair")
    ('1 segment', '2,000 language pairs')
    """
    return f"{n:,} {word}" if n == 1 else f"{n:,} {word}s"


def round_p(p: float) -> str:
    """A p-value for readers, rounded half up: 0.0625, the least of 5 documents, is not written as less.

    >>> round_p(0.0625), round_p(1e-5)
    ('0.063', '< 0.001')
    """
    if p < 0.001:
        return "< 0.001"
    return f"{math.floor(p * 1000 + 0.5) / 1000:.3f}"


def write_p(p: float, name: str = "p") -> str:
    """A p-value in a sentence.

    >>> write_p(0.0625), write_p(1e-5, "adjusted p")
    ('p = 0.063', 'adjusted p < 0.001')
    """
    return f"{name} = {round_p(p)}".replace("= <", "<")


def choose_verb(n: int, singular: str, plural: str) -> str:
    """The form of a verb that goes with a count of things.

    >>> choose_verb(1, "is", "are"), choose_verb(0, "is", "are")
    ('is', 'are')
    """
    return singular if n == 1 else plural


def suggest_name(name: object, among: Iterable[str]) -> str:
    """Write the end of a message about an unknown name: the closest known name, or an empty text.

    >>> suggest_name("Holm", ["holm", "bh"]), suggest_name("x", ["holm", "bh"])
    (" Did you mean 'holm'?", '')
    """
    name_meant = _KNOWN_AS.get(name) or find_closest(name, among)
    return "" if name_meant is None else f" Did you mean {name_meant!r}?"


def find_closest(name: object, among: Iterable[str]) -> str | None:
    """Find the name that the user probably meant, or None.

    It agrees in two thirds of the letters, ignoring case, or it is longer and contains this name. A
    common ending, such as the ending of a file, does not count.

    >>> find_closest("comapre", ["compare", "score"]), find_closest("XCOMET", ["BLEU", "XCOMET-XL"])
    ('compare', 'XCOMET-XL')
    >>> find_closest("nope.txt", ["mine.txt"]), find_closest("reff.txt", ["ref.txt", "mine.txt"])
    (None, 'ref.txt')
    """
    from difflib import get_close_matches  # late: only a mistake needs it

    wrong = str(name).lower()
    by_lower = {known.lower(): known for known in among}
    stem, dot, ending = wrong.rpartition(".")
    ending = dot + ending if stem else ""
    by_stem = {known.removesuffix(ending) or known: by_lower[known] for known in by_lower}
    matches = get_close_matches(wrong.removesuffix(ending), by_stem, 1, _MIN_SIMILARITY)
    if matches:
        return by_stem[matches[0]]
    for known, original in by_lower.items():
        if len(wrong) >= _MIN_LENGTH and wrong in known:
            return original
    return None


_MIN_SIMILARITY = 0.66  # share of letters in common
_MIN_LENGTH = 3  # letters of a name that is part of a longer one
