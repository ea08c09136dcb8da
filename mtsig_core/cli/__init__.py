"""The commands that need more than a comparison, one module each; `mtsig_core.cli.main` puts them
together.
"""
