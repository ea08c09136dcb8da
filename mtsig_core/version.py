"""The version of mtsig, and of the packages it uses.

It has a module of its own, so that every other module may import it.
"""

from functools import cache

__version__ = "0.1.0"


@cache
def find_version(package: str) -> str:
    """The version of a package that is installed, looked up once."""
    from importlib.metadata import version  # late: it loads fifty modules

    return version(package)
