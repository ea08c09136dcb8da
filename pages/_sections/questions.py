"""The question before each figure of Learn: the visitor guesses, then sees the answer."""

from __future__ import annotations

import tomllib
from bisect import bisect
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._ui import address, screen
from pages._ui.catalogue import HOME, PAGES

_QUESTIONS = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))
_SKIPPED = "shown"  # in the place of a guess
_ALL = "questions"  # the key of the link that skips all of them
_OFF = "off"


@dataclass(frozen=True)
class Question:
    """A question with the guess of the visitor, and the place where the page answers it."""

    text: str
    choices: list[str]
    limits: list[float]  # between the numbers of two choices
    result: str  # how the number is written
    guess: str  # a choice or `_SKIPPED`; empty as long as the question is open
    place: DeltaGenerator

    @property
    def is_skipped(self) -> bool:
        """Whether the visitor guesses nothing: the page shows all at once."""
        return self.guess in ("", _SKIPPED)

    def answer(self, number: float | None) -> None:
        """Write what was guessed, and the number that answers the question."""
        if number is None or not self.guess:
            return
        right_choice = self.choices[bisect(self.limits, number)]
        result = right_choice
        if self.result:
            result = self.result.format(number)
        with self.place:
            screen.question(self.text, self._compare(right_choice, result))

    def _compare(self, right_choice: str, result: str) -> str:
        if self.guess == _SKIPPED:
            return f"Answer: {result}."
        if self.guess != right_choice:
            return f"You said: {self.guess}. It is: {result}."
        if result == right_choice:
            return f"You said: {self.guess}. That is right."
        return f"You said: {self.guess}. Right, it is: {result}."


def ask(name: str, **facts: object) -> Question:
    """Draw a question of `questions.toml`, which names `facts`; until a guess, only its choices.

    The rest of the page is drawn meanwhile, and the style sheet hides it. So its work runs while
    the visitor thinks, and a guess shows the answer at once.
    """
    row = _QUESTIONS[name]
    choices = row["choices"]
    text = row["question"].format(**facts)
    key = f"guess_{name.lower().replace(' ', '_')}"
    guess = _read_guess(key, choices)
    with st.container(key="question" if guess else "question_open"):
        with st.container(horizontal=True):
            place = st.empty()
            with place:
                screen.question(text)
            _link_next()
        if not guess:
            _offer_choices(key, choices)
    return Question(text, choices, row["limits"], row.get("result", ""), guess, place)


def _read_guess(key: str, choices: list[str]) -> str:
    """Return the guess in the link or of this session; empty without one."""
    by_text = {str(number): choice for number, choice in enumerate(choices, 1)}
    by_text[_SKIPPED] = _SKIPPED
    texts = {guess: text for text, guess in by_text.items()}

    def read(link_texts: list[str]) -> str:
        if link_texts[-1] not in by_text:
            raise ValueError(link_texts[-1])
        return by_text[link_texts[-1]]

    usual = _SKIPPED if address.asked(_ALL) == _OFF else ""
    return address.settle(key, usual, read, lambda guess: [texts[guess]])


def _offer_choices(key: str, choices: list[str]) -> None:
    with st.container(horizontal=True):
        for number, choice in enumerate(choices, 1):
            st.button(choice, key=f"{key}.{choice}", on_click=_keep, args=(key, str(number)))
        skips = {"Show me": (key, _SKIPPED), "Skip all questions": (_ALL, _OFF)}
        for label, choice in skips.items():
            st.button(label, key=f"{key}.{label}", type="tertiary", on_click=_keep, args=choice)


def _keep(key: str, text: str) -> None:
    address.keep(key, [text])


def _link_next() -> None:
    """Draw a link to the page of Learn that follows; after the last one, to a comparison."""
    course = [page.name for page in PAGES.values() if page.section == "Learn"]
    course.append(HOME.name)
    following = PAGES[course[course.index(address.page()) + 1]]
    address.link(following.name, f"Next: {following.title}")
