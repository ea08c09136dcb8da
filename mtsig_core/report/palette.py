"""What all pictures share: colours, each with one meaning, and how wide text is.

CONTRIBUTING has the table of colours; all but olive are of Okabe and Ito.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from os.path import commonprefix
from statistics import median

from wcwidth import wcwidth

from mtsig_core.grouping import group_values

BLUE, VERMILLION, GREY = "#0072B2", "#D55E00", "#7A8594"
OLIVE = "#6F7D00"  # the second of two that are only compared: neither is better
_BROAD = frozenset("mwMW@%&—…●")
_SLIM = frozenset("iljtfI.,:;'|!()[]/ ")
_BREAKS = frozenset(" -_/·.,:;")
#: The page behind a figure, by whether it is dark.
GROUND = {False: "#FFFFFF", True: "#12161D"}
_ENDS = {False: (BLUE, VERMILLION), True: ("#56B4E9", "#F0843C")}  # brighter than they are on white
#: What dots and lines of these colours are on a dark page.
ON_DARK = dict(zip(_ENDS[False], _ENDS[True], strict=True)) | {OLIVE: "#C5CC4A"}
_CLIP = 2


def colour_limit(values: Iterable[float]) -> tuple[float, bool]:
    """The size from which on the colour is full, and whether any value is larger.

    It is the largest size, but at most twice the median. So half of all pairs share the paler half
    of the scale, and a system far from all others, whose pairs are few, does not move it.

    >>> colour_limit([1, -1, 1, 2, 2, 3]), colour_limit([1, 1, 2, 38, 39, 40, 1, 2, 1, 1])
    ((3, False), (3.0, True))
    """
    sizes = [abs(value) for value in values]
    largest = max(sizes, default=0.0) or 1.0
    clipped = 0.0
    if sizes:
        clipped = _CLIP * median(sizes)
    if 0 < clipped < largest:
        return clipped, True
    return largest, False


def level(value: float, limit: float) -> float:
    """Compute the amount of colour of a value, from -1 to 1.

    It is the square root, so that one large value does not bleach all.
    """
    return math.copysign(math.sqrt(min(1.0, abs(value) / limit)), value)


def mixed(share: float, dark: bool = False) -> tuple[int, ...]:
    """Blue (above 0) or vermillion mixed with the page; share from -1 to 1."""
    blue, vermillion = _ENDS[dark]
    colour = vermillion
    if share > 0:
        colour = blue
    ground = _split_colour(GROUND[dark])
    channels = zip(_split_colour(colour), ground, strict=True)
    return tuple(round(paper + abs(share) * (paint - paper)) for paint, paper in channels)


def _split_colour(colour: str) -> list[int]:
    """Red, green and blue of a colour such as #0072B2."""
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


def ink(share: float, dark: bool = False) -> str:
    """Black or white, whichever stands out more on that colour (WCAG 2 contrast)."""
    red, green, blue = (_linearise(value / 255) for value in mixed(share, dark))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    contrast_with_black = (luminance + 0.05) / 0.05
    contrast_with_white = 1.05 / (luminance + 0.05)
    if contrast_with_black >= contrast_with_white:
        return "#000000"
    return "#FFFFFF"


def _linearise(value: float) -> float:
    """The light of a value of sRGB, both from 0 to 1."""
    if value <= 0.04045:
        return value / 12.92
    light: float = ((value + 0.055) / 1.055) ** 2.4
    return light


def width(text: str) -> float:
    """About how wide a text is in a sans-serif font, in digits.

    A digit is 0.55 to 0.65 of the font size.
    """
    return sum(map(_width, text))


def _width(ch: str) -> float:
    columns = wcwidth(ch)
    if columns < 1:
        return 0.0
    if columns == 2:
        return 1.8
    if ch in _BROAD:
        return 1.7
    if ch in _SLIM:
        return 0.65
    if ch.isupper():
        return 1.25
    return 1.0


def wrapped(text: str, widest: float) -> list[str]:
    """The text in lines of at most that width; together they are the text.

    A line is broken where a word ends, if that is near.

    >>> wrapped("news-2024 of-the-long-name", 13)
    ['news-2024 of-', 'the-long-name']
    """
    lines = []
    start = 0
    word_end = 0
    used = 0.0
    for k, ch in enumerate(text):
        if used + _width(ch) > widest and k > start:
            end = k
            if word_end - start > 0.45 * (k - start):
                end = word_end
            lines.append(text[start:end])
            start = end
            used = width(text[end:k])
        used += _width(ch)
        if ch in _BREAKS:
            word_end = k + 1
    return [*lines, text[start:]]


def shortened(text: str, widest: float) -> str:
    """The text, at most so wide.

    The cut is in the middle, because names tend to begin alike.
    """
    if width(text) <= widest:
        return text
    half = (widest - _width("…")) / 2
    head = _take(text, half)
    tail = _take(text[::-1], half)[::-1]
    return f"{head}…{tail}"


def _take(text: str, widest: float) -> str:
    """The start of a text that is at most so wide."""
    used = 0.0
    for k, ch in enumerate(text):
        used += _width(ch)
        if used > widest:
            return text[:k]
    return text


def told_apart(names: Sequence[str], widest: float) -> list[str]:
    """The names, each at most so wide.

    Those that would look alike keep the part in which they differ.

    >>> told_apart(["one-long-institution-1-primary-submission", "one-long-institution-2-primary-submission"], 20)
    ['one…ion-1-pri…sion', 'one…ion-2-pri…sion']
    """
    short = {name: shortened(name, widest) for name in names}
    for group in group_values(short.items()).values():
        if len(group) > 1:
            short |= _shorten_alike(group, widest)
    return [short[name] for name in names]


def _shorten_alike(names: Sequence[str], widest: float) -> dict[str, str]:
    """Names that would look alike, with more of the part in which they differ."""
    n_alike = len(commonprefix(names))
    breaks = [k + 1 for k in range(n_alike) if names[0][k] in _BREAKS]
    start = max(breaks, default=n_alike)  # of the word that differs
    n_alike_at_end = len(commonprefix([name[::-1] for name in names]))
    n_alike_at_end = min(n_alike_at_end, *(len(name) - start for name in names))
    short = {}
    for name in names:
        end = len(name) - n_alike_at_end
        middle = shortened(name[start:end], 0.7 * widest)
        head = shortened(name[:start], (widest - width(middle)) / 2)
        tail = shortened(name[end:], widest - width(head + middle))
        short[name] = head + middle + tail
    return short
