"""Two servers on one database: what each has kept is there for both."""

import subprocess
import sys
from pathlib import Path

from mtsig_core import TestSet
from mtsig_core.store.kept_sets import Store

ROOT = Path(__file__).resolve().parents[2]
N = 12
#: Keeps sets of its own, and one that the other keeps too, for the same owner; renames it; says the links.
KEEPS = """
import sys
from tests.store.test_two_servers import N, named
from mtsig_core.store.kept_sets import Store

store = Store(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for k in range(N):
    print(store.keep(named(sys.argv[2] + str(k)), "me"), store.keep(named("shared"), "me"), flush=True)
"""


def named(name):
    return TestSet(name, {"A": [name, "b"]}, {"ref": ["c", "d"]})


def test_nothing_that_either_keeps_is_lost(url):
    both = [subprocess.Popen([sys.executable, "-c", KEEPS, url, letter], cwd=ROOT, text=True, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE) for letter in "ab"]
    for process in both:
        assert process.stdout.readline() == "ready\n"
    for process in both:  # at once
        process.stdin.write("\n")
        process.stdin.flush()
    told = [process.communicate(timeout=600)[0].split() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    store = Store(url)
    kept = {saved.link: saved.name for saved in store.of("me")}
    assert sorted(kept.values()) == sorted(["shared", *(f"{letter}{k}" for letter in "ab" for k in range(N))])
    assert {link for links in told for link in links} == set(kept)
    assert store.load(store.find(told[0][0])).systems["A"] == ("a0", "b")
    store.close()
