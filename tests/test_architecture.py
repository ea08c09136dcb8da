"""Who may import whom, and what the first import may cost."""

import ast
import importlib
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter

from tests.builders.code import CORE, PAGES, ROOT, name_of, nodes, offenders, tree

FILES = [*CORE, *PAGES, ROOT / "app.py", ROOT / "asgi.py"]


MODULES = {name_of(file) for file in FILES}


@cache
def imports(file, late=True):
    """The modules that a file imports; without `late`, only those at its top."""
    imported = set()
    for node in nodes(file) if late else tree(file).body:
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(file)}: relative import in line {node.lineno}"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            imported |= names & MODULES or {node.module}
    return imported


def within(package, file):
    """The imports of a file from a package."""
    return {name for name in imports(file) if name == package or name.startswith(f"{package}.")}


def in_core(folder):
    return [file for file in CORE if file.relative_to(ROOT / "mtsig_core").parts[0] == folder]


def test_the_core_knows_no_screen():
    assert (
        offenders(
            CORE,
            lambda file: within("streamlit", file) | within("pages", file) | within("app", file),
        )
        == {}
    )


def test_the_core_has_no_database():
    assert offenders(CORE, lambda file: within("sqlalchemy", file)) == {}


def test_only_figures_draw():
    assert offenders(set(CORE) - set(in_core("figures")), lambda file: within("plotly", file)) == {}


def test_pages_leave_plotly_to_their_shared_part():
    allowed = {True: {"plotly.graph_objects"}, False: set()}
    assert (
        offenders(PAGES, lambda file: within("plotly", file) - allowed[file.parent.name != "pages"])
        == {}
    )


#: What the folders of the pages may import of each other; scripts, one screen each, take all of it.
FOLDERS = {
    "_work": (),
    "_store": (),
    "_server": ("_work", "_store"),
    "_ui": ("_work", "_store", "_server"),
    "_sections": ("_work", "_store", "_server", "_ui"),
}
LATE_FOLDERS = {
    "pages._server.lifecycle": {  # the server begins before the pages are loaded
        "pages._ui.background",
        "pages._ui.catalogue",
        "pages._ui.testsets",
    }
}


def test_folders_of_the_pages_point_one_way():
    def upward(file):
        others = {
            f"pages.{name}"
            for name in FOLDERS.keys() - {file.parent.name, *FOLDERS[file.parent.name]}
        }
        found = {
            name
            for name in within("pages", file)
            if name.startswith(tuple(f"{other}." for other in others))
        }
        return found - LATE_FOLDERS.get(name_of(file), set())

    assert offenders([file for file in PAGES if file.parent.name in FOLDERS], upward) == {}


def test_background_work_needs_no_screen():
    """A worker is forked from a process that has loaded what work needs: Streamlit would double its
    memory.
    """
    work = sorted(name_of(file) for file in PAGES if file.parent.name == "_work")
    code = f"import sys, {', '.join(work)}; print('streamlit' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert len(work) > 5 and done.stdout.split() == ["False"]
    assert (
        offenders(
            [file for file in PAGES if name_of(file) in work],
            lambda file: within("streamlit", file),
        )
        == {}
    )


#: What Streamlit and Plotly promise to their users.
PROMISED = {
    "streamlit",
    "streamlit.delta_generator",
    "streamlit.starlette",
    "plotly.graph_objects",
}
#: Names with an underscore that are documented.
DOCUMENTED = {"_exit", "_make", "_mapping"}


def test_one_module_of_the_pages_knows_private_parts_of_others():
    def reach_in(file):
        found = {
            name for other in ("streamlit", "plotly", "uvicorn") for name in within(other, file)
        }
        found -= PROMISED
        for node in nodes(file):
            if isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr):
                if getattr(node.value, "id", "") not in ("self", "cls"):
                    found.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= set(re.findall("/_stcore|js-plotly|modebar-|gtitle", node.value))
        return found - DOCUMENTED

    files = [*PAGES, ROOT / "app.py", ROOT / "asgi.py"]
    assert offenders(files, reach_in).keys() == {"pages._server.internals"}


def test_boxes_have_keys():
    """Without one, a box that was opened is closed when anything appears or goes above it."""
    boxes = [
        node
        for file in PAGES
        for node in nodes(file)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "expander"
    ]
    assert len(boxes) > 10 and all(
        "key" in {given.arg for given in node.keywords} for node in boxes
    )


def test_caches_live_in_one_place():
    def caches(file):
        return [
            node.attr
            for node in nodes(file)
            if isinstance(node, ast.Attribute) and node.attr.startswith("cache_")
        ]

    screens = [
        file for file in [*PAGES, ROOT / "app.py"] if file.parent.name not in ("_ui", "_server")
    ]
    assert offenders(screens, caches) == {}


#: Each imports what stands below it, and nothing above; the command line and the pages import all
#: of it.
LAYERS = (
    "figures",
    "report",
    "experiments",
    "stats",
    "metrics",
    "results",
    "reviews",
    "source",
    "simulation",
    "readers",
    "annotation_progress",
    "task",
    "alignment",
    "testset",
    "judgements",
    "score_names",
    "caution",
    "languages",
    "schema",
    "presenter",
    "progress",
    "grouping",
    "extras",
    "errors",
)
#: What else lies at the top of the core, and who may import it. Compiled code is for whoever counts
#: and draws.
TOP = {
    "__init__": ("pages",),
    "__main__": (),
    "errors": (),
    "_command": ("__init__", "cli", "pages"),
    "version": (*LAYERS, "__init__", "cli", "pages"),
    "_compiled": ("metrics", "stats", "cli", "pages"),
    "facade": ("__init__",),
    "presenter": (),
}
ENTRIES = {
    "__init__": LAYERS[1:],
    "__main__": ("cli",),
    "facade": LAYERS,
    "cli": LAYERS,
    "pages": LAYERS,
    "app": ("pages",),
    "asgi": ("pages",),
}


def package(name):
    """Where a module lies: a package or module of the core, the pages, or the app."""
    parts = name.split(".")
    return parts[0] if parts[0] != "mtsig_core" else parts[1] if len(parts) > 1 else "__init__"


def arrows(file):
    """Where the modules lie that a file imports, other than in its own package."""
    own = {
        name
        for name in imports(file)
        if name.split(".")[0] in ("mtsig_core", "pages", "app", "asgi")
    }
    return {package(name) for name in own} - {package(name_of(file))}


def test_every_module_has_a_place():
    def homeless(file):
        parts = file.relative_to(ROOT / "mtsig_core").with_suffix("").parts
        return parts[0] not in (
            {*TOP, *LAYERS} if len(parts) == 1 else {*LAYERS, "cli"} - {"errors"}
        )

    assert offenders(CORE, homeless) == {}
    assert [name for name, n in Counter(file.stem for file in CORE).items() if n > 1] == [
        "__init__"
    ]


def test_arrows_point_one_way():
    def upward(file):
        here = package(name_of(file))
        below = LAYERS[LAYERS.index(here) + 1 :] if here in LAYERS else ENTRIES.get(here, ())
        allowed = {*below, *(name for name, users in TOP.items() if here in users)}
        return arrows(file) - allowed

    assert offenders(FILES, upward) == {}


def test_the_command_line_comes_last():
    others = [
        file
        for file in [*CORE, *PAGES]
        if file.name != "__main__.py" and file not in in_core("cli")
    ]
    assert offenders(others, lambda file: within("mtsig_core.cli", file)) == {}


#: Of the metrics the rest knows what the list of them offers, and these; the others it gets from
#: there, by name.
OPEN = {"mtsig_core.metrics", "mtsig_core.metrics.cache", "mtsig_core.metrics.overlap"}


def test_metrics_are_known_by_their_protocol_alone():
    others = set(CORE) - set(in_core("metrics"))
    assert offenders(others, lambda file: within("mtsig_core.metrics", file) - OPEN) == {}


#: The folder with modules that import each other late: a format may hold files of another one.
RINGS = ("readers",)


def test_no_module_needs_itself():
    needs = {}
    for file in FILES:
        late = package(name_of(file)) not in RINGS
        needs[name_of(file)] = imports(file, late) & MODULES
    TopologicalSorter(needs).prepare()


def test_statistics_need_few_modules():
    """Who compares systems needs no reader, no report and no figure."""
    files = {name_of(file): file for file in FILES}
    needed, modules = set(), {"mtsig_core.stats.comparison"}
    while modules:
        module = modules.pop()
        needed.add(module)
        modules |= (imports(files[module]) & MODULES) - needed
    assert len(needed) <= 47


def test_public_names_exist():
    def missing(file):
        module = importlib.import_module(name_of(file))
        return [name for name in getattr(module, "__all__", []) if not hasattr(module, name)]

    assert offenders([file for file in CORE if file.name != "__main__.py"], missing) == {}


def test_the_first_import_is_light():
    heavy = [
        "numba",
        "scipy",
        "pandas",
        "sacrebleu",
        "plotly",
        "streamlit",
        "joblib",
        "jinja2",
        "charset_normalizer",
    ]
    code = f"import sys, mtsig_core; print(*(name for name in {heavy} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


#: What they write in capitals is no metric's name: messages, settings in the environment, made-up
#: grammar, codes.
CAPITALS = {
    "mtsig_core.cli.main",
    "mtsig_core.task",
    "mtsig_core.readers.limits",
    "mtsig_core.simulation.grammar",
    "pages._ui.controls",
}


def test_metrics_are_called_what_one_function_says():
    """`metrics.metric_title` knows which are written in capitals; a user's own scores keep their
    name.
    """

    def shouts(file):
        return [
            node.lineno
            for node in nodes(file)
            if isinstance(node, ast.Attribute) and node.attr == "upper"
        ]

    found = offenders([file for file in FILES if name_of(file) not in CAPITALS], shouts)
    assert found.keys() == {"mtsig_core.metrics"} and len(found["mtsig_core.metrics"]) == 1
    assert [
        file.name
        for file in ROOT.glob("mtsig_core/**/*.html")
        if "upper" in file.read_text("utf-8")
    ] == []


def test_one_function_decides():
    """Nobody else asks whether p is at most alpha, or a share of wins at least 1 - alpha: it asks
    `significance.significant` or `decide_pairs`.
    """

    def asks(file):
        return [
            node.lineno
            for node in nodes(file)
            if isinstance(node, ast.Compare)
            for op, side in zip(node.ops, node.comparators, strict=True)
            if "alpha"
            in {getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(side)}
            and isinstance(op, ast.LtE | ast.GtE)
        ]

    assert (
        offenders(
            [file for file in FILES if name_of(file) != "mtsig_core.stats.significance"], asks
        )
        == {}
    )


def test_a_public_name_is_one_thing():
    """No function, class or constant of the core has the name of another module's: who searches for
    it finds one.
    """
    homes = {}
    for file in CORE:
        for node in tree(file).body:
            targets = (
                node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            )
            names = (
                [node.name]
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                else [
                    name.id
                    for target in targets
                    if target
                    for name in ast.walk(target)
                    if isinstance(name, ast.Name)
                ]
            )
            for name in names:
                if not name.startswith("_"):
                    homes.setdefault(name, set()).add(name_of(file))
    assert not {name: sorted(found) for name, found in homes.items() if len(found) > 1}, (
        "rename the rarer one"
    )


TESTS = {file: file.read_text(encoding="utf-8") for file in sorted((ROOT / "tests").rglob("*.py"))}
#: What tests may know of Streamlit wherever they are: what it sends, how it is tried out, and its
#: command.
SAID = ("streamlit.proto.", "streamlit.testing.v1", "streamlit.web")


def test_no_test_imports_another():
    assert (
        offenders(
            TESTS,
            lambda file: re.findall(r"^ *(?:from|import) tests.*\btest_\w+", TESTS[file], re.M),
        )
        == {}
    )


def test_one_file_of_the_tests_knows_streamlits_own_parts():
    found = offenders(
        [file for file in TESTS if "streamlit" in TESTS[file]],
        lambda file: {
            name
            for name in within("streamlit", file)
            if name != "streamlit" and not name.startswith(SAID)
        },
    )
    assert found.keys() == {"tests.builders.streamlit_parts"}
