"""The list of all metrics: mtsig's own, and those that installed packages bring."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain

from mtsig_core.testset import show_name

#: name -> "module:class", imported on first use so that the command line starts fast.
OWN_METRICS = {
    "bleu": "mtsig_core.metrics.bleu:Bleu",
    "chrf": "mtsig_core.metrics.chrf:Chrf",
    "chrf++": "mtsig_core.metrics.chrf:ChrfPlusPlus",
    "ter": "mtsig_core.metrics.ter:Ter",
    "nist": "mtsig_core.metrics.nist:Nist",
    "m-bleu": "mtsig_core.metrics.bleu:MBleu",
    "wer": "mtsig_core.metrics.wer:Wer",
    "per": "mtsig_core.metrics.wer:Per",
    "meteor": "mtsig_core.metrics.meteor:Meteor",
    "gtm": "mtsig_core.metrics.gtm:Gtm",
    "gtm-2": "mtsig_core.metrics.gtm:Gtm2",
    "dep-f": "mtsig_core.metrics.dep_f:DepF",
}
#: The entry points by which a package brings metrics.
GROUP = "mtsig.metrics"
#: The names that users and packages may give to a metric, so that a list of metrics can have them.
METRIC_NAME = re.compile(r"[\w.+-]+", re.ASCII)


class _Metrics(Mapping[str, str]):
    """Every metric by its name: "module:object".

    Packages are looked up, which takes 50 milliseconds, only for a name that is not mtsig's own and
    for a list of all names. Their code is loaded when their metric is used.
    """

    def __getitem__(self, name: str) -> str:
        if name in OWN_METRICS:
            return OWN_METRICS[name]
        return find_packaged()[name]

    def __iter__(self) -> Iterator[str]:
        return chain(OWN_METRICS, find_packaged())

    def __repr__(self) -> str:
        return repr(dict(self))

    def __len__(self) -> int:
        return len(OWN_METRICS) + len(find_packaged())


METRICS = _Metrics()


@cache
def find_packaged() -> Mapping[str, str]:
    """The metrics of installed packages; standard error says which ones are ignored."""
    from importlib.metadata import entry_points  # late: it loads fifty modules

    packaged: dict[str, str] = {}
    try:
        entries = entry_points(group=GROUP)
    except Exception as error:  # a damaged package may raise anything
        _complain("all metrics of packages", f"entry points are damaged: {error!r}")
        return packaged
    for entry in entries:
        is_taken = entry.name in OWN_METRICS or entry.name in packaged
        if is_taken or not METRIC_NAME.fullmatch(entry.name):
            reason = "Expected letters, digits, and . + - _, in a name that no other metric has"
            _complain(f"the metric {entry.name} of a package ({entry.value})", reason)
        else:
            packaged[entry.name] = entry.value
    return packaged


def _complain(ignored: str, reason: str) -> None:
    print(show_name(f"mtsig: ignoring {ignored}. {reason}."), file=sys.stderr)
