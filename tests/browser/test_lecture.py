"""The lecture in a real browser: by keyboard alone, from question to limitation, on one screen."""

from pathlib import Path

import pytest

from pages._sections.lecture_scenes import POWER_WORLDS
from pages._sections.lecture_stage import SCENES
from tests.browser.conftest import settled, watched
from tests.builders.cases import brief

pytestmark = pytest.mark.browser
#: Type smaller than this, in pixels, cannot be read from the last row; and key numbers are larger.
BODY, KEY_NUMBER = 24, 64
TYPE = """stage => [...stage.querySelectorAll('*')].filter(node => node.checkVisibility()
  && !node.matches('.spoken, .spoken *')
  && [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim()))
  .map(node => [node.className, parseFloat(getComputedStyle(node).fontSize)])"""
#: Dots on the wrong side of the observed difference, and what else is marked on an axis.
WRONG = """stage => [...stage.querySelectorAll('canvas')].map(canvas => canvas.dots).filter(dots => dots?.edge)
  .map(({low, high, bins, edge, place, colors}) => place.filter(([bin], k) =>
    Math.abs(low + (bin + 0.5) * (high - low) / bins) > edge !== (colors[k] === 'red')).length)"""
MARKS = "stage => [...stage.querySelectorAll('canvas')].flatMap(({dots}) => dots?.marks.map(mark => mark.text) ?? [])"
#: What can be worked in a scene; buttons that stand together, and the two ends of a range, are one.
CONTROLS = """stage => [...new Set([...stage.querySelectorAll('main, footer')].flatMap(part =>
  [...part.querySelectorAll('input, select, button')]).filter(node => node.checkVisibility())
  .map(node => node.closest('.group, .slide') ?? node))].map(node => node.outerHTML)"""
#: Sentences and names that do not fit their line.
CUT = """stage => [...stage.querySelectorAll('.text, .facts > div > div')].filter(node => node.checkVisibility()
  && (node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight + 8))
  .map(node => node.textContent)"""
#: What waits for the next frame is done then.
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
#: What two places say of how many draws there are, on each frame until no more come: "21 of 93" and
#: "93 of 300".
COUNTED = """stage => new Promise(done => {
  const said = [], frame = () => {
    said.push(['.counted', 'footer .limit'].map(where => stage.querySelector(where).textContent))
    if (said.at(-1)[1] === '101 of 300') done(said)
    else requestAnimationFrame(frame)
  }
  frame()
})"""
PICTURE = "stage => [stage.innerText, ...[...stage.querySelectorAll('canvas')].map(canvas => canvas.toDataURL())]"


def test_numbers_are_rounded_as_python_rounds_them(page):
    """So that a big number and the sentence above it never differ by one in the last place."""
    source = (Path(__file__).resolve().parents[2] / "assets" / "lecture" / "stage.js").read_text(
        encoding="utf-8"
    )
    function = source[source.index("const fixed = ") : source.index("const SCENES")]
    numbers = (
        [k / 80 for k in range(-800, 801)]
        + [k / 1024 for k in range(1025)]
        + [100 * k / 200 for k in range(201)]
    )
    written = page.evaluate(
        f"numbers => {{{function} return numbers.map(x => [0, 1, 3].map(n => fixed(x, n)))}}",
        numbers,
    )
    assert written == [[f"{x:.{n}f}".replace("-", "\u2212") for n in (0, 1, 3)] for x in numbers]


def world_of(size):
    return POWER_WORLDS.index((1.0, int(size.replace(",", ""))))


def losing(socket, part, lost):
    """Pass on what a page and its server say, but for the first message of the page with this
    part.
    """
    server = socket.connect_to_server()

    def pass_on(message):
        if part in message and not lost:
            lost.append(message)
        else:
            server.send(message)

    socket.on_message(pass_on)


def fits_one_screen(stage):
    height, seen, width, across = stage.evaluate(
        "s => [s.scrollHeight, s.clientHeight, s.scrollWidth, s.clientWidth]"
    )
    assert (height, width) == (seen, across) == (720, 1280)
    sizes = stage.evaluate(TYPE)
    assert min(size for _, size in sizes) >= BODY
    assert (
        min((size for name, size in sizes if name.startswith("big")), default=KEY_NUMBER)
        >= KEY_NUMBER
    )
    assert len(stage.evaluate(CONTROLS)) <= 3


#: Scenes with two ends to guess, with all swaps, and with sliders: `make test` has no others.
FIRST_SCENES = ["randomization", "blocks", "power"]
#: Scenes in which sliders are turned before the guess.
TURNED = ("documents", "power")
#: The keys that ask for a few draws, one after the other, and then for many.
DRAWS = {"mean": "111", "comparisons": "12"}


def turn_by_arrow_keys(page, stage):
    """The arrow keys turn what has the focus, and it keeps it."""
    stage.get_by_label("sentences in each test set").focus()
    for size in ("1,000", "3,000"):
        page.keyboard.press("ArrowRight")
        page.wait_for_url(f"**world={world_of(size)}**")
        settled(page)
        assert stage.get_by_text(size, exact=True).is_visible()
        assert "guess=" not in page.url


def guess_by_keyboard(page, stage, scene):
    """Guess, once nothing is guessed beforehand."""
    guess = stage.get_by_role("button", name="This is my guess")
    guess.wait_for()
    fits_one_screen(stage)
    assert guess.is_disabled()
    if scene == "mean":
        page.keyboard.press("b")
    else:  # the first key takes hold of a slider where it stands, the next ones turn it
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
    if scene == "blocks":  # the other end
        assert guess.is_disabled()
        stage.get_by_label("highest").press("ArrowRight")
    fits_one_screen(stage)
    page.keyboard.press("n")


def draw_by_keyboard(page, stage, scene):
    first, *more = DRAWS.get(scene, "123")
    stage.get_by_role("button", name="+1", exact=True).wait_for()
    page.keyboard.press(first)
    stage.get_by_text("1 of ").first.wait_for()
    for key in more:
        page.keyboard.press(key)
    if scene == "comparisons":  # which goes on to draw until the answer
        stage.get_by_text("11 of 200").wait_for()
    else:
        settled(page)
    fits_one_screen(stage)


def reveal_by_keyboard(page, stage, scene):
    page.keyboard.press("r")
    stage.get_by_text("Limit: ").wait_for()
    settled(page)
    fits_one_screen(stage)
    assert "Your guess" in stage.locator(".ask").inner_text()
    assert stage.evaluate(CUT) == []
    if scene == "bootstrap":
        assert [text for text in stage.evaluate(MARKS) if text.startswith("observed ")]
    if scene == "randomization":
        assert stage.evaluate(WRONG) == [0]


@pytest.mark.parametrize(
    "scene", brief(1, FIRST_SCENES + [scene for scene in SCENES if scene not in FIRST_SCENES])
)
def test_a_scene_by_keyboard_alone_and_by_its_link(at, page, another_window, scene):
    received = []

    def listen(socket):
        socket.on("framereceived", lambda frame: received.append(bytes(frame)))

    page.on("websocket", listen)
    scenes = list(SCENES)
    number = scenes.index(scene) + 1
    before, to_scene = scenes[number - 2], "]"
    if number == 1:
        before, to_scene = scenes[1], "["
    page.goto(at("lecture", scene=before))
    stage = page.locator(".stage")
    settled(page)
    received.clear()
    page.keyboard.press(to_scene)
    stage.get_by_text(f"{number} / {len(SCENES)}", exact=True).wait_for()
    settled(page)
    fits_one_screen(stage)
    if scene in TURNED:
        stage.get_by_role("button", name="Guess for these").wait_for()
    sent = [frame.replace(b" ", b"") for frame in received if b'"turn"' in frame]
    assert sent
    assert [frame for frame in sent if b'"rows":null' not in frame] == []
    if scene == "power":
        turn_by_arrow_keys(page, stage)
    if scene in TURNED:
        page.keyboard.press("n")
    guess_by_keyboard(page, stage, scene)
    draw_by_keyboard(page, stage, scene)
    reveal_by_keyboard(page, stage, scene)
    link, picture = page.url, stage.evaluate(PICTURE)
    page.keyboard.press("0")
    page.wait_for_url(lambda url: "reveal=" not in url)
    page.go_back()  # all is drawn anew, from the address alone
    stage.get_by_text("Limit: ").wait_for()
    settled(page)
    assert stage.evaluate(PICTURE) == picture
    assert page.dialogs == []
    assert page.hosts == {"localhost"}
    assert page.problems == []
    if scene == "randomization":
        there = watched(another_window().new_page())
        there.goto(link)
        there.locator(".stage").get_by_text("Limit: ").wait_for()
        settled(there)
        assert there.locator(".stage").evaluate(PICTURE)[1:] == picture[1:]


@pytest.mark.long
def test_keys_while_it_moves_the_votes_and_an_answer_that_waits_for_enough_draws(
    at, another_window
):
    page, lost = watched(another_window(reduced_motion="no-preference").new_page()), []
    page.route_web_socket(
        "**/_stcore/stream", lambda socket: losing(socket, b'"reveal":true', lost)
    )
    page.goto(at("lecture", scene="bootstrap"))
    stage = page.locator(".stage")
    votes = stage.get_by_label("Votes of the room")
    votes.fill("3 4 4")
    page.set_viewport_size({"width": 1280, "height": 800})  # what was typed stays
    page.evaluate(FRAMES)
    assert votes.input_value() == "3 4 4"
    votes.press("Escape")
    page.wait_for_url("**votes=3**")  # told as soon as the field is left
    assert stage.get_by_text("? of 12").is_visible()
    page.keyboard.press("]")  # what was typed for another scene is there again
    stage.get_by_text(f"3 / {len(SCENES)}", exact=True).wait_for()
    page.keyboard.press("[")
    stage.get_by_text(f"2 / {len(SCENES)}", exact=True).wait_for()
    assert votes.input_value() == "3 4 4"
    page.keyboard.press("n")
    stage.get_by_role("button", name="Skip the guess").wait_for()
    assert "step=" not in page.url
    page.keyboard.press("n")  # once more: none is made up
    stage.get_by_role("button", name="Reveal").wait_for()
    page.keyboard.press("1")  # ball by ball
    page.keyboard.press("r")
    stage.get_by_text("Limit: ").wait_for()
    assert len(lost) == 1  # and what was lost is asked again
    assert "(range of 20 draws, not yet a 95% interval)" in stage.locator(".ask").inner_text()
    assert "The room (\u25bc): 3, 4, 4." in stage.locator(".ask").inner_text()
    assert "Your guess" not in stage.locator(".ask").inner_text()
    assert "guess=" not in page.url
    page.keyboard.press("x")
    page.wait_for_url("**extra=true**")
    page.reload()
    stage.get_by_text("Limit: ").wait_for()
    assert [text for text in stage.evaluate(MARKS) if "below 0: " in (text or "")]
    settled(page)
    page.goto(
        at("lecture", scene="mean")
    )  # another session, as after a reload: it hears of rounds from the tab
    stage.get_by_text(f"1 / {len(SCENES)}", exact=True).wait_for()
    settled(page)
    page.keyboard.press("v")
    stage.get_by_role("cell", name="3, 4, 4").wait_for()
    for key, name, part in (
        ("V", "votes.csv", "3, 4, 4"),
        ("h", "handout.mean.html", "<h2>Exercise</h2>"),
    ):
        with page.expect_download() as file:
            page.keyboard.press(key)
        assert file.value.suggested_filename == name
        assert part in file.value.path().read_text(encoding="utf-8")
        if key == "V":
            page.keyboard.press("v")  # closes the list
    page.go_back()
    stage.locator(".ask").get_by_text("of the same 20 draws").wait_for()
    assert "The room" not in stage.locator(".ask").inner_text()  # its votes were about the answer
    page.keyboard.press("2")
    page.keyboard.press("]")  # away in the middle
    stage.get_by_text(f"3 / {len(SCENES)}", exact=True).wait_for()
    settled(page)
    page.evaluate(FRAMES)  # what moved
    assert stage.get_by_role("button", name="This is my guess").is_visible()
    assert page.problems == []


@pytest.mark.long
@pytest.mark.parametrize("scene", SCENES)
def test_a_phone_has_all_of_a_scene_whether_it_lies_or_stands(at, another_window, scene):
    page = watched(another_window(viewport={"width": 740, "height": 360}).new_page())
    page.goto(at("lecture", scene=scene, step=3, guess=20, reveal="true"))
    stage = page.locator(".stage")
    stage.get_by_text("Limit: ").wait_for()
    assert stage.evaluate("s => [s.scrollHeight, s.scrollWidth]") == [360, 740]
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate(FRAMES)
    assert stage.evaluate("s => s.scrollWidth") == 390
    assert stage.evaluate(CUT) == []
    assert stage.locator("footer").bounding_box()["y"] < 844
    small = [size for _, size in stage.evaluate(TYPE) if size < 16]
    assert small == []
    assert page.problems == []


def test_phones_vote_and_the_stage_counts(at, page, another_window):
    page.goto(at("lecture", scene="blocks"))
    stage = page.locator(".stage")
    votes = stage.get_by_label("Votes of the room")
    votes.fill("18-40 25")
    votes.press("Enter")  # as many as there are, or none
    stage.get_by_text("25 has no second one. No vote is counted.").wait_for()
    assert stage.get_by_role("button", name="This is my guess").is_visible()
    votes.fill("18-40 25-30")
    votes.press("Enter")
    stage.get_by_text("No vote is counted.").wait_for(state="hidden")
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    stage.get_by_alt_text("QR code of").wait_for()
    code = stage.locator(".join .big").first.inner_text()
    page.keyboard.press("p")
    phone = watched(another_window(viewport={"width": 390, "height": 844}).new_page())
    phone.goto(at("vote"))
    phone.get_by_label("Code").fill(code)
    phone.get_by_role("button", name="Join").click()
    phone.get_by_label("lowest: one less").click()
    phone.get_by_label("highest: one more").click()
    phone.get_by_role("button", name="Vote", exact=True).click()
    phone.get_by_text("Your vote: 32\u201368. You can change it").wait_for()
    stage.locator(".tally").get_by_text("1", exact=True).wait_for()
    assert "32\u201368" not in stage.inner_text()  # nobody follows the crowd
    page.keyboard.press("n")
    page.keyboard.press("n")
    phone.get_by_text("Voting is closed.").wait_for()
    page.wait_for_url("**votes=32**")
    page.keyboard.press("r")
    stage.get_by_text("The room (bars): 32\u201368").wait_for()
    phone.get_by_text("The room: 32\u201368").wait_for()
    page.keyboard.press("[")  # phones follow
    phone.get_by_text("could swap the two outputs").wait_for()
    page.reload()
    stage.get_by_role("button", name=f"Code {code}").wait_for()
    assert page.problems == []
    assert phone.problems == []
    assert phone.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.long
def test_draws_that_come_are_counted_alike_in_both_places(at, another_window):
    page = watched(another_window(reduced_motion="no-preference").new_page())
    page.goto(at("lecture", scene="power", step=1))
    stage = page.locator(".stage")
    stage.get_by_text("1 of 300", exact=True).wait_for()
    page.keyboard.press("3")
    said = stage.evaluate(COUNTED)
    counts = {(drawn.split(" of ")[1], written.split(" of ")[0]) for drawn, written in said}
    assert len(counts) > 2
    assert all(drawn == written for drawn, written in counts)


@pytest.mark.long
def test_what_a_stage_asked_that_was_taken_away_is_asked_by_the_next(at, page):
    """The page may draw the stage anew, as when the window changes its size, before Python has
    heard it.
    """
    page.add_init_script("""window.mtsig_lecture_asked = {scene: 'bootstrap', seed: 4, guess: null, votes: [3, 5],
        step: 0, rows: 0, reveal: false, extra: false, move: 1, at: performance.timeOrigin + 60000}""")
    page.goto(at("lecture", scene="bootstrap"))
    stage = page.locator(".stage")
    stage.get_by_text(f"3 / {len(SCENES)}", exact=True).wait_for()
    page.keyboard.press("[")
    stage.get_by_text(f"2 / {len(SCENES)}", exact=True).wait_for()
    assert stage.get_by_label("Votes of the room").input_value() == "3 5"
    assert page.problems == []


@pytest.mark.long
def test_a_step_back_another_seed_and_the_keys(at, page):
    page.goto(at("lecture", scene="randomization", step=3))
    stage = page.locator(".stage")
    stage.get_by_text("3 of 1,000").wait_for()
    page.keyboard.press("?")
    stage.get_by_text("another seed").wait_for()
    page.keyboard.press("?")
    page.keyboard.press(",")  # the draw before the last
    stage.get_by_text("swap 2").wait_for()
    page.keyboard.press("1")
    page.wait_for_url("**step=4**")
    page.reload()
    stage.get_by_text("4 of 1,000").wait_for()
    page.go_back()
    stage.get_by_text("3 of 1,000").wait_for()
    page.keyboard.press("s")
    page.wait_for_url("**seed=5**")
    stage.get_by_role("button", name="This is my guess").wait_for()
    page.keyboard.press("Escape")
    page.wait_for_selector("h1:has-text('Summary')")
    settled(page)
    page.go_back()
    page.wait_for_url("**seed=5**")
    stage.get_by_role("button", name="This is my guess").wait_for()
    assert page.problems == []


@pytest.mark.long
def test_a_held_key_says_the_latest_alone_and_nothing_twice(at, page):
    """Faster than any keyboard, so that little is answered meanwhile."""
    hold = """async ([key, times]) => {
        for (let k = 0; k < times; k++) {
            dispatchEvent(new KeyboardEvent('keydown', {key, repeat: k > 0}))
            await new Promise(done => setTimeout(done))  // else what is asked goes as one
        }
    }"""
    sent = []
    page.on(
        "websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(bytes(frame)))
    )
    page.goto(at("lecture", scene="bootstrap", step=1))
    page.locator(".stage").get_by_text("1 of 1,000").wait_for()
    settled(page)
    sent.clear()
    begun = page.evaluate("performance.now()")
    with page.expect_download():
        page.evaluate(hold, ["h", 100])
    page.evaluate(hold, ["1", 200])
    n = sum(b'"asks"' in frame for frame in sent)
    assert (
        n <= 4 + 3 * (page.evaluate("performance.now()") - begun) / 1000
    )  # three at once, then as many a second
    page.wait_for_url("**step=201**")
    settled(page)
    asked = [frame for frame in sent if b'"asks"' in frame]
    assert asked
    assert b'"step":201' in asked[-1]
    assert len([frame for frame in asked if b'"file"' in frame]) == 1
    page.evaluate(hold, ["r", 200])
    page.locator(".stage").get_by_text("Limit: ").wait_for()
    settled(page)
    assert any(b'"reveal":true' in frame for frame in sent)
    assert page.problems == []
