"""What is taken away from the lecture: handouts."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from mtsig_core.report import lecture_texts as texts
from mtsig_core.report.lecture_texts import HandoutPart, Strip, exercises, handout
from pages._ui import address
from pages._ui.lecture_shown import Scene, Shown

__all__ = ["handout_file"]

_USUAL = {"mean": 3, "blocks": 100, "comparisons": 60, "power": 200}  # steps of a scene that was not shown yet


def handout_file(scenes: Mapping[str, tuple[Scene, Shown, int]]) -> dict[str, str]:
    """A handout of some scenes, as they stand on the stage; {name, text, type}."""
    title = next(iter(scenes)) if len(scenes) == 1 else "lecture"
    return {"name": f"handout.{title}.html", "type": "text/html",
            "text": handout([_part(key, *one) for key, one in scenes.items()])}


def _part(key: str, scene: Scene, shown: Shown, step: int) -> HandoutPart:
    step = min(step or _USUAL.get(key, 500), scene.steps(shown))
    body, rows, end = scene.body(shown), scene.rows(shown, step), scene.end(shown, step)
    exercise, answer = exercises()[key]
    query = {"scene": key, "seed": shown.seed, "step": step, "reveal": "true",
             **({"world": shown.world} if shown.world else {}),
             **{name: said for name in ("testset", "a", "b") if (said := address.asked(name)) is not None}}
    chosen = f" Chosen: {scene.worlds[shown.world]}." if scene.worlds else ""
    return HandoutPart(scene.words.title, scene.words.question + chosen,
                       texts.shown(shown.testset, key, shown.seed, step),
                       f"{end['conclusion']} {end.get('after', '')}".strip(),
                       end["limitation"], exercise, answer, f"lecture?{urlencode(query)}",
                       _table(key, body), _strips(key, body, rows, end, step))


def _table(key: str, body: dict) -> list[list[str]]:
    if key == "bootstrap":
        numbered = [f"{k}. {text}" for k, text in enumerate(body["sentences"], 1)]
        return [list(two) for two in zip(numbered[::2], numbered[1::2], strict=True)]
    if key in ("randomization", "mean"):
        return [list(body["names"]), *map(list, body["outputs"])]
    return []


def _strips(key: str, body: dict, rows: dict, end: dict, step: int) -> list[Strip]:
    """The dots of the stage, as they stand at its last step."""
    if key == "bootstrap":
        a, b = body["names"]
        return [Strip("sentences missing from a resample", rows["missing"][:step], 0, 12, integers=True),
                _strip(f"{body['metric']} of {a}; {end['of']}", rows["scores"][:step], rows["axes"]["scores"],
                       end["interval"]),
                _strip(f"{a} less {b}; {end['of']}", rows["differences"][:step], rows["axes"]["differences"],
                       end["difference"])]
    if key == "randomization":
        observed = abs(body["observed"])
        return [_strip("difference after swaps, observed on both sides", rows["differences"][:step], rows["axis"],
                       (-observed, observed))]
    if key == "blocks":
        return [_strip(f"{body['metric']} of {kind}", rows[name][:step], rows["axis"], end[name])
                for name, kind in (("blocks", "blocks"), ("broad", "broad samples"))]
    if key == "documents":
        return [Strip(f"p of each test, by {unit}", rows[unit][:step], 0, 1, [(body["alpha"], f"{body['alpha']:g}")])
                for unit in ("sentence", "document")]
    if key == "power":
        marks = [(rows["true"], f"truly {rows['true']:g}")]
        found = [x for x, yes in zip(rows["differences"][:step], rows["found"], strict=False) if yes]
        return [Strip(label, values, rows["axis"]["low"], rows["axis"]["high"], marks) for label, values in (
            ("difference on each test set", rows["differences"][:step]), ("those that are significant", found))]
    if key == "comparisons":
        return [Strip(f"false stars on each test set, {said}", rows["false"][name][:step], 0, 30, integers=True)
                for name, said in (body["corrections"][0], body["corrections"][-1])]
    return []


def _strip(label: str, values: list, axis: dict, ends: tuple[float, float]) -> Strip:
    return Strip(label, values, axis["low"], axis["high"], [(end, f"{end:.1f}") for end in ends])
