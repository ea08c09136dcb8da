"""Streamlit's data frame in a browser: it draws on a canvas and tells its cells to screen readers
alone.
"""

HEAD, ROW, BOX = 36, 28, 16  # pixels: the row of heads, a row, the middle of a row's box


def told(page):
    """Wait until every grid in sight has told its cells, a moment after it is drawn; not what is
    folded away.
    """
    page.wait_for_function("""[...document.querySelectorAll('[data-testid="stDataFrame"]')].every(
      grid => !grid.getClientRects().length || grid.closest('[data-testid="stExpander"]')
              || grid.querySelectorAll('canvas table tr').length > 1)""")


def cells(page, key):
    """Heads and the rows in sight, cells as a screen reader finds them."""
    rows = page.locator(f".st-key-{key} canvas table tr")
    rows.nth(1).wait_for(state="attached")
    return rows.evaluate_all(
        "rows => rows.map(row => [...row.children].map(cell => cell.textContent.trim()))"
    )


def click(page, key, row, x=BOX):
    """Click into a row, counted from 0, -1 for the heads, so many pixels from the left; by default
    on its box.
    """
    grid = page.locator(f".st-key-{key} .dvn-scroller").first
    grid.click(position={"x": x, "y": HEAD + (row + 0.5) * ROW if row >= 0 else HEAD / 2})
