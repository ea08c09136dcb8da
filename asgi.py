"""The dashboard's server: Streamlit's, behind a guard, with a health page and a log of events."""

from pathlib import Path

from starlette.middleware import Middleware
from starlette.responses import RedirectResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from streamlit.starlette import App

from pages._server import (
    frontend,
    guard,
    health,
    internals,
    lifecycle,
    no_page,
    review_steps,
    rooms,
    sessions,
)
from pages._work import events

internals.serve_files_by(frontend.Frontend)
# `streamlit run asgi.py` looks for this name in the text of this file.
app = App(
    Path(__file__).with_name("app.py"),
    lifespan=lifecycle.life,
    on_script_error=events.failed,
    middleware=[
        Middleware(guard.Guard),
        Middleware(sessions.Sessions),
        Middleware(sessions.Uploads),
    ],
    routes=[
        Route("/_mtsig/health", health.answer),
        Route("/_mtsig/review/{link}", review_steps.answer),
        Route("/_mtsig/room", rooms.answer, methods=["POST"]),
        # The page for phones that vote in a lecture: a short address, because people type it.
        Route("/vote", RedirectResponse("/vote/")),
        Mount(
            "/vote", StaticFiles(directory=Path(__file__).with_name("assets") / "vote", html=True)
        ),
        no_page.NoPage(),
    ],
    exception_handlers={Exception: guard.answer_failure},
)
