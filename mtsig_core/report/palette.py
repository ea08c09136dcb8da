"""What all pictures share, drawn with Plotly or without: colours (Okabe and Ito), and how wide text
is.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from os.path import commonprefix
from statistics import median

BLUE, VERMILLION, GREY = "#0072B2", "#D55E00", "#7A8594"
_BROAD, _SLIM = frozenset("mwMW@%&—…●"), frozenset("iljtfI.,:;'|!()[]/ ")
_BREAKS = frozenset(" -_/·.,:;")
#: The page behind a figure, by whether it is dark.
GROUND = {False: "#FFFFFF", True: "#12161D"}
_ENDS = {False: (BLUE, VERMILLION), True: ("#56B4E9", "#F0843C")}  # brighter than they are on white
#: What dots and lines of these colours are on a dark page.
ON_DARK = dict(zip(_ENDS[False], _ENDS[True], strict=True))
_CLIP = 2


def colour_limit(values: Iterable[float]) -> tuple[float, bool]:
    """The size from which on the colour is full, and whether any value is larger.

    The largest size, but at most twice the median: half of all pairs share the paler half of the
    scale, and one system far from all others, whose pairs are few, does not move it.

    >>> colour_limit([1, -1, 1, 2, 2, 3]), colour_limit([1, 1, 2, 38, 39, 40, 1, 2, 1, 1])
    ((3, False), (3.0, True))
    """
    sizes = [abs(value) for value in values]
    largest = max(sizes, default=0.0) or 1.0
    clipped = _CLIP * median(sizes) if sizes else 0.0
    return (clipped, True) if 0 < clipped < largest else (largest, False)


def level(value: float, limit: float) -> float:
    """How much colour a value gets, from -1 to 1: its square root, so that one large value does not
    bleach all.
    """
    return math.copysign(math.sqrt(min(1.0, abs(value) / limit)), value)


def mixed(share: float, dark: bool = False) -> tuple[int, ...]:
    """Blue (above 0) or vermillion mixed with the page; share from -1 to 1."""
    colour, ground = _ENDS[dark][share <= 0], GROUND[dark]
    return tuple(
        round(
            int(ground[k : k + 2], 16)
            + abs(share) * (int(colour[k : k + 2], 16) - int(ground[k : k + 2], 16))
        )
        for k in (1, 3, 5)
    )


def ink(share: float, dark: bool = False) -> str:
    """Black or white, whichever stands out more on that colour (WCAG 2 contrast)."""
    mix = mixed(share, dark)
    linear = [
        v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (c / 255 for c in mix)
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else "#FFFFFF"


def width(text: str) -> float:
    """About how wide a text is in a sans-serif font, in digits, which are 0.55 to 0.65 of the font
    size.
    """
    return sum(_width(ch) for ch in text)


def _width(ch: str) -> float:
    if unicodedata.combining(ch):
        return 0.0
    if unicodedata.east_asian_width(ch) in "WF":
        return 1.8
    return 1.7 if ch in _BROAD else 0.65 if ch in _SLIM else 1.25 if ch.isupper() else 1.0


def wrapped(text: str, widest: float) -> list[str]:
    """The text in lines of at most that width, broken where words end if that is near; together
    they are the text.

    >>> wrapped("news-2024 of-the-long-name", 13)
    ['news-2024 of-', 'the-long-name']
    """
    lines, start, used, good = [], 0, 0.0, 0
    for k, ch in enumerate(text):
        if used + _width(ch) > widest and k > start:
            end = good if good - start > 0.45 * (k - start) else k
            lines.append(text[start:end])
            start, used = end, width(text[end:k])
        used += _width(ch)
        if ch in _BREAKS:
            good = k + 1
    return [*lines, text[start:]]


def shortened(text: str, widest: float) -> str:
    """The text, at most so wide: what is too much goes from the middle, as names tend to begin
    alike.
    """
    if width(text) <= widest:
        return text
    half, head, tail = (widest - _width("…")) / 2, "", ""
    for ch in text:
        if width(head + ch) > half:
            break
        head += ch
    for ch in reversed(text):
        if width(ch + tail) > half:
            break
        tail = ch + tail
    return f"{head}…{tail}"


def told_apart(names: Sequence[str], widest: float) -> list[str]:
    """The names, each at most so wide; those that would look alike keep the part in which they
    differ.

    >>> told_apart(["one-long-institution-1-primary-submission", "one-long-institution-2-primary-submission"], 20)
    ['one…ion-1-pri…sion', 'one…ion-2-pri…sion']
    """
    cut = {name: shortened(name, widest) for name in names}
    alike: dict[str, list[str]] = {}
    for name, short in cut.items():
        alike.setdefault(short, []).append(name)
    for group in alike.values():
        if len(group) > 1:
            first = len(commonprefix(group))
            first = max(
                (k + 1 for k in range(first) if group[0][k] in _BREAKS), default=first
            )  # where its word begins
            last = min(
                len(commonprefix([name[::-1] for name in group])),
                *(len(name) - first for name in group),
            )
            for name in group:
                end = len(name) - last
                middle = shortened(name[first:end], 0.7 * widest)
                head = shortened(name[:first], (widest - width(middle)) / 2)
                cut[name] = head + middle + shortened(name[end:], widest - width(head + middle))
    return [cut[name] for name in names]
