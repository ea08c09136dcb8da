"""The question before each figure of Learn: the visitor guesses, then sees the answer."""

from __future__ import annotations

import tomllib
from bisect import bisect
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mtsig_core.experiments.frame import Rate
from pages._ui import address, screen
from pages._ui.catalogue import PAGES

QUESTIONS = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Question:
    """A question, what the visitor said, and the place where the page answers."""

    row: dict  # of `questions.toml`
    guess: str | None  # a choice; another text shows the answer without a guess
    place: DeltaGenerator

    @property
    def is_guessed(self) -> bool:
        """Whether the visitor guessed, and has not only asked for the answer."""
        return self.guess in self.row["choices"]

    def answer(self, number: float | None, *ends: float) -> None:
        """Write what was guessed, and the number that answers the question.

        Where the `ends` of its interval fall under different choices, no guess is called right.
        """
        if number is None:
            return
        right_choice = self._choose(number)
        answer = f"It is: {self.row.get('result', right_choice).format(number)}"
        if len({self._choose(end) for end in ends}) > 1:
            answer += ", and its interval includes other choices"
        elif self.guess == right_choice:
            answer = f"Right. {answer}"
        self.say(f"{answer}.")

    def answer_rate(self, rate: Rate) -> None:
        """Answer with a share of simulations, which has an interval."""
        if rate.share is not None:
            self.answer(rate.share, rate.low, rate.high)

    def say(self, answer: str) -> None:
        """Write what was guessed, and an answer."""
        if self.guess is None:
            return
        if self.is_guessed:
            answer = f"You said: {self.guess}. {answer}"
        with self.place:
            screen.question(self.row["question"], answer)

    def _choose(self, number: float) -> str:
        choice: str = self.row["choices"][bisect(self.row["limits"], number)]
        return choice


def ask(name: str) -> Question:
    """Draw a question, and its choices until one is in the link.

    The rest of the page is drawn meanwhile, and the style sheet hides it. So its work runs while
    the visitor thinks, and a guess shows the answer at once.
    """
    row = QUESTIONS[name]
    key = f"guess_{row['key']}"
    guess = address.asked(key) or address.asked("questions")
    with st.container(key="question_open" if guess is None else "question"):
        with st.container(horizontal=True):
            place = st.empty()
            _link_next()
        with place:
            screen.question(row["question"])
        if guess is None:
            keys = dict.fromkeys([*row["choices"], "Show me"], key)
            keys["Skip all questions"] = "questions"
            with st.container(horizontal=True):
                for label, kept in keys.items():
                    st.button(label, f"{key}.{label}", on_click=address.keep, args=(kept, [label]))
    return Question(row, guess, place)


def _link_next() -> None:
    """Draw a link to the next page of the catalogue."""
    names = list(PAGES)
    following = PAGES[names[names.index(address.page()) + 1]]
    address.link(following.name, f"Next: {following.title}")
