"""`pair`: the same numbers as `compare`, and a page that says how to make it again."""

import html
import re
import shlex


def test_the_card_is_made_again_by_the_command_that_it_shows(run, run_json, options, files):
    asked = (
        "pair",
        *options,
        "--metrics",
        "chrf,bleu",
        "--a",
        "poor",
        "--b",
        "good",
        "--trials",
        99,
        "--resamples",
        50,
    )
    first = run(*asked, "--format", "html")
    assert first.status == 0
    command = html.unescape(re.search(r"<code>(mtsig pair .*? --format html)</code>", first.out)[1])
    assert run(*shlex.split(command)[1:]).out == first.out
    data = run_json(*asked)
    assert (data["a"], data["b"], list(data["metrics"])) == ("poor", "good", ["chrf", "bleu"])
    assert "by chrF, BLEU" in run(*asked).out
    failed = run(*asked[:-8], "--a", "bad")
    assert failed.status == 2 and "No system 'bad'" in failed.err
