"""The dashboard's server: Streamlit's own, a guard before it, files packed once, a health page, a log of events."""

from pathlib import Path

from starlette.middleware import Middleware
from starlette.routing import Route
from streamlit.starlette import App

from pages._ui import (
    server_events,
    server_guard,
    server_health,
    server_life,
    server_packed,
    server_sessions,
    server_uploads,
)

# What it is called is looked for in this text: `streamlit run asgi.py` starts it.
app = App(Path(__file__).with_name("app.py"), lifespan=server_life.life, on_script_error=server_events.failed,
          middleware=[Middleware(server_guard.Guard), Middleware(server_sessions.Sessions),
                      Middleware(server_uploads.Uploads), Middleware(server_packed.Packed)],
          routes=[Route("/_mtsig/health", server_health.answer)],
          exception_handlers={Exception: server_guard.broken})
