"""A dispute card as one HTML file to print or to send: no script, no font, no picture, no network."""

from __future__ import annotations

from typing import Any

from mtsig_core.experiments.dispute import Dispute, MetricDispute
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import signed
from mtsig_core.report.dispute_card import (
    card_cautions,
    card_doubts,
    card_methods,
    card_parts,
    card_verdict,
    shown_texts,
    turn,
)
from mtsig_core.report.html_figures import template
from mtsig_core.report.html_tables import table
from mtsig_core.report.palette import shortened, width
from mtsig_core.report.tables import points, summary
from mtsig_core.report.terminal import printable

__all__ = ["card_html", "intervals_svg"]

_FOLDED = 600  # characters of a text from which on the rest is folded away; in print it is not
_WIDE, _ROW, _END = 1040, 40, 150  # of the figure, in pixels


def card_html(found: Dispute, command: str) -> str:
    """The answer and a figure first, then all tables, the texts that decide, warnings, how it was tested, the command.

    Parameters
    ----------
    found : Dispute
    command : str
        The command line that prints its numbers, without the format.

    Returns
    -------
    str
        A page in light or dark, as the reader's system prefers, and light on A4 in print. Names and texts are shown
        literally.
    """
    info, settings = found.comparison.testset, found.comparison.settings
    return template("dispute.html").render(
        found=found, info=info, settings=settings, verdict=card_verdict(found), parts=card_parts(found),
        figure=intervals_svg(found), summary=summary(found.comparison), doubts=card_doubts(found),
        cautions=card_cautions(found), methods=card_methods(found), table=table,
        primary=metric_title(found.metrics[0].result.metric),
        texts=[(name, [(head, [(label, *_folded(text)) for label, text in own]) for head, own in cards])
               for name, cards in shown_texts(found)] if found.testset.has_texts else [],
        commands={"this page": f"{command} --format html", "all numbers": f"{command} --format json"})


def intervals_svg(found: Dispute) -> str:
    """The difference under each metric, each on a scale of its own: a thick bar is its single interval, a thin line
    with ends the simultaneous one; filled where it is decided."""
    shapes: Any = template("shapes.svg").module  # its macros
    left = 20 + 9 * max(width(printable(metric_title(one.result.metric))) for one in found.metrics)
    middle, half = left + (_WIDE - left - _END) / 2, (_WIDE - left - _END) / 2 - 10
    bottom = 30 + _ROW * len(found.metrics)
    names = [shortened(printable(name), 40) for name in (found.b, found.a)]
    drawn = [shapes.text(middle - 12, 18, f"← {names[0]} better", "head end"),
             shapes.text(middle + 12, 18, f"{names[1]} better →", "head"),
             shapes.line(middle, 26, middle, bottom, "zero")]
    for k, one in enumerate(found.metrics):
        y = 30 + _ROW * (k + 0.5)
        delta, single, joint = _ends(one)
        reach = max(map(abs, (delta, *single, *joint)), default=0.0) or 1.0

        def at(value: float, reach: float = reach) -> float:
            return middle + half * value / reach

        drawn.append(shapes.text(left - 10, y + 5, metric_title(one.result.metric), "end"))
        if joint:
            drawn += [shapes.line(at(joint[0]), y, at(joint[1]), y, "together"),
                      *(shapes.line(at(end), y - 7, at(end), y + 7, "together") for end in joint)]
        if single:
            drawn.append(shapes.line(at(single[0]), y, at(single[1]), y, "single"))
        drawn += [shapes.dot(at(delta), y, f" first{' filled' * bool(one.decision)}"),
                  shapes.text(_WIDE - _END + 14, y + 5, signed(delta, points(one.result)))]
    figure: str = shapes.svg(_WIDE, bottom + 8, "The difference under each metric with its intervals; the table below "
                                                "has the numbers.", drawn)
    return figure


def _ends(one: MetricDispute) -> tuple[float, list[float], list[float]]:
    """Improvement of a over b, and the ends of its single and simultaneous intervals, none where there are none."""
    sign, pair = turn(one), one.pair
    single, joint = ([sign * end for end in ends if end is not None] for ends in (
        (pair.ci_low, pair.ci_high), (pair.ci_joint_low, pair.ci_joint_high)))
    return sign * pair.delta, single if len(single) == 2 else [], joint if len(joint) == 2 else []


def _folded(text: str) -> tuple[str, str]:
    """What is seen of a text, and the rest, from the last space on where there is one."""
    if len(text) <= _FOLDED:
        return text, ""
    at = max(text.rfind(" ", _FOLDED // 2, _FOLDED), 0) or _FOLDED
    return text[:at], text[at:]
