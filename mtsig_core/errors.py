"""The errors that a user can cause, each with one message fit for the screen.

A message says what was expected, what came, where (file, line), and what to do, in words that hold everywhere. What
would mend it is there as data, too: the command line says it as options and exits with status 2, a screen as controls
of the side bar, a notebook as arguments below the error.
"""

import pickle
import traceback
from collections.abc import Iterable, Mapping

__all__ = ["MtsigError", "InputError", "SettingError", "ClusterError", "StoreError", "NotYetError", "Cancelled",
           "Remedy", "arguments", "counted", "nearest", "sendable", "unknown"]

#: Arguments with what to give them, such as ``{"unit": "segment"}``; in capitals what the user has to find, as in
#: ``{"docs": "FILE"}``. Each of several remedies is enough.
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
        if told := arguments(remedies):
            self.add_note(f"Arguments that mend it: {told}.")


class InputError(MtsigError):
    """Something is wrong with the data: a file, a folder, the texts in them."""


class SettingError(MtsigError):
    """Something is wrong with an option or argument."""


class ClusterError(SettingError):
    """The cluster that was to compute cannot be reached, does not fit, or is lost."""


class StoreError(MtsigError):
    """The database of kept test sets cannot be reached, read or written."""


class NotYetError(MtsigError):
    """Asked for something that is planned and not there yet."""


class Cancelled(MtsigError):
    """The work was stopped on request, between two blocks."""


def arguments(remedies: Iterable[Remedy]) -> str:
    """What mends something, as arguments of Python; nothing of what the user has to find.

    >>> arguments([{"unit": "document"}, {"trials": 4999, "correction": "holm"}, {"docs": "FILE"}])
    "unit='document'; or trials=4999, correction='holm'"
    """
    return "; or ".join(", ".join(f"{name}={value!r}" for name, value in remedy.items()) for remedy in remedies
                        if not any(str(value).isupper() or "=" in str(value) for value in remedy.values()))


def sendable(error: Exception) -> Exception:
    """What was just caught, as it can be sent to another process: in words alone where it can be written and not read.

    The traceback does not come along: where the error is none of ours, it is a note.
    """
    sent = error
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        sent = RuntimeError(f"{type(error).__name__}: {error}")
    if not isinstance(error, MtsigError):
        sent.add_note(traceback.format_exc())
    return sent


def unknown(what: str, name: object, among: Iterable[str]) -> SettingError:
    """The error for a name that is none of those there are.

    >>> str(unknown("test", "bootstap", ["ar", "bootstrap"]))
    "Unknown test 'bootstap'. Did you mean 'bootstrap'? Available: ar, bootstrap."
    """
    among = list(dict.fromkeys(among))
    return SettingError(f"Unknown {what} {name!r}.{nearest(name, among)} Available: {', '.join(among)}.")


def counted(n: int, word: str) -> str:
    """How many of something, as any message says it.

    >>> counted(1, "segment"), counted(2000, "language pair")
    ('1 segment', '2,000 language pairs')
    """
    return f"{n:,} {word}" if n == 1 else f"{n:,} {word}s"


def nearest(name: object, among: Iterable[str]) -> str:
    """What the message about an unknown name goes on with: the one that was probably meant, or nothing.

    >>> nearest("Holm", ["holm", "bh"]), nearest("x", ["holm", "bh"])
    (" Did you mean 'holm'?", '')
    """
    from difflib import get_close_matches  # late: only a mistake needs it

    known = {other.lower(): other for other in among}
    near = get_close_matches(str(name).lower(), known, 1, 0.4)
    return f" Did you mean {known[near[0]]!r}?" if near else ""
