"""Campaigns of ratings, assigned as Pearmut 1.1 assigns them, by raters who differ in strictness."""

from dataclasses import dataclass

import numpy as np

#: Points: how far apart documents, systems within a document, segments and ratings are.
DOCUMENTS, SYSTEMS_IN_DOCUMENTS, SEGMENTS, NOISE = 6.0, 4.0, 4.0, 9.0


@dataclass(frozen=True)
class Design:
    """A campaign: each annotation is a document, of which a rater sees some systems at once."""

    means: tuple[float, ...] = (75.0,) * 6  # of the systems
    n_documents: int = 60  # of one to six segments
    n_annotations: int = 60
    n_shown: int = 3  # systems in an annotation
    n_raters: int = 6
    strictness: float = 7.0  # how far apart raters are
    is_dynamic: bool = True  # else all systems are shown equally often
    in_shifts: bool = False  # one rater after the other
    n_at_first: int = 5  # documents of each system before the means decide (the cold start)


class Campaign:
    """A campaign that runs; `columns` has its ratings so far."""

    def __init__(self, design, rng):
        self.design, self.rng = design, rng
        n_systems, n_documents = len(design.means), design.n_documents
        lengths = rng.integers(1, 7, n_documents)
        self.lines = np.split(np.arange(lengths.sum()), np.cumsum(lengths)[:-1])
        self.level = rng.normal(0, DOCUMENTS, (n_documents, 1)) + np.asarray(design.means)
        self.level += rng.normal(0, SYSTEMS_IN_DOCUMENTS, (n_documents, n_systems))
        self.difficulty = rng.normal(0, SEGMENTS, lengths.sum())
        self.strictness = rng.normal(0, design.strictness, design.n_raters)
        per_rater = -(-design.n_annotations // design.n_raters)
        self.raters = np.repeat(np.arange(design.n_raters), per_rater)
        if not design.in_shifts:
            rng.shuffle(self.raters)
        self.n_annotations = 0
        self.is_rated = np.zeros((n_documents, n_systems), dtype=bool)
        self.sums, self.counts = np.zeros(n_systems), np.zeros(n_systems)
        self.columns = {name: [] for name in ("system", "line", "docid", "rater", "score")}

    def run(self, n_annotations):
        """Go on until so many annotations are made; return the ratings as columns."""
        while self.n_annotations < n_annotations:
            self._annotate(self._draw_systems(), self.raters[self.n_annotations])
            self.n_annotations += 1
        return {name: list(values) for name, values in self.columns.items()}

    def _annotate(self, systems, rater):
        """Rate the first of the documents with the most of these systems unrated."""
        document = int((~self.is_rated[:, systems]).sum(axis=1).argmax())
        self.is_rated[document, systems] = True
        for line in self.lines[document]:
            for system in systems:
                score = self.level[document, system] + self.difficulty[line]
                score += self.strictness[rater] + self.rng.normal(0, NOISE)
                self.sums[system] += score
                self.counts[system] += 1
                row = (f"s{system}", int(line) + 1, f"d{document}", f"r{rater}", float(score))
                for values, value in zip(self.columns.values(), row, strict=True):
                    values.append(value)

    def _draw_systems(self):
        """Those with too few documents at first; then by 1 / rank of the mean, the first two alike."""
        design, n_rated = self.design, self.is_rated.sum(axis=0)
        order = self.rng.permutation(len(n_rated))
        if not design.is_dynamic:
            return sorted(order, key=n_rated.__getitem__)[: design.n_shown]
        if n_rated.min() < design.n_at_first:
            return sorted(order, key=lambda k: n_rated[k] >= design.n_at_first)[: design.n_shown]
        can_be_shown = n_rated < design.n_documents
        if can_be_shown.sum() < design.n_shown:
            return sorted(order, key=lambda k: not can_be_shown[k])[: design.n_shown]
        best_first = np.argsort(-self.sums / self.counts)
        best_first = best_first[can_be_shown[best_first]]
        weights = 1 / np.maximum(np.arange(1, len(best_first) + 1), 2)
        return self.rng.choice(best_first, design.n_shown, replace=False, p=weights / weights.sum())
