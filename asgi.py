"""The dashboard's server: Streamlit's own, a guard before it, files packed once, a health page, a log of events."""

from pathlib import Path

from starlette.middleware import Middleware
from starlette.routing import Route
from streamlit.starlette import App

from pages._server import compression, connections, guard, health, lifecycle, uploads
from pages._work import events

# What it is called is looked for in this text: `streamlit run asgi.py` starts it.
app = App(Path(__file__).with_name("app.py"), lifespan=lifecycle.life, on_script_error=events.failed,
          middleware=[Middleware(guard.Guard), Middleware(connections.Sessions),
                      Middleware(uploads.Uploads), Middleware(compression.Compression)],
          routes=[Route("/_mtsig/health", health.answer)],
          exception_handlers={Exception: guard.broken})
