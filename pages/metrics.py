"""Metrics and domains: do the metrics agree, does a domain reverse the result, and which metric to trust."""

from pages._sections import metrics_sections
from pages._ui import address, controls, frame, screen

_TABS = {"metrics": "Do the metrics agree?", "by domain": "Does a domain reverse it?",
         "which metric to trust": "Which metric to trust"}

view = frame.open_page()
if (asked := address.asked("inside")) is not None and asked not in _TABS:  # an old link
    address.go("inside")
screen.cautions(caution for caution in view.comparison.warnings if caution.kind.concern in ("files", "scores"))
tab, places = controls.tabs(_TABS, "inside")
with places[tab], screen.or_without():
    if tab == "metrics":
        metrics_sections.show_decisions(view)
    elif tab == "by domain":
        metrics_sections.show_domains(view)
    else:
        metrics_sections.show_agreement(view)
