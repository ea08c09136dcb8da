"""The commands that need more than a comparison, one module each; `mtsig_core.__main__` puts them together."""
