"""What the load benchmark takes for a page that came."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.testing.v1 import AppTest

from benchmarks.reader import _Tab
from tests.builders.client import run


def refused():
    from pages._ui import screen

    screen.error("This asks for 9 draws; this server allows 8 (MTSIG_MAX_DRAWS).")


def told():
    from pages._ui import screen

    screen.caution_box("No document ids.")


class Socket:
    """A server that sends a page with a title and some HTML."""

    def __init__(self, bodies):
        self.messages = [ForwardMsg() for _ in range(len(bodies) + 2)]
        self.messages[0].delta.new_element.heading.body = "All pairs"
        for message, body in zip(self.messages[1:], bodies, strict=False):
            message.delta.new_element.html.body = body
        self.messages[-1].script_finished = ForwardMsg.FINISHED_SUCCESSFULLY

    async def send(self, request):
        pass

    async def recv(self):
        return self.messages.pop(0).SerializeToString()


@pytest.mark.long
@pytest.mark.parametrize(("page", "wrong"), [(refused, "an error on the page: This asks for 9 draws"), (told, "")])
def test_a_page_that_shows_only_a_refusal_is_an_error(page, wrong):
    bodies = [html.value for html in AppTest.from_function(page).run().get("html")]
    visit = run(_Tab(Socket(bodies)).open("pairs", {}))
    assert visit.wrong.startswith(wrong) and bool(visit.wrong) == bool(wrong)
