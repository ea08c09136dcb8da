"""Names are data: hostile ones everywhere, on every page of a dashboard at projector size."""

import json
from random import Random

import pytest

from mtsig_core import compare, compare_task
from mtsig_core.experiments.dispute import examine_dispute
from mtsig_core.report.html import report_html
from mtsig_core.report.lecture_texts import HandoutPart, Strip, handout
from mtsig_core.report.pair_summary import summary_report
from mtsig_core.report.segment_cards import segments_html
from mtsig_core.reviews import Begin, Decide, Exclude, NoteOn
from mtsig_core.source import TaskSource
from mtsig_core.stats.kept_tasks import KeptTask
from mtsig_core.testset import TestSet
from pages._store.database import open_database
from pages._store.kept_reviews import ReviewStore
from tests.browser.conftest import TITLES, fits, follow, open_tab, ready, settled, watched
from tests.builders.rendered import comparison_html, task_document

pytestmark = pytest.mark.browser
IMAGE, LINK, FORMULA = (
    "<img src=x onerror=alert(1)>",
    "![](http://h.example/x.png)",
    '=HYPERLINK("http://h.example")',
)
BOLD, LONG, RTL = "**b** <b>c</b>", "n" * 300, "نظام 2 <i>x</i>"
SYSTEMS = [IMAGE, LINK, FORMULA, "$x$", ":material/home:", BOLD, LONG, RTL]
OUT, REF, OTHER_REF = (
    "<b>out</b>",
    "<img src=x onerror=alert(2)> *r*",
    "![r](http://h.example/r.png)",
)
DOCUMENT, DOMAIN = "<img src=x onerror=alert(3)>", "![d](http://h.example/d.png)"
PAIR = {"a": LONG, "b": IMAGE}
ASKED = {"refs": REF, "exclude": OUT, "trials": 999, "questions": "off"}
LIGHTER = {
    "repeats": 30,
    "sizes": "50%, 100%",
    "pairs": 200,
}  # of the experiments, whose numbers are tested elsewhere

#: Parts of a page that none of ours has: made of a name, a text or an address in one.
MADE = (
    "x-evil, [onerror], [onclick], [onmouseover], [src*='h.example' i], [href*='//h.example' i], "
    "[href^='javascript:' i], iframe:not([src^='data:text/html'])"
)
#: Names of a shared task, which are names of files there and have no slash.
TAG = "<x-evil onmouseover=alert(4)>\"'`{{7*7}}${7*7}%{x}"
MARKS = "=cmd()|[y](javascript:alert(5)) $x$ :red[r] **b**"
TURNED = "\u202eevil\u2066\u200b" + "n" * 200
METRIC = "COMET-<x-evil>![m](http://h.example/m.png)"
SAID = "<x-evil onclick=alert(6)> \u202eturned {{7*7}} [l](javascript:alert(7)) $x$"
TURNING = (
    "\u202a\u202b\u202c\u202d\u202e"  # up to the end of a paragraph; what isolates, ends with it
)


# What must be read on each page, beside the systems; a page that shows two of them is asked for
# those two.
SHOWN = {
    "upload": [*SYSTEMS, OUT, REF, OTHER_REF],
    "summary": [*SYSTEMS, OUT, f"HUMAN-{REF}", f"HUMAN-{OTHER_REF}"],
    "pairs": SYSTEMS,
    "pair": [LONG, IMAGE, DOCUMENT, REF],
    "bootstrap": SYSTEMS,
    "sampling": [IMAGE],
    "size": [IMAGE],
    "trust": [],
    "papers": [],
    "metrics": SYSTEMS,
    "inside": SYSTEMS,
    "segments": [LONG, IMAGE, DOCUMENT, DOMAIN, REF],
    "methods": [],
}

SHOWN_IN = {"summary": "Table", "sampling": "What each sample concludes"}  # the tab that shows them


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    ref = [
        f"the old house number {k} stands near the river and the bridge of stone" for k in range(60)
    ]
    given = ["--docs", folder / "docs"]
    for name, every in ((REF, 1), (OTHER_REF, 7)):
        given += ["--ref", f"{name}={folder / str(every)}"]
        write(
            folder / str(every),
            [t.replace("old", "small") if k % every else t for k, t in enumerate(ref)],
        )
    for n, name in enumerate([*SYSTEMS, OUT]):
        file = folder / f"s{n}"
        write(
            file,
            [
                t.replace("river and the", f"sea <script>alert({n})</script> or")
                if (k * 7 + n) % (n + 2)
                else t
                for k, t in enumerate(ref)
            ],
        )
        given += ["--system", f"{name}={file}"]
    documents = [DOCUMENT, LINK, FORMULA, BOLD, LONG, RTL]
    write(
        folder / "docs",
        [f"{(DOMAIN, BOLD)[k // 30]}\t{documents[k // 5 % 6]}{k // 30 or ''}" for k in range(60)],
    )
    return given


def write(file, lines):
    file.write_text("".join(f"{line}\n" for line in lines))


# The texts of a picture that are not within it.
OUTSIDE = """svg => {
  const whole = svg.getBoundingClientRect()
  return [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()])
    .filter(([_, box]) => box.width && (box.left < whole.left - 1 || box.right > whole.right + 1
                                        || box.top < whole.top - 1 || box.bottom > whole.bottom + 1))
    .map(([text, _]) => text)}"""

# The axes of a picture that have to make room for their numbers: Plotly draws all of it again then.
CRAMPED = """picture => Object.entries(picture._fullLayout._pushmargin)
  .filter(([what, needs]) => what.endsWith('automargin')
          && ['l', 'r', 'b'].some(side => needs[side]?.size > picture._fullLayout.margin[side]))
  .map(([what, needs]) => what + JSON.stringify(needs))"""


@pytest.mark.long
def test_names_are_literal_and_every_page_fits(at, page, options):
    page.goto(at("", options, **ASKED, **PAIR, **LIGHTER))
    for path, title in TITLES.items():
        follow(page, title)
        ready(page)
        if path in SHOWN_IN:
            open_tab(page, SHOWN_IN[path])
        if path == "sampling":
            page.wait_for_url("**tab=**")
        grids_tell(page, SHOWN[path])
        assert page.locator('[data-testid="stMain"] .mt-error').count() == 0
        fits(page)
        for drawn in page.locator(".js-plotly-plot").all():
            assert drawn.evaluate("e => e.querySelector('img, a[href^=\"http\"]')") is None
            assert (path, drawn.evaluate(CRAMPED)) == (path, [])
        if path == "summary":
            saved_pictures_have_every_name_whole(page, SYSTEMS)
        if path == "pair":
            what_is_said_of_the_two_sides_never_overlaps(page)
            page.get_by_role("button", name="Export").click()
            page.locator('[data-testid="stCheckbox"] label', has_text="One-page summary").click()
            card = page.frame_locator("iframe[src^='data:text/html']")
            card.get_by_text(IMAGE).first.wait_for()
            assert card.locator(MADE).count() == 0
        nothing_was_made(page)
    page.goto(at("lecture", options, scene="bootstrap", **PAIR))
    page.locator(".stage").get_by_text("This is my guess").wait_for()
    page.locator(".stage").get_by_text("<script>alert(").first.wait_for()
    nothing_was_made(page)


def saved_pictures_have_every_name_whole(page, names):
    page.get_by_role("button", name="Numbers, files, command").first.click()
    page.locator('[data-testid="stRadio"] label', has_text="svg").first.click()
    settled(page)
    page.keyboard.press("Escape")
    with page.expect_download() as download:
        page.locator('.modebar-btn[data-title*="ownload"]').first.evaluate(
            "button => button.click()"
        )
    picture = page.context.new_page()
    picture.set_content(download.value.path().read_text())
    said = picture.locator("svg").first.evaluate("svg => svg.textContent")
    assert [name for name in names if name not in said] == []
    assert picture.locator("svg").first.evaluate(OUTSIDE) == []
    picture.close()


@pytest.mark.long
@pytest.mark.parametrize("path, names", [("pairs", SYSTEMS), ("pair", [LONG, IMAGE])])
def test_saved_pictures_have_every_name_whole(at, page, options, path, names):
    page.goto(at(path, options, **ASKED, **(PAIR if path == "pair" else {})))
    ready(page)
    saved_pictures_have_every_name_whole(page, names)


# The pairs of notes of a picture that overlap, all seen at one moment.
OVERLAPPING = """picture => {
  const notes = [...picture.querySelectorAll('.annotation-text')].map(note => [note.textContent,
                                                                             note.getBoundingClientRect()])
  return notes.flatMap(([said, one], k) => notes.slice(k + 1)
    .filter(([_, other]) => one.left < other.right - 1 && other.left < one.right - 1
                            && one.top < other.bottom - 1 && other.top < one.bottom - 1)
    .map(([other, _]) => [said, other]))}"""


def what_is_said_of_the_two_sides_never_overlaps(page):
    for width in (700, 1280):
        page.set_viewport_size({"width": width, "height": 720})
        settled(page)
        figures = page.locator(".js-plotly-plot").all()
        assert len(figures) >= 2
        for figure in figures:
            assert figure.evaluate(OVERLAPPING) == [], width
            assert figure.locator("svg.main-svg").first.evaluate(OUTSIDE) == [], width


# -- a shared task, its review, and what is taken away --------------------------------------------


@pytest.fixture(scope="module")
def task(root):
    """A folder of scores, of which everything that can be named has a hostile name; what a review
    says, too.
    """
    folder, random = root / "<x-evil> {{7*7}} $x$", Random(1)
    (folder / "automatic_scores").mkdir(parents=True)
    for k, name in enumerate((TAG, MARKS, TURNED)):
        lines = [
            {
                "language_pair": pair,
                "domain": LINK,
                "document_id": f"{SAID} {d}",
                "metric_scores": {
                    name: [random.gauss(0.8 - 0.05 * k, 0.02) for _ in range(2)]
                    for name in (METRIC, "BLEURT-<b>Z</b>")
                },
            }
            for pair in ("en-de_DE", "en-ja_JP")
            for d in range(10)
        ]
        write(folder / "automatic_scores" / f"{name}.jsonl", map(json.dumps, lines))
    source = TaskSource(str(folder), below=str(root))
    kept = KeptTask(source)
    found = compare_task(kept, METRIC, trials=999)
    digests = {pair: one.testset.digest for pair, one in found.pairs.items()}
    names = found.pairs["en-de_DE"].testset.systems
    changes = (
        Exclude(names[2], "en-ja_JP", SAID[:200]),
        NoteOn("en-de_DE", METRIC, names[0], names[1], SAID),
        Decide("en-de_DE", tuple(names), SAID),
    )
    database = open_database()
    reviews = ReviewStore(database)
    review = reviews.begin(
        Begin(folder.name, None, found.task.digest, digests, METRIC, {"trials": 999}), "somebody"
    )
    for seen, change in enumerate(changes, 1):
        review = reviews.add(review.edit_link, change, seen)
    database.close()
    return (
        source,
        compare_task(kept.leaving_out(review.review.exclusions), METRIC, trials=999),
        review,
    )


def shown(name):
    """As a page may say it: what has no width, or would turn what stands around it, as an
    escape.
    """
    return "".join(ch if ch.isprintable() else ch.encode("unicode_escape").decode() for ch in name)


def grids_tell(page, names):
    """Wait for these names: a grid tells its cells a moment after it is drawn."""
    page.wait_for_function(
        """names => {
      const text = document.querySelector('[data-testid="stMain"]').textContent
      return names.every(name => text.includes(name))}""",
        arg=names,
    )


def nothing_was_made(page, *names):
    """Of names and texts, which stand there literally, and turn nothing around them."""
    said = page.evaluate("""() => { // texts, in roots of components too; what a field holds turns nothing else
      const texts = []
      const look = node => { for (const one of node.childNodes ?? []) {
        if (one.nodeType === 3) texts.push(one.data)
        else if (!['SCRIPT', 'STYLE', 'TEXTAREA'].includes(one.nodeName)) [one, one.shadowRoot ?? []].forEach(look) }}
      look(document.body)
      return texts.join('\\n')}""")
    assert [name for name in names if name not in said] == []
    assert not set(said) & set(TURNING), [
        line for line in said.split("\n") if set(line) & set(TURNING)
    ][:3]
    assert (
        page.locator(MADE).evaluate_all(
            "all => all.map(e => e.parentElement.outerHTML.slice(0, 300))"
        )
        == []
    )
    assert page.dialogs == [] and page.hosts <= {"localhost"} and page.problems == [], page.url


@pytest.mark.long
def test_a_task_and_its_review(at, page, task):
    source, found, review = task
    page.goto(at("review", review=review.edit_link))
    ready(page)
    page.wait_for_function("document.querySelectorAll('[data-testid=\"stForm\"]').length > 1")
    names = [shown(name) for name in (TAG, MARKS, TURNED)]
    nothing_was_made(page, *names, METRIC, shown(SAID), source.title)
    fits(page)
    page.goto(at("results", shared_task=source.title))
    ready(page)
    page.get_by_role("tab", name="Caveats and method").wait_for()
    grids_tell(page, names)
    nothing_was_made(page, *names, METRIC, source.title)
    fits(page)
    page.get_by_role("button", name="Start a review").click()
    page.get_by_role("heading", name="Review", exact=True).wait_for()
    ready(page)
    page.get_by_role("tab", name="Caveats and method").wait_for()
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollTop") == 0


@pytest.mark.long
def test_names_of_metrics_and_documents_on_every_page(at, page, task):
    source, found, _ = task
    page.goto(at("summary", testset=f"{source.title}/en-de_DE", **LIGHTER))
    for title in TITLES.values():
        follow(page, title)
        ready(page)
        page.get_by_test_id("stMain").get_by_text("COMET-", exact=False).first.wait_for(
            state="attached"
        )
        nothing_was_made(page)


@pytest.mark.long
def test_what_is_taken_away_opens_as_it_was_written(window, task, tmp_path):
    """Every page of HTML that is offered, with scripts allowed that its own policy forbids."""
    source, found, review = task
    ref = [
        f"the old house number {k} stands {SAID} near the river and the bridge of stone"
        for k in range(20)
    ]
    names = (f"</title></style><script>alert(8)</script>{LINK}", f"{TURNED}\n{FORMULA}")
    toy = TestSet(
        f"</title>{SAID}",
        {
            name: [t if k % (n + 2) else f"{FORMULA}\n{IMAGE}" for k, t in enumerate(ref)]
            for n, name in enumerate(names)
        },
        {REF: ref},
        sources=ref,
        documents=[f"{DOCUMENT}{k // 4}" for k in range(20)],
        domains=[DOMAIN, BOLD] * 10,
    )
    few = {"trials": 99, "resamples": 50}
    compared = compare(toy, ("bleu", "chrf"), **few)
    a, b = toy.systems
    part = HandoutPart(
        SAID,
        SAID,
        SAID,
        SAID,
        SAID,
        SAID,
        SAID,
        SAID,
        [list(names)],
        [Strip(SAID, [1.0, 2.0], 0, 3)],
    )
    command = f"mtsig '{SAID}'"
    pages = {
        "comparison": comparison_html(compared),
        "handout": handout([part]),
        "card": report_html(
            summary_report(
                examine_dispute(toy, ["bleu"], a=a, b=b, comparison=compared, **few), command
            )
        ),
        "task": task_document("html", found, command, review.history),
        "segments": segments_html(toy, [a, b], range(20), [SAID] * 20, title=SAID, note=SAID),
    }
    page = watched(window.new_page())
    page.route("http*://**", lambda route: route.abort())
    for name, code in pages.items():
        for file, text in (
            (name, code),
            (f"{name}-scripts", code.replace("Content-Security-Policy", "nothing")),
        ):
            (tmp_path / f"{file}.html").write_text(text, encoding="utf-8")
            page.goto((tmp_path / f"{file}.html").as_uri())
            assert page.locator(f"{MADE}, script, img, link, iframe, object, form").count() == 0, (
                name
            )
            assert page.locator("title").count() == len(page.title().split("\0")) == 1
            assert page.evaluate(
                "document.body.textContent.includes('{{7*7}} [l](javascript:alert(7)) $x$')"
            ), name
            assert page.dialogs == [] and page.hosts == set() and page.problems == [], name
    page.close()
