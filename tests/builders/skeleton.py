"""The metric that CONTRIBUTING shows, as somebody would copy it."""

import re
import sys
from types import ModuleType

from mtsig_core.metrics import OWN_METRICS
from tests.builders.code import ROOT

_TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
(CODE,) = re.findall(r"^```python\n(.*?)^```$", _TEXT, re.M | re.S)
(ENTRY_POINT,) = re.findall(r"^```toml\n(.*?)^```$", _TEXT, re.M | re.S)
(NAME,) = re.findall(r'^    name: ClassVar\[str\] = "(.+)"$', CODE, re.M)
(CLASS,) = re.findall(r"^class (\w+)", CODE, re.M)
_MODULE = "mtsig_core.metrics.skeleton"


def register(monkeypatch):
    """Make it one of mtsig's own metrics, as if its file and its line in the list were there."""
    module = ModuleType(_MODULE)
    monkeypatch.setitem(sys.modules, _MODULE, module)
    exec(CODE, vars(module))
    monkeypatch.setitem(OWN_METRICS, NAME, f"{_MODULE}:{CLASS}")
