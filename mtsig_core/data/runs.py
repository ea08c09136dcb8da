"""Training runs: further outputs of a system for the same segments, each of the system trained (or tuned) anew."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from mtsig_core.data.checks import as_list, as_names, as_texts
from mtsig_core.errors import InputError, counted, nearest

__all__ = ["Runs", "frozen_runs"]

#: By system, the outputs of its further runs; the first run is the system's own output.
Runs = Mapping[str, Sequence[Sequence[str]]]


def frozen_runs(testset: str, runs: Runs, systems: Collection[str], n_segments: int) -> Runs:
    """The runs of a test set of that name, checked and made immutable; systems without any are left out.

    Raises
    ------
    InputError
        For runs of what is no system, of another length than the references, and unless the systems have as many runs
        as each other, or one.
    """
    frozen = {}
    for name, outputs in as_names(f"{testset}: runs", runs).items():
        if name not in systems:
            raise InputError(f"{testset}: there is a run of {name!r}, which is no system.{nearest(name, systems)} "
                             f"Systems: {', '.join(systems) or 'none'}.")
        texts = [as_texts(f"{testset}: run {k} of {name}", output) for k, output in
                 enumerate(as_list(f"{testset}: runs of {name}", outputs), 2)]
        for k, output in enumerate(texts, 2):
            if len(output) != n_segments:
                raise InputError(f"{testset}: run {k} of {name} has {counted(len(output), 'segment')}, the first "
                                 f"reference has {n_segments}.")
        if texts:
            frozen[name] = tuple(texts)
    if len({len(texts) for texts in frozen.values()}) > 1:
        told = ", ".join(f"{name} {len(texts) + 1}" for name, texts in frozen.items())
        raise InputError(f"{testset}: systems have unequal numbers of training runs: {told}. Expected as many of each, "
                         "or one: run k of one system is swapped with run k of the other. Leave the surplus out.")
    return MappingProxyType(frozen)
