"""The parts that pages share: the frame, the controls, the caches, escaping.

`st.cache_*` is used only here.
"""
