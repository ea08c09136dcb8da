"""Questions that need more than one comparison, many of them from the papers."""
