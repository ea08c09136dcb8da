"""Campaigns of human ratings with raters of known habits."""

from dataclasses import dataclass, field

import numpy as np

from mtsig_core import TestSet
from mtsig_core.judgements import Annotation, AttentionCheck, Judgement, Judgements
from mtsig_core.testset import SegmentScores

SYSTEMS = ("A", "B", "C", "D", "E")
QUALITY = dict(zip(SYSTEMS, (85, 82, 78, 74, 68), strict=True))
LINES_OF_DOCUMENT = 4


@dataclass
class Campaign:
    """Eight raters rate five systems in 80 documents; two rate each where `is_shared`."""

    is_shared: bool = True
    seed: int = 0
    n_documents: int = 80
    n_raters: int = 8
    strictness_sd: float = 5.0
    #: By rater: a change of a score, given the place of the document in their work from 0 to 1.
    habits: dict = field(default_factory=dict)
    share_passed: dict = field(default_factory=dict)
    #: Scores that are set, by line, system and rater.
    planted: dict = field(default_factory=dict)

    def make(self):
        """The test set, and the true strictness of each rater."""
        rng = np.random.default_rng(self.seed)
        raters = [f"r{k}" for k in range(self.n_raters)]
        strictness = dict(zip(raters, rng.normal(0, self.strictness_sd, len(raters)), strict=True))
        rows, annotations, work = [], [], []
        for document in range(self.n_documents):
            of_document = rng.normal(0, 5)
            n_people = 2 if self.is_shared else 1
            for rater in rng.choice(raters, n_people, replace=False).tolist():
                work.append((document, of_document, rater))
        n_lines = self.n_documents * LINES_OF_DOCUMENT
        quality = {
            (system, line): rng.normal(QUALITY[system], 8)
            for system in SYSTEMS
            for line in range(n_lines)
        }
        for number, (document, of_document, rater) in enumerate(work):
            annotation = f"{number}"
            annotations.append(
                Annotation(annotation, rater, float(number), 120.0, LINES_OF_DOCUMENT)
            )
            habit = self.habits.get(rater, lambda score, place: score)
            for line in range(LINES_OF_DOCUMENT * document, LINES_OF_DOCUMENT * (document + 1)):
                for system in SYSTEMS:
                    score = quality[system, line] + of_document - strictness[rater]
                    score = habit(score + rng.normal(0, 8), number / len(work))
                    score = self.planted.get((line + 1, system, rater), score)
                    score = float(np.clip(round(score), 0, 100))
                    rows.append(Judgement(system, line + 1, score, rater, annotation))
        checks = []
        for rater in raters:
            passed = rng.random(12) < self.share_passed.get(rater, 0.95)
            checks += [AttentionCheck(rater, bool(is_passed)) for is_passed in passed]
        scores = {system: [None] * n_lines for system in SYSTEMS}
        for system in SYSTEMS:
            for line in range(n_lines):
                scores[system][line] = 80.0
        testset = TestSet(
            "campaign",
            {system: [f"{system} {line}" for line in range(1, n_lines + 1)] for system in SYSTEMS},
            {},
            sources=[f"source {line}" for line in range(1, n_lines + 1)],
            documents=[f"d{k // LINES_OF_DOCUMENT}" for k in range(n_lines)],
            scores={"ESA": SegmentScores(scores)},
            judgements=Judgements("ESA", tuple(rows), tuple(annotations), tuple(checks)),
        )
        return testset, strictness
