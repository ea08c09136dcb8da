"""Reviews of a shared task, as the page Results starts them."""

from mtsig_core.reviews import Begin


def begin_review(store, name, found, metric, owner="somebody"):
    """A review of the task of this name, by what was found of it."""
    digests = {pair: comparison.testset.digest for pair, comparison in found.pairs.items()}
    begin = Begin(name, None, found.task.digest, digests, metric, {"trials": 999})
    return store.begin(begin, owner)
