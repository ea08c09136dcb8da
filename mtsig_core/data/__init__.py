"""From files and memory to a `TestSet`."""
