"""Shared tasks as folders of scores."""

import json

import numpy as np

from mtsig_core.source import TaskSource

LEVEL = {"Alpha": 0.84, "Beta": 0.83, "Gamma": 0.6}


def score_folder(parent):
    """Three systems, two language pairs, 20 documents of two segments; Gamma has one pair."""
    rng = np.random.default_rng(3)  # the same for each test, in whatever order they run
    scores = parent / "task" / "automatic_scores"
    scores.mkdir(parents=True)
    for name, level in LEVEL.items():
        lines = [
            {
                "language_pair": pair,
                "domain": "news",
                "document_id": f"d{k}",
                "metric_scores": {
                    "XCOMET": rng.normal(level, 0.02, 2).tolist(),
                    "MetricX-24": rng.normal(-5 * (1 - level), 0.1, 2).tolist(),
                },
            }
            for pair in ("en-de_DE", "en-ja_JP")
            for k in range(20)
            if name != "Gamma" or pair == "en-de_DE"
        ]
        (scores / f"{name}.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
        )
    (parent / "task" / "systems_metadata.json").write_text(
        json.dumps({"Alpha": {"constrained": True}, "Beta": {"constrained": True}})
    )
    return parent / "task"


def many(folder):
    """A task of eight systems that differ little, of which two miss a language pair."""
    rng, scores = np.random.default_rng(5), folder / "automatic_scores"
    for k in range(8):
        lines = [
            {
                "language_pair": pair,
                "domain": "news",
                "document_id": f"d{document}",
                "metric_scores": {"XCOMET": rng.normal(0.8 + 0.004 * k, 0.02, 2).tolist()},
            }
            for pair in ("en-de_DE", "en-ja_JP")[: 1 if k in (2, 5) else 2]
            for document in range(30)
        ]
        (scores / f"S{k}.jsonl").write_text(
            "".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8"
        )
    return TaskSource(str(folder))
