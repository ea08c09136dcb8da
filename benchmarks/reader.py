"""A reader of the dashboard who speaks Streamlit's protocol: opens pages one after the other, and
times each.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from pages._ui import catalogue

#: The pages that a reader opens, by what stands in the address; the first is the overview.
PAGES = (
    "",
    "upload",
    "summary",
    "pairs",
    "pair",
    "bootstrap",
    "sampling",
    "size",
    "trust",
    "metrics",
    "segments",
    "methods",
)
_PICTURES = ("plotly_chart", "dataframe")
_REFUSAL = re.compile(
    'class="mt-box mt-error"[^>]*>(.*?)</div>', re.DOTALL
)  # as `pages._ui.screen` draws an error
_ASKS = "background.allow"  # in the id of the button below work that would take long
_LONGEST = 600.0  # seconds after which a page counts as one that never came


@dataclass(frozen=True)
class Visit:
    """One page that somebody opened.

    Attributes
    ----------
    seconds : float
        From the request to the end of the run that answers it.
    first : float
        From the request to the first picture or table.
    wrong : str
        What was wrong with it, "" for nothing.
    computed : bool
        Whether its numbers were not there yet: it showed progress, or asked before it went on.
    """

    page: str
    asked: str
    seconds: float
    first: float
    wrong: str = ""
    computed: bool = False


async def read(
    address: str,
    asks: list[dict[str, str]],
    *,
    until: float,
    think: float,
    seed: int,
    pages: Sequence[str] = PAGES,
) -> list[Visit]:
    """Open pages in a random order until some time, with pauses (exponential, of mean `think`
    seconds) between.

    Parameters
    ----------
    address : str
        Of the dashboard, as http://localhost:8501.
    asks : list of dict
        What the addresses of pages may ask; each reader draws one for good, as somebody who follows
        a link does.
    until : float
        The time, by `time.monotonic`, after which no page is asked for.
    """
    draw = random.Random(seed)
    asked = draw.choice(asks)
    visits: list[Visit] = []
    await asyncio.sleep(draw.uniform(0, think))
    while time.monotonic() < until:
        page = ""
        try:  # a tab of its own for a while, as people open and close them
            async with tab(address) as reader:
                for page in draw.sample(pages, min(len(pages), draw.randint(3, 8))):
                    visits.append(await reader.open(page, asked))
                    await asyncio.sleep(draw.expovariate(1 / think))
                    if time.monotonic() > until:
                        break
        except (OSError, TimeoutError, WebSocketException) as problem:
            visits.append(
                Visit(page, str(asked), 0.0, 0.0, f"{type(problem).__name__}: {problem}"[:200])
            )
            await asyncio.sleep(1)
    return visits


async def visit_all(
    address: str, asks: list[dict[str, str]], cookie: str = "", pages: Sequence[str] = PAGES
) -> list[Visit]:
    """Open each page once, so that what comes after is cached; by the process of the server that a
    cookie names.
    """
    visits = []
    for asked in asks:
        async with tab(address, cookie) as reader:
            visits += [await reader.open(page, asked) for page in pages]
    return visits


@asynccontextmanager
async def tab(address: str, cookie: str = "") -> AsyncIterator[_Tab]:
    """Open a connection."""
    async with connect(
        f"ws://{urlsplit(address).netloc}/_stcore/stream",
        subprotocols=["streamlit"],
        max_size=None,
        origin=address,
        additional_headers={"Cookie": cookie} if cookie else None,
    ) as socket:
        yield _Tab(socket)


class _Tab:
    """One connection, as a tab of a browser has it: it remembers messages that the server need not
    send again.
    """

    def __init__(self, socket):
        self._socket, self._known, self._own = socket, [], ""
        self.asks = ""  # the button below work that would take long, where the page came without it

    async def open(self, page: str, asked: dict[str, str], clicked: str = "") -> Visit:
        """Ask for a page, by a click on one of its buttons perhaps, and take all that comes until
        its run ends.
        """
        request, begun = BackMsg(), time.monotonic()
        client, self.asks = request.rerun_script, ""
        client.page_name, client.query_string = page, urlencode(asked)
        if clicked:
            client.widget_states.widgets.add(id=clicked, trigger_value=True)
        client.cached_message_hashes.extend(self._known[-200:])
        await self._socket.send(request.SerializeToString())
        first, wrong, query, shown, computed = 0.0, "", "", set(), False
        while True:
            message = ForwardMsg()
            message.ParseFromString(await asyncio.wait_for(self._socket.recv(), _LONGEST))
            if message.metadata.cacheable and message.hash:
                self._known.append(message.hash)
            kind = message.WhichOneof("type")
            if kind == "new_session" and message.new_session.initialize.session_id:
                wrong = wrong or self._mine(message.new_session.initialize.session_id)
            elif kind == "page_not_found":
                wrong = "page not found"
            elif kind == "page_info_changed":
                query = message.page_info_changed.query_string
            elif kind == "delta":
                element = message.delta.new_element
                if element.HasField("exception"):
                    wrong = f"{element.exception.type}: {element.exception.message}"[:200]
                if element.HasField("heading"):
                    shown.add(element.heading.body)
                if _ASKS in element.button.id:
                    self.asks = element.button.id
                if refusal := _REFUSAL.search(element.html.body):
                    wrong = wrong or f"an error on the page: {refusal[1]}"[:200]
                computed |= element.HasField("progress") or bool(self.asks)
                if element.WhichOneof("type") in _PICTURES or "<table" in element.html.body:
                    first = first or time.monotonic() - begun
            elif (
                kind == "script_finished"
                and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            ):
                break
        seconds = time.monotonic() - begun
        if message.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
            wrong = wrong or f"ended with status {message.script_finished}"
        strange = {
            key: values
            for key, values in parse_qs(query).items()
            if key in asked and values != [asked[key]]
        }
        if strange:
            wrong = wrong or f"a page of another session: {strange} where {asked} was asked"
        if page and not any(catalogue.PAGES[page].title in heading for heading in shown):
            wrong = wrong or f"headings {sorted(shown)[:3]}, none of {page!r}"
        return Visit(
            page or "summary",
            asked.get("testset", "demonstration"),
            seconds,
            first or seconds,
            wrong,
            computed,
        )

    def _mine(self, session: str) -> str:
        other, self._own = self._own not in ("", session), session
        return "the answer came to another session" if other else ""
