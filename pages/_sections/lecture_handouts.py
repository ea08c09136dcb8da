"""Handouts of the lecture: a scene on paper, with its dots and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from mtsig_core.report import lecture_texts as texts
from mtsig_core.report.lecture_texts import HandoutPart, Strip, handout
from pages._sections.lecture_scenes import Scene, Subject
from pages._ui import address

#: Steps of a scene that was not shown yet.
_DEFAULT_STEPS = {"mean": 3, "blocks": 100, "comparisons": 60, "power": 200}
_MANY_STEPS = 500


def handout_file(scenes: Mapping[str, tuple[Scene, Subject, int]]) -> dict[str, str]:
    """Return a handout of some scenes at their current steps, as {name, text, type}."""
    title = next(iter(scenes)) if len(scenes) == 1 else "lecture"
    pages = [
        _make_page(key, scene, subject, step) for key, (scene, subject, step) in scenes.items()
    ]
    return {"name": f"handout.{title}.html", "type": "text/html", "text": handout(pages)}


def _make_page(key: str, scene: Scene, subject: Subject, step: int) -> HandoutPart:
    """Return one scene on paper."""
    step = min(step or _DEFAULT_STEPS.get(key, _MANY_STEPS), scene.steps(subject))
    body = scene.body(subject)
    rows = scene.rows(subject, step)
    end = scene.end(subject, step)
    question = scene.words.question
    if scene.worlds:
        question += f" Chosen: {scene.name_world(subject.world)}."
    return HandoutPart(
        title=scene.words.title,
        question=question,
        shown=texts.describe_handout(subject.testset, key, subject.seed, step),
        conclusion=f"{end['conclusion']} {end.get('after', '')}".strip(),
        limitation=end["limitation"],
        exercise=scene.words.exercise,
        answer=scene.words.answer,
        link=_link_to(key, subject, step),
        table=_table_of(key, body),
        strips=_STRIPS[key](body, rows, end, step) if key in _STRIPS else [],
    )


def _link_to(key: str, subject: Subject, step: int) -> str:
    """Return what opens the scene again."""
    query = {"scene": key, "seed": subject.seed, "step": step, "reveal": "true"}
    if subject.world:
        query["world"] = subject.world
    for name in ("testset", "a", "b"):
        value = address.asked(name)
        if value is not None:
            query[name] = value
    return f"lecture?{urlencode(query)}"


def _table_of(key: str, body: dict) -> list[list[str]]:
    """Return the sentences of the stage."""
    if key == "bootstrap":
        numbered = [f"{k}. {text}" for k, text in enumerate(body["sentences"], 1)]
        return [list(row) for row in zip(numbered[::2], numbered[1::2], strict=True)]
    if key in ("randomization", "mean"):
        return [list(body["names"]), *map(list, body["outputs"])]
    return []


# The dots of the stage at its last step.


def _bootstrap_strips(body: dict, rows: dict, end: dict, step: int) -> list[Strip]:
    a, b = body["names"]
    axes = rows["axes"]
    return [
        Strip("sentences missing from a resample", rows["missing"][:step], 0, 12, integers=True),
        _strip(
            f"{body['metric']} of {a}; {end['of']}",
            rows["scores"][:step],
            axes["scores"],
            end["interval"],
        ),
        _strip(
            f"{a} less {b}; {end['of']}",
            rows["differences"][:step],
            axes["differences"],
            end["difference"],
        ),
    ]


def _randomization_strips(body: dict, rows: dict, _end: dict, step: int) -> list[Strip]:
    observed = abs(body["observed"])
    label = "difference after swaps, observed on both sides"
    return [_strip(label, rows["differences"][:step], rows["axis"], (-observed, observed))]


def _blocks_strips(body: dict, rows: dict, end: dict, step: int) -> list[Strip]:
    strips = []
    for name, kind in (("blocks", "blocks"), ("broad", "broad samples")):
        label = f"{body['metric']} of {kind}"
        strips.append(_strip(label, rows[name][:step], rows["axis"], end[name]))
    return strips


def _documents_strips(body: dict, rows: dict, _end: dict, step: int) -> list[Strip]:
    marks = [(body["alpha"], f"{body['alpha']:g}")]
    return [
        Strip(f"p of each test, by {unit}", rows[unit][:step], 0, 1, marks)
        for unit in ("sentence", "document")
    ]


def _comparisons_strips(body: dict, rows: dict, _end: dict, step: int) -> list[Strip]:
    strips = []
    for name, title in (body["corrections"][0], body["corrections"][-1]):
        label = f"false stars on each test set, {title}"
        strips.append(Strip(label, rows["false"][name][:step], 0, 30, integers=True))
    return strips


def _power_strips(_body: dict, rows: dict, _end: dict, step: int) -> list[Strip]:
    marks = [(rows["true"], f"truly {rows['true']:g}")]
    differences = rows["differences"][:step]
    significant = []
    for difference, is_significant in zip(differences, rows["found"], strict=False):
        if is_significant:
            significant.append(difference)
    low = rows["axis"]["low"]
    high = rows["axis"]["high"]
    return [
        Strip("difference on each test set", differences, low, high, marks),
        Strip("those that are significant", significant, low, high, marks),
    ]


_STRIPS = {
    "bootstrap": _bootstrap_strips,
    "randomization": _randomization_strips,
    "blocks": _blocks_strips,
    "documents": _documents_strips,
    "comparisons": _comparisons_strips,
    "power": _power_strips,
}


def _strip(label: str, values: list, axis: dict, interval: tuple[float, float]) -> Strip:
    """Return values on an axis, with the ends of an interval marked."""
    marks = [(end, f"{end:.1f}") for end in interval]
    return Strip(label, values, axis["low"], axis["high"], marks)
