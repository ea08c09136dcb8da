"""What the figures share: colours (Okabe and Ito), and names made safe for Plotly."""

import html

BLUE, VERMILLION, GREY = "#0072B2", "#D55E00", "#7A8594"
_LONGEST = 32


def label(name: str) -> str:
    """A name as Plotly text: shown literally whatever it contains, and cut when too long for an axis."""
    short = name if len(name) <= _LONGEST else f"{name[:_LONGEST - 1]}…"
    return html.escape(short, quote=False)


def full(name: str) -> str:
    """A name as Plotly text in full, for hover."""
    return html.escape(name, quote=False)


def measured(figure, text):
    """What the axis measures: a note, because the viewer's theme sets the titles of axes too pale."""
    figure.add_annotation(x=0.5, y=0, xref="paper", yref="paper", yshift=-25, xanchor="center", yanchor="top",
                          text=text, showarrow=False, font_size=14)


def steps(edges, counts, low, high):
    """The outline of a histogram between two values."""
    xs, ys = [], []
    for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True):
        left, right = max(float(left), low), min(float(right), high)
        if left < right:
            xs += [left, right]
            ys += [int(count)] * 2
    return xs, ys
