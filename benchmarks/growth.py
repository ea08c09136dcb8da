"""How seconds and memory of a comparison grow with systems, segments and resamples; as a figure of
the docs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from plotly.subplots import make_subplots

from benchmarks.browsers import chromium

FIGURE = Path(__file__).resolve().parents[1] / "docs" / "growth.png"
#: What is varied, and what the other two are meanwhile: (systems, segments, resamples).
AXES = {
    "systems": [(n, 1000, 10_000) for n in (2, 5, 10, 20, 50, 100)],
    "segments": [(10, n, 1000) for n in (300, 1000, 3000, 10_000, 30_000, 100_000, 300_000)],
    "resamples": [(10, 1000, n) for n in (1000, 3000, 10_000, 30_000, 100_000)],
}
_CODE = """import json, time
from benchmarks.memory import compare_made_up, peak_mb
compare_made_up(2, 300, 1000)
before, seconds = peak_mb(), []
for _ in range({repeats}):
    start = time.process_time()
    compare_made_up(*{case})
    seconds.append(time.process_time() - start)
print(json.dumps([min(seconds), peak_mb(), before]))"""


def growth(repeats: int = 3) -> dict[str, list[dict]]:
    """Seconds of a core (the least of some runs) and peak memory of whole comparisons of made-up
    statistics by BLEU, each case in a process of its own; with the slope of each axis over its
    upper half, on log axes.
    """
    found: dict[str, list[dict]] = {}
    for axis, cases in AXES.items():
        for case in cases:
            code = _CODE.format(repeats=repeats if max(case) < 100_000 else 1, case=case)
            done = subprocess.run(
                [sys.executable, "-c", code],
                check=True,
                capture_output=True,
                text=True,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
            seconds, mb, before = json.loads(done.stdout)
            row = dict(
                zip(("systems", "segments", "resamples"), case, strict=True),
                seconds=seconds,
                mb=mb,
                imports_mb=before,
            )
            found.setdefault(axis, []).append(row)
            print(
                f"{row['systems']:>4} systems {row['segments']:>7,} segments {row['resamples']:>7,} resamples "
                f"{seconds:8.3f} s {mb:6.0f} MB",
                flush=True,
            )
        upper = found[axis][len(cases) // 2 :]
        slope = np.polyfit(
            np.log([row[axis] for row in upper]), np.log([row["seconds"] for row in upper]), 1
        )[0]
        print(f"seconds grow as {axis} to the power of {slope:.2f}", flush=True)
    return found


def draw(found: dict[str, list[dict]], path: Path = FIGURE) -> None:
    """The figure: seconds above, peak memory below, a column for each axis, all on log axes."""
    figure = make_subplots(
        2, 3, shared_xaxes=True, shared_yaxes=True, vertical_spacing=0.06, horizontal_spacing=0.03
    )
    for column, (axis, rows) in enumerate(found.items(), 1):
        fixed = [f"{rows[0][other]:,} {other}" for other in found if other != axis]
        for row, (key, name) in enumerate(
            (("seconds", "seconds of a core"), ("mb", "peak memory, MB")), 1
        ):
            figure.add_scatter(
                x=[one[axis] for one in rows],
                y=[one[key] for one in rows],
                mode="lines+markers+text",
                text=[f"{one[key]:.2g}" if key == "seconds" else f"{one[key]:.0f}" for one in rows],
                textposition="top center",
                cliponaxis=False,
                line_color="#0072B2",
                row=row,
                col=column,
            )
            ticks = dict(dtick=1) if row == 1 else dict(tickvals=[100, 200, 400, 800])
            figure.update_yaxes(
                type="log", title=name if column == 1 else None, **ticks, row=row, col=column
            )
        figure.update_xaxes(type="log", dtick=1, col=column)
        figure.update_xaxes(title=f"{axis}<br>({', '.join(fixed)})", row=2, col=column)
    figure.update_layout(
        width=1200,
        height=640,
        showlegend=False,
        template="plotly_white",
        font_size=14,
        margin=dict(t=30, r=20),
        title_text=None,
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "growth.html"
        figure.write_html(page, config={"displayModeBar": False})
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        window = browser.new_page(viewport={"width": 1200, "height": 640})
        window.goto(page.as_uri())
        window.wait_for_selector(".main-svg")
        window.screenshot(path=path)
        browser.close()
