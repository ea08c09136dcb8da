"""A browser without a screen: cookies, Streamlit's messages, uploads."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from urllib.parse import urlsplit

import httpx
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from websockets.sync.client import connect

LIMIT = 300.0  # seconds that anything may take
get = partial(httpx.get, verify=False)  # reading certificates takes longer than all else


def run(coroutine):
    """In a thread of its own: in this one there may be the loop of a browser."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


async def answer(app, scope, receive=None):
    """The messages that an ASGI application sends in answer to a request."""
    sent = []

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    return sent


class Client:
    """One browser at one address of the dashboard."""

    def __init__(self, address: str):
        self.address = address
        self.http = httpx.Client(
            base_url=address, follow_redirects=True, timeout=LIMIT, verify=False
        )
        self.http.get("/_stcore/health")  # brings the token against forged requests

    @contextmanager
    def session(self):
        """A tab: what its messages go through."""
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.http.cookies.jar)
        with connect(
            f"ws://{urlsplit(self.address).netloc}/_stcore/stream",
            origin=self.address,
            max_size=None,
            subprotocols=["streamlit", self.http.cookies["_streamlit_xsrf"]],
            additional_headers={"Cookie": cookies},
        ) as socket:
            yield Session(socket)

    def upload(self, session: str, text: bytes) -> int:
        """The status of the answer."""
        return self.http.put(
            f"/_stcore/upload_file/{session}/one",
            files={"file": ("a.txt", text)},
            headers={"X-Xsrftoken": self.http.cookies["_streamlit_xsrf"]},
        ).status_code


class Session:
    def __init__(self, socket):
        self._socket, self.id = socket, None

    def run(
        self,
        clicked: str | None = None,
        page: str = "",
        holds: str | None = None,
        query: str = "",
        enough: Callable[[list[ForwardMsg]], bool] = lambda messages: False,
    ) -> list[ForwardMsg]:
        """All messages until a run of the script has come to its end, or they are enough; of a page
        with a query, with a button clicked, or with a field for files that holds what
        `Client.upload` has uploaded.
        """
        asked = BackMsg()
        asked.rerun_script.page_name, asked.rerun_script.query_string = page, query
        if clicked is not None:
            asked.rerun_script.widget_states.CopyFrom(
                WidgetStates(widgets=[WidgetState(id=clicked, trigger_value=True)])
            )
        if holds is not None:
            file = UploadedFileInfo(file_id="one", name="a.txt", size=1)
            asked.rerun_script.widget_states.CopyFrom(
                WidgetStates(
                    widgets=[
                        WidgetState(
                            id=holds,
                            file_uploader_state_value=FileUploaderState(uploaded_file_info=[file]),
                        )
                    ]
                )
            )
        self._socket.send(asked.SerializeToString())
        messages = []
        while (
            not messages
            or not enough(messages)
            and (
                messages[-1].WhichOneof("type") != "script_finished"
                or (messages[-1].script_finished != ForwardMsg.FINISHED_SUCCESSFULLY)
            )
        ):
            message = ForwardMsg.FromString(self._socket.recv(LIMIT))
            if messages or message.HasField(
                "new_session"
            ):  # before it: what is left of a run not read to its end
                messages.append(message)
        [self.id] = {
            found.new_session.initialize.session_id
            for found in messages
            if found.HasField("new_session")
        }
        return messages


def elements(messages, kind):
    """What was drawn of one kind."""
    drawn = [message.delta.new_element for message in messages if message.HasField("delta")]
    return [getattr(element, kind) for element in drawn if element.HasField(kind)]


def headings(messages):
    return [heading.body for heading in elements(messages, "heading")]
