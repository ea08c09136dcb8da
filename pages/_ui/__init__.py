"""Code that pages share: the frame, the controls, the caches, escaping.

Only this package uses `st.cache_*`.
"""
