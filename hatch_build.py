"""What pyproject.toml alone cannot say: where the dashboard goes, and what is installed for whom."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

#: The files and folders of the dashboard.
DASHBOARD = ("app.py", "asgi.py", "pages", "assets", ".streamlit")


class Dashboard(BuildHookInterface):
    """The dashboard goes inside the package, as others have an app, pages or assets too.

    An editable install leaves it in the checkout: a copy would only grow old.
    """

    def initialize(self, version, build_data):
        if version != "editable":
            for part in DASHBOARD:
                build_data["force_include"][part] = f"mtsig_core/_dashboard/{part}"


class Requirements(MetadataHookInterface):
    """The first part of requirements.txt is what everybody needs; each other part is an extra.

    The dashboard needs them all. pyproject.toml has the extras that it does not need.
    """

    def update(self, metadata):
        parts = read_parts(Path(self.root, "requirements.txt"))
        metadata["dependencies"] = parts.pop("")
        everything = [requirement for part in parts.values() for requirement in part]
        parts["dashboard"] = everything
        metadata["optional-dependencies"] = parts | self.config["extras"]


def read_parts(file):
    """Read the requirements below each line such as ``# [excel] workbooks``, by its word."""
    part = ""
    parts = {part: []}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# ["):
            part = line[len("# [") :].partition("]")[0]
            parts[part] = []
        elif line and not line.startswith("#"):
            parts[part].append(line)
    return parts
