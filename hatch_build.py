"""What pyproject.toml alone cannot say of the wheel: where the dashboard goes."""

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Dashboard(BuildHookInterface):
    """The dashboard goes inside the package, as others have an app, pages or assets too.

    An editable install leaves it in the checkout: a copy would only grow old.
    """

    def initialize(self, version, build_data):
        if version != "editable":
            for part in ("app.py", "asgi.py", "pages", "assets", ".streamlit"):
                build_data["force_include"][part] = f"mtsig_core/_dashboard/{part}"
